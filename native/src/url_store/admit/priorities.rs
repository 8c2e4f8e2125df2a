//! A priority for each link of a batch.

use crate::error::{Error, Result};
use crate::rank::mark_computed;

/// In steps of 1/256, a byte each. Each of the 16 classes has 16 steps, so no priority changes its class by the rounding,
/// and URLs of equal priority can share their attributes in the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Priorities {
    steps: Vec<u8>,
    /// They were computed from ranks, not given ([`mark_computed`]).
    are_computed: bool,
}

const STEPS: f64 = 256.0;

impl Priorities {
    pub fn of_bytes(steps: Vec<u8>) -> Self {
        Priorities {
            steps,
            are_computed: true,
        }
    }

    /// NaN becomes the lowest priority, as in [`super::super::attributes::Attributes::class`].
    pub fn of_numbers(numbers: &[f64]) -> Self {
        // The cast saturates.
        let step = |number: &f64| (number * STEPS) as u8;
        Priorities {
            steps: numbers.iter().map(step).collect(),
            are_computed: false,
        }
    }

    /// One priority in these steps.
    pub fn rounded(number: f64) -> f64 {
        f64::from((number * STEPS) as u8) / STEPS
    }

    /// Fails if their number is not that of the links.
    pub fn checked(self, links: usize) -> Result<Self> {
        if self.steps.len() == links {
            return Ok(self);
        }
        let given = self.steps.len();
        Err(Error::Invalid(format!(
            "{given} priorities were given for {links} links"
        )))
    }

    pub fn of(&self, number: usize) -> Option<f64> {
        let step = self.steps.get(number)?;
        let priority = f64::from(*step) / STEPS;
        Some(match self.are_computed {
            true => mark_computed(priority, false),
            false => priority,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::attributes::tests::link;
    use super::*;

    #[test]
    fn a_step_never_changes_the_class() {
        let numbers: Vec<f64> = (-10..=1010)
            .map(|number| f64::from(number) / 1000.0)
            .collect();
        let priorities = Priorities::of_numbers(&numbers);
        for (number, priority) in numbers.iter().enumerate() {
            let rounded = priorities.of(number).unwrap();
            assert_eq!(
                link(0, rounded).class(),
                link(0, *priority).class(),
                "{priority}"
            );
        }
        assert_eq!(Priorities::of_numbers(&[f64::NAN]).of(0), Some(0.0));
    }

    #[test]
    fn there_is_one_for_each_link() {
        let priorities = Priorities::of_bytes(vec![0, 128, 255]);
        assert_eq!(priorities.of(1), Some(128.5 / 256.0));
        assert_eq!(priorities.of(3), None);
        assert!(priorities.clone().checked(3).is_ok());
        assert!(priorities.checked(2).is_err());
    }
}
