//! A small fuzzer for everything that reads bytes from strangers: `make fuzz SECONDS=600`, or one of them
//! with `TARGET=url`.
//!
//! It mutates a corpus by chance and by each target's own tokens, and keeps what reaches code that
//! nothing reached before: the crate is compiled with the compiler's coverage counters (`instrumented`),
//! which stable Rust has; the usual fuzzers need a nightly one. What is wrong (a panic, a broken
//! invariant, time that grows faster than the input) is saved to `--findings` and fails the run.

mod campaign;
mod chance;
mod clock;
mod coverage;
mod mutation;
mod shrink;
mod targets;
mod watchdog;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use campaign::Campaign;
use targets::Target;

struct Options {
    seconds: u64,
    seed: u64,
    only: Option<String>,
    findings: PathBuf,
    /// Files to run once instead of fuzzing: a finding, again.
    inputs: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let options = match options() {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    let mut targets = targets::all();
    if let Some(only) = &options.only {
        let known: Vec<_> = targets.iter().map(|target| target.name()).collect();
        if !known.contains(&only.as_str()) {
            eprintln!("{only} is no target: {} are", known.join(", "));
            return ExitCode::from(2);
        }
        targets.retain(|target| target.name() == only);
    }
    std::panic::set_hook(Box::new(|_| {}));
    let findings: usize = targets
        .into_iter()
        .map(|target| run(target, &options))
        .sum();
    if findings == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn run(target: Box<dyn Target>, options: &Options) -> usize {
    let name = target.name();
    let mut campaign = Campaign::new(target, options.seed, options.findings.clone());
    if options.inputs.is_empty() {
        campaign.run(Duration::from_secs(options.seconds));
    } else {
        for path in &options.inputs {
            campaign.try_again(&std::fs::read(path).unwrap_or_default());
        }
    }
    println!("{name:>12}: {}", campaign.summary());
    campaign.findings()
}

fn options() -> Result<Options, String> {
    let mut options = Options {
        seconds: 10,
        seed: 1604,
        only: None,
        findings: PathBuf::from("target/findings"),
        inputs: Vec::new(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{argument} needs a value"));
        let number = |text: String| text.parse().map_err(|_| format!("{text} is no number"));
        match argument.as_str() {
            "--seconds" => options.seconds = number(value()?)?,
            "--seed" => options.seed = number(value()?)?,
            "--only" => options.only = Some(value()?),
            "--findings" => options.findings = PathBuf::from(value()?),
            "--bench" => {}
            path if !path.starts_with('-') => options.inputs.push(PathBuf::from(path)),
            unknown => return Err(format!("{unknown}: no such option")),
        }
    }
    Ok(options)
}
