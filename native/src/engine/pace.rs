//! The gap between two requests to an address (P3), enforced at the moment of sending.
//!
//! Python already spaces requests. But a queue and perhaps a new connection come before the first
//! byte, so two requests that were handed out with a gap could be sent without one.

use std::net::IpAddr;
use std::time::Duration;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use crate::clock::now;

/// Number of addresses above which expired ones are dropped.
const MOST: usize = 10_000;

#[derive(Debug)]
pub struct Pace {
    gap: f64,
    last: Mutex<FxHashMap<IpAddr, f64>>,
}

impl Pace {
    /// Without a gap no request waits, and nothing is stored.
    pub fn new(gap: Duration) -> Self {
        Pace {
            gap: gap.as_secs_f64(),
            last: Mutex::default(),
        }
    }

    /// Waits for a turn and takes it. Returns the time at which the request counts as sent.
    pub async fn turn(&self, address: IpAddr) -> f64 {
        loop {
            match self.take(address, now()) {
                Ok(at) => return at,
                Err(wait) => tokio::time::sleep(Duration::from_secs_f64(wait)).await,
            }
        }
    }

    /// Takes a turn, or returns the seconds to wait if the gap is not over.
    fn take(&self, address: IpAddr, at: f64) -> Result<f64, f64> {
        if self.gap <= 0.0 {
            return Ok(at);
        }
        let mut last = self.last.lock();
        if last.len() >= MOST {
            last.retain(|_, last| at - *last < self.gap);
        }
        let passed = last
            .get(&address)
            .map_or(f64::INFINITY, |last| (at - last).max(0.0));
        if passed < self.gap {
            return Err(self.gap - passed);
        }
        last.insert(address, at);
        Ok(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    #[test]
    fn p3_a_turn_comes_when_the_gap_is_over() {
        let pace = Pace::new(Duration::from_millis(100));
        assert_eq!(pace.take(ADDRESS, 10.0), Ok(10.0));
        let wait = pace.take(ADDRESS, 10.04).unwrap_err();
        assert!((wait - 0.06).abs() < 1e-6);
        assert_eq!(pace.take("::1".parse().unwrap(), 10.04), Ok(10.04));
        assert_eq!(pace.take(ADDRESS, 10.2), Ok(10.2));
        assert!(pace.take(ADDRESS, 10.21).is_err());
    }

    #[test]
    fn p3_without_a_gap_nobody_waits() {
        let pace = Pace::new(Duration::ZERO);
        assert_eq!(pace.take(ADDRESS, 10.0), Ok(10.0));
        assert_eq!(pace.take(ADDRESS, 10.0), Ok(10.0));
        assert!(pace.last.lock().is_empty());
    }

    #[test]
    fn what_is_over_is_forgotten() {
        let pace = Pace::new(Duration::from_millis(100));
        for number in 0..MOST as u32 + 1 {
            let address = IpAddr::V4(number.into());
            assert!(pace.take(address, 10.0 + f64::from(number)).is_ok());
        }
        assert!(pace.last.lock().len() < 3);
    }
}
