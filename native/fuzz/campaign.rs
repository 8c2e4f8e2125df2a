//! One target's run: its corpus, what was found.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::clock::cost_of;
use crate::coverage::Coverage;
use crate::mutation::mutated;
use crate::shrink::shrunk;
use crate::targets::Target;
use crate::watchdog::Watchdog;

/// An input may cost this much, and this much a byte: generous for a build with counters and checks.
const FREE: Duration = Duration::from_millis(20);
const A_BYTE: Duration = Duration::from_micros(50);

/// Twice the input may cost this many times as much.
const GROWTH: f64 = 3.2;
const REPEATED_BYTES: usize = 64 * 1024;
/// One part in this many of the time goes to it.
const GROWTH_SHARE: u32 = 4;

pub struct Campaign {
    target: Box<dyn Target>,
    chance: Chance,
    coverage: Coverage,
    watchdog: Watchdog,
    corpus: Vec<Vec<u8>>,
    executions: u64,
    spent: Duration,
    /// Spent on growth alone.
    growing: Duration,
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
            growing: Duration::ZERO,
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
                if self.growing * GROWTH_SHARE < started.elapsed() {
                    self.check_growth(&input);
                }
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
            let message = format!("slow: {cost:?} for {} bytes", input.len());
            self.complain(input, "slow", &message);
        }
        is_new
    }

    fn attempt(&mut self, input: &[u8]) -> Duration {
        self.watchdog.begin(input);
        let (broken, cost) = cost_of(|| broken_by(self.target.as_ref(), input));
        if let Some(broken) = broken
            && self.complaints.insert(broken.kind().to_owned())
        {
            let small = shrunk(input, |smaller| {
                self.watchdog.begin(smaller);
                let other = broken_by(self.target.as_ref(), smaller);
                other.is_some_and(|other| other.kind() == broken.kind())
            });
            let message = broken_by(self.target.as_ref(), &small).unwrap_or(broken);
            self.report(&small, &message.0);
        }
        cost
    }

    /// An input that repeats itself twice as often may cost about twice as much.
    fn check_growth(&mut self, input: &[u8]) {
        if input.is_empty() {
            return;
        }
        let started = Instant::now();
        let once = input.repeat(REPEATED_BYTES.div_ceil(input.len()));
        let twice = once.repeat(2);
        let ceiling = self.target.ceiling();
        let too_much = |first: Duration, second: Duration| {
            second > ceiling && second.as_secs_f64() > GROWTH * first.as_secs_f64()
        };
        if too_much(self.attempt(&once), self.attempt(&twice)) {
            let (first, second) = (self.best(&once), self.best(&twice));
            if too_much(first, second) {
                let message = format!("growth: {first:?}, then {second:?}");
                self.complain(&twice, "growth", &message);
            }
        }
        self.growing += started.elapsed();
    }

    fn best(&mut self, input: &[u8]) -> Duration {
        let costs = (0..3).map(|_| self.attempt(input));
        costs.min().unwrap_or_default()
    }

    /// One finding a kind: a panic comes a thousand times.
    fn complain(&mut self, input: &[u8], kind: &str, message: &str) {
        if self.complaints.insert(kind.to_owned()) {
            self.report(input, message);
        }
    }

    fn report(&self, input: &[u8], message: &str) {
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

/// What is wrong; what is before the colon is its kind.
struct Broken(String);

impl Broken {
    fn kind(&self) -> &str {
        match self.0.split_once(": ") {
            Some(("panic", _)) | None => &self.0,
            Some((kind, _)) => kind,
        }
    }
}

fn broken_by(target: &dyn Target, input: &[u8]) -> Option<Broken> {
    match catch_unwind(AssertUnwindSafe(|| target.run(input))) {
        Ok(verdict) => verdict.err().map(Broken),
        Err(panic) => Some(Broken(text_of(panic.as_ref()))),
    }
}

fn text_of(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panic: {}", text.unwrap_or("of an unknown kind"))
}
