//! Ends the run when one input does not: says which.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

/// What is being tried, since when.
#[derive(Clone)]
pub struct Watchdog(Arc<Mutex<(Vec<u8>, Instant)>>);

impl Watchdog {
    pub fn new(name: &'static str, findings: &Path) -> Self {
        let watched = Watchdog(Arc::new(Mutex::new((Vec::new(), Instant::now()))));
        let (watcher, findings) = (watched.clone(), findings.to_owned());
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(PATIENCE / 10);
                watcher.check(name, &findings);
            }
        });
        watched
    }

    pub fn begin(&self, input: &[u8]) {
        if let Ok(mut current) = self.0.lock() {
            current.0.clear();
            current.0.extend_from_slice(input);
            current.1 = Instant::now();
        }
    }

    /// Nothing is being tried.
    pub fn rest(&self) {
        self.begin(&[]);
    }

    fn check(&self, name: &str, findings: &Path) {
        let Ok(current) = self.0.lock() else { return };
        if current.0.is_empty() || current.1.elapsed() < PATIENCE {
            return;
        }
        let path = findings.join(format!("{name}-hangs"));
        let saved =
            std::fs::create_dir_all(findings).and_then(|()| std::fs::write(&path, &current.0));
        eprintln!(
            "{name}: an input does not end: {} {saved:?}",
            path.display()
        );
        std::process::exit(1);
    }
}
