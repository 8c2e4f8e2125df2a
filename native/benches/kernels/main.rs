//! The crawler's hot kernels, each alone. `make kernels` runs them all and counts their instructions.
//!
//! ```text
//! kernels PAGE KERNEL LAPS                 runs it, and says how many operations that were
//! kernels PAGE KERNEL LAPS --time          says how many microseconds an operation took in the best lap
//! kernels PAGE KERNEL LAPS --repeat 15     does 15 % of the laps twice: a guard must find that
//! ```
//!
//! `PAGE` is a file with the page that is read and kept. A lap does the same work each time it is run, in
//! one thread; what a lap needs is made before the first one, always for the same number of laps, so that
//! the difference between a run of N laps and one of 2N is N laps and nothing else. Counts still differ by
//! up to one in a thousand between runs: the maps of a page's links are seeded by chance, as they must be.

mod identity;
mod reading;
mod robots;
mod url_store;

use std::process::ExitCode;
use std::time::Instant;

/// Of laps, when they are timed. The best lap was not interrupted.
const ROUNDS: usize = 40;
/// Of a kernel that has to make something for each of them.
const MOST_LAPS: usize = 64;

pub struct Kernel {
    /// Of one lap.
    operations: usize,
    /// Is told how many laps there were before.
    lap: Box<dyn FnMut(usize)>,
}

struct Options {
    page: Vec<u8>,
    name: String,
    laps: usize,
    repeat: usize,
    time: bool,
}

fn main() -> ExitCode {
    let answer = options().and_then(|options| {
        if options.time {
            timed(&options)
        } else {
            counted(&options)
        }
    });
    match answer {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

fn options() -> Result<Options, String> {
    const USAGE: &str = "kernels PAGE KERNEL LAPS [--time] [--repeat PERCENT]";
    let mut arguments = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench");
    let mut next = || arguments.next().ok_or(USAGE);
    let (path, name) = (next()?, next()?);
    let mut options = Options {
        page: std::fs::read(&path).map_err(|error| format!("{path}: {error}"))?,
        name,
        laps: number(&next()?)?,
        repeat: 0,
        time: false,
    };
    while let Ok(option) = next() {
        match option.as_str() {
            "--time" => options.time = true,
            "--repeat" => options.repeat = number(&next()?)?,
            _ => return Err(USAGE.into()),
        }
    }
    Ok(options)
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("{text} is no number"))
}

fn kernel(options: &Options) -> Result<Kernel, String> {
    match options.name.as_str() {
        "analyse" => Ok(reading::analyse(&options.page)),
        "key" => Ok(identity::key()),
        "robots_typical" => Ok(robots::typical()),
        "robots_large" => Ok(robots::large()),
        "warc_plain" => Ok(reading::warc_plain(&options.page)),
        "warc_coded" => Ok(reading::warc_coded(&options.page)),
        "url_store" => Ok(url_store::frame()),
        name => Err(format!("{name} is no kernel")),
    }
}

fn counted(options: &Options) -> Result<String, String> {
    let mut kernel = kernel(options)?;
    run(&mut kernel, options);
    Ok((options.laps * kernel.operations).to_string())
}

fn timed(options: &Options) -> Result<String, String> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let mut kernel = kernel(options)?;
        for lap in 0..options.laps {
            let started = Instant::now();
            (kernel.lap)(lap);
            let spent = started.elapsed().as_secs_f64() * 1e6;
            best = best.min(spent / kernel.operations as f64);
        }
    }
    Ok(best.to_string())
}

/// Laps that are repeated are spread evenly.
fn run(kernel: &mut Kernel, options: &Options) {
    let extra = |laps: usize| laps * options.repeat / 100;
    let mut before = 0;
    for lap in 0..options.laps {
        for _ in 0..=extra(lap + 1) - extra(lap) {
            (kernel.lap)(before);
            before += 1;
        }
    }
}
