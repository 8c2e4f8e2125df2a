//! One target's run: its corpus, what was found.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::clock::cost_of;
use crate::coverage::Coverage;
use crate::mutation::mutated;
use crate::targets::Target;
use crate::watchdog::Watchdog;

/// An input may cost this much, and this much a byte: generous for a build with counters and checks.
const FREE: Duration = Duration::from_millis(20);
const A_BYTE: Duration = Duration::from_micros(50);

/// Twice the input may cost this many times as much, once it costs enough to be measured.
const GROWTH: f64 = 3.2;
const MEASURABLE: Duration = Duration::from_millis(10);
const REPEATED_BYTES: usize = 64 * 1024;

pub struct Campaign {
    target: Box<dyn Target>,
    chance: Chance,
    coverage: Coverage,
    watchdog: Watchdog,
    corpus: Vec<Vec<u8>>,
    executions: u64,
    spent: Duration,
    complaints: BTreeSet<String>,
    directory: PathBuf,
}

impl Campaign {
    pub fn new(target: Box<dyn Target>, seed: u64, directory: PathBuf) -> Self {
        let mut campaign = Campaign {
            chance: Chance::new(seed),
            coverage: Coverage::new(),
            watchdog: Watchdog::new(target.name(), &directory),
            corpus: Vec::new(),
            executions: 0,
            spent: Duration::ZERO,
            complaints: BTreeSet::new(),
            directory,
            target,
        };
        for seed in campaign.target.seeds() {
            campaign.execute(&seed);
            campaign.corpus.push(seed);
        }
        campaign
    }

    pub fn run(&mut self, time: Duration) {
        let started = Instant::now();
        while started.elapsed() < time {
            let input = self.next_input();
            if self.execute(&input) {
                self.check_growth(&input);
                self.corpus.push(input);
            }
        }
        self.watchdog.rest();
        self.spent = started.elapsed();
    }

    pub fn try_again(&mut self, input: &[u8]) {
        self.execute(input);
        self.check_growth(input);
        self.watchdog.rest();
    }

    pub fn findings(&self) -> usize {
        self.complaints.len()
    }

    pub fn summary(&self) -> String {
        format!(
            "{} executions in {:.0} s, corpus of {}, {} counters reached, {} findings",
            self.executions,
            self.spent.as_secs_f64(),
            self.corpus.len(),
            self.coverage.reached(),
            self.complaints.len(),
        )
    }

    /// The newest inputs are changed most: they reached what is least explored.
    fn next_input(&mut self) -> Vec<u8> {
        let chance = &mut self.chance;
        let newest = self.corpus.len().saturating_sub(1 + chance.below(32));
        let any = chance.below(self.corpus.len());
        let index = if chance.below(3) == 0 { newest } else { any };
        let other = chance.below(self.corpus.len());
        mutated(
            &self.corpus[index],
            &self.corpus[other],
            self.target.tokens(),
            chance,
        )
    }

    /// Whether the input did something new.
    fn execute(&mut self, input: &[u8]) -> bool {
        self.executions += 1;
        self.coverage.clear();
        let cost = self.attempt(input);
        let is_new = self.coverage.is_new();
        if cost > FREE + A_BYTE * input.len() as u32 && self.attempt(input) > FREE {
            self.complain(
                input,
                format!("slow: {cost:?} for {} bytes", input.len()),
                "slow",
            );
        }
        is_new
    }

    fn attempt(&mut self, input: &[u8]) -> Duration {
        self.watchdog.begin(input);
        let target = &self.target;
        let (result, cost) = cost_of(|| catch_unwind(AssertUnwindSafe(|| target.run(input))));
        match result {
            Ok(Ok(())) => {}
            Ok(Err(broken)) => {
                let kind = broken.split(':').next().unwrap_or_default().to_owned();
                self.complain(input, broken, &kind);
            }
            Err(panic) => {
                let message = text_of(panic.as_ref());
                self.complain(input, message.clone(), &message);
            }
        }
        cost
    }

    /// An input that repeats itself twice as often may cost about twice as much.
    fn check_growth(&mut self, input: &[u8]) {
        if input.is_empty() {
            return;
        }
        let once = input.repeat(REPEATED_BYTES.div_ceil(input.len()));
        let twice = once.repeat(2);
        let first = self.attempt(&once);
        let second = self.attempt(&twice);
        if second > MEASURABLE && second.as_secs_f64() > GROWTH * first.as_secs_f64() {
            let (first, second) = (self.best(&once), self.best(&twice));
            if second > MEASURABLE && second.as_secs_f64() > GROWTH * first.as_secs_f64() {
                self.complain(
                    &twice,
                    format!("growth: {first:?}, then {second:?}"),
                    "growth",
                );
            }
        }
    }

    fn best(&mut self, input: &[u8]) -> Duration {
        let costs = (0..3).map(|_| self.attempt(input));
        costs.min().unwrap_or_default()
    }

    /// One finding a kind: a panic comes a thousand times.
    fn complain(&mut self, input: &[u8], message: String, kind: &str) {
        if !self.complaints.insert(kind.to_owned()) {
            return;
        }
        let name = format!("{}-{}", self.target.name(), self.complaints.len());
        let path = self.directory.join(name);
        let saved =
            std::fs::create_dir_all(&self.directory).and_then(|()| std::fs::write(&path, input));
        println!(
            "{}: {message}\n  {} {saved:?}",
            self.target.name(),
            path.display()
        );
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("of an unknown kind"))
}
