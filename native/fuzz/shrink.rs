//! A finding, as small as it stays one.

use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(10);

/// Takes pieces out, big ones first, while `is_finding` holds.
pub fn shrunk(input: &[u8], mut is_finding: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let started = Instant::now();
    let mut best = input.to_vec();
    let mut piece = best.len().next_power_of_two();
    while piece > 0 && started.elapsed() < PATIENCE {
        let mut place = 0;
        while place < best.len() && started.elapsed() < PATIENCE {
            let mut smaller = best.clone();
            smaller.drain(place..(place + piece).min(best.len()));
            if is_finding(&smaller) {
                best = smaller;
            } else {
                place += piece;
            }
        }
        piece /= 2;
    }
    best
}
