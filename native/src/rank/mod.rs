//! PageRank of pages and hosts, out of core (S8).
//!
//! ```text
//! edge_log   what pages link to: pages are added one by one, in memory and then in a file
//! hosts      the keys and names of hosts
//! sorter     sorts numbers that do not fit into memory
//! graph      edges → dense ids, and edges in blocks
//! power      the iteration: sequential passes over the blocks
//! table      ranks and percentiles by key: written, and looked up
//! files      the file with both tables
//! estimate   the priority of URLs by the ranks (F2)
//! ```
//!
//! A link counts once for a page, however often it occurs there; links of a page to itself do not count. Pages that are
//! only named are nodes, too. The mass of nodes without links is spread evenly over all nodes. Nodes get their ids in
//! the order of their keys, and every sum has a fixed order, so equal edges give equal bits.
//!
//! All files but the result are unnamed: a kill leaves nothing behind.

mod edge_log;
mod estimate;
mod files;
mod graph;
mod hosts;
mod power;
mod sorter;
mod table;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::path::Path;

use crate::error::{Error, Result};

pub use edge_log::{EdgeLog, counts};
pub use estimate::{Factors, Weights, mark_computed, shift_computed};
pub use files::{Facts, MOST_NOTE, Ranks, compute};
pub use hosts::key_of as key_of_host;
pub use table::{RankTable, Ranked};

/// Part of the mass that follows links; the rest jumps to any node.
pub const DAMPING: f64 = 0.85;
/// Least memory to work with.
pub const LEAST_MEMORY: usize = 4 * 1024 * 1024;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Bytes, approximately: buffers and the block of ranks.
    pub memory: usize,
    pub damping: f64,
    /// The iteration ends when the ranks change by less than this in sum.
    pub tolerance: f64,
    pub most_iterations: u32,
    /// Nodes that are listed by rank.
    pub top: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            memory: 256 * 1024 * 1024,
            damping: DAMPING,
            tolerance: 1e-9,
            most_iterations: 200,
            top: 1_000,
        }
    }
}

/// What is being done, and how much of it is done, from 0 to 1. An error ends the computation.
pub type Progress<'a> = dyn FnMut(&'static str, f64) -> Result<()> + 'a;

/// An unnamed file, which vanishes with the process.
fn scratch_file(directory: &Path) -> Result<File> {
    tempfile::tempfile_in(directory).map_err(|source| Error::io(doing(), source))
}

fn doing() -> String {
    String::from("the computation of page ranks")
}

fn io(source: std::io::Error) -> Error {
    Error::io(doing(), source)
}
