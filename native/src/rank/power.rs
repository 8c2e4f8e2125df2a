//! The iteration. Each pass reads the edges, ranks and numbers of links from their start to their end; only the ranks of
//! the sources of one block are in memory.
//!
//! A rank is `(1 - d) / n + d · (dangling / n + sum of rank / links over the pages that link here)`, where `dangling` is
//! the mass of nodes without links.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use super::graph::{Column, Graph, read_row};
use super::{Options, Progress, io};
use crate::error::{Error, Result};

/// The ranks of all nodes: 8 bytes each.
pub struct Converged {
    pub ranks: Column,
    pub iterations: u32,
    /// How much the last iteration changed, in sum.
    pub change: f64,
}

pub fn iterate(
    graph: &Graph,
    directory: &Path,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<Converged> {
    let mut now = Column::new(directory)?;
    let mut next = Column::new(directory)?;
    let mut dangling = write_start(graph, &now)?;
    let (mut iterations, mut change) = (0, f64::INFINITY);
    let sums = [Column::new(directory)?, Column::new(directory)?];
    while graph.nodes > 0 && change > options.tolerance && iterations < options.most_iterations {
        let pass = Pass {
            graph,
            base: base(graph.nodes, dangling, options.damping),
            damping: options.damping,
            now: &now,
            next: &next,
            sums: &sums,
        };
        (change, dangling) = pass.run()?;
        std::mem::swap(&mut now, &mut next);
        iterations += 1;
        progress("ranking", share_done(change, options))?;
    }
    Ok(Converged {
        ranks: now,
        iterations,
        change,
    })
}

fn base(nodes: u64, dangling: f64, damping: f64) -> f64 {
    (1.0 - damping + damping * dangling) / nodes as f64
}

/// The change falls by the damping in each pass, or faster.
fn share_done(change: f64, options: &Options) -> f64 {
    (change.max(f64::MIN_POSITIVE).ln() / options.tolerance.max(1e-15).ln()).clamp(0.0, 1.0)
}

/// All ranks are equal at first. Returns the mass of nodes without links.
fn write_start(graph: &Graph, ranks: &Column) -> Result<f64> {
    let mut writer = ranks.write()?;
    let rank = 1.0 / graph.nodes as f64;
    let mut degrees = graph.degrees.read(0)?;
    let mut without = 0u64;
    for _ in 0..graph.nodes {
        writer.write_all(&rank.to_le_bytes()).map_err(io)?;
        without += u64::from(read_row::<4>(&mut degrees)? == [0; 4]);
    }
    writer.flush().map_err(io)?;
    Ok(without as f64 * rank)
}

struct Pass<'a> {
    graph: &'a Graph,
    base: f64,
    damping: f64,
    now: &'a Column,
    next: &'a Column,
    /// What the blocks so far contribute to each node. Two files: one is read while the other is written.
    sums: &'a [Column; 2],
}

impl Pass<'_> {
    /// Returns how much the ranks change in sum, and the mass of nodes without links.
    fn run(&self) -> Result<(f64, f64)> {
        let last = self.graph.blocks.len() - 1;
        for number in 0..last {
            let mut writer = self.sums[number % 2].write()?;
            self.add_block(number, |_, sum| {
                writer.write_all(&sum.to_le_bytes()).map_err(io)
            })?;
            writer.flush().map_err(io)?;
        }
        self.finish(last)
    }

    fn finish(&self, last: usize) -> Result<(f64, f64)> {
        let mut writer = self.next.write()?;
        let shares = self.read_shares(last)?;
        let (mut old, mut degrees) = (self.now.read(0)?, self.graph.degrees.read(0)?);
        let (mut change, mut dangling) = (0.0, 0.0);
        self.add_shares(last, &shares, |_, sum| {
            let rank = self.base + self.damping * sum;
            change += (rank - f64::from_le_bytes(read_row(&mut old)?)).abs();
            if read_row::<4>(&mut degrees)? == [0; 4] {
                dangling += rank;
            }
            writer.write_all(&rank.to_le_bytes()).map_err(io)
        })?;
        writer.flush().map_err(io)?;
        Ok((change, dangling))
    }

    fn add_block(&self, number: usize, put: impl FnMut(u64, f64) -> Result<()>) -> Result<()> {
        let shares = self.read_shares(number)?;
        self.add_shares(number, &shares, put)
    }

    /// What each source of a block gives to each of its links.
    fn read_shares(&self, number: usize) -> Result<Vec<f64>> {
        let first = number as u64 * self.graph.block_nodes;
        let count = self.graph.block_nodes.min(self.graph.nodes - first);
        let mut ranks = self.now.read(first * 8)?;
        let mut shares = Vec::with_capacity(count as usize);
        for _ in 0..count {
            shares.push(f64::from_le_bytes(read_row(&mut ranks)?));
        }
        drop(ranks);
        let mut degrees = self.graph.degrees.read(first * 4)?;
        for share in &mut shares {
            *share /= f64::from(u32::from_le_bytes(read_row(&mut degrees)?).max(1));
        }
        Ok(shares)
    }

    /// Calls `put` with each node and the sum of what the blocks up to this one give it.
    fn add_shares(
        &self,
        number: usize,
        shares: &[f64],
        mut put: impl FnMut(u64, f64) -> Result<()>,
    ) -> Result<()> {
        let mut before = match number {
            0 => None,
            _ => Some(self.sums[(number - 1) % 2].read(0)?),
        };
        let mut records = RecordReader::new(self.graph.blocks[number].read(0)?);
        let mut target = records.next_target()?;
        for node in 0..self.graph.nodes {
            let mut sum = match &mut before {
                Some(before) => f64::from_le_bytes(read_row(before)?),
                None => 0.0,
            };
            if target == Some(node) {
                sum += records.sum(shares)?;
                target = records.next_target()?;
            }
            put(node, sum)?;
        }
        Ok(())
    }
}

struct RecordReader<'a> {
    reader: BufReader<&'a File>,
    sources: Vec<u8>,
}

/// Sources that are read at once.
const AT_ONCE: usize = 4 * 1024;

impl<'a> RecordReader<'a> {
    fn new(reader: BufReader<&'a File>) -> Self {
        RecordReader {
            reader,
            sources: vec![0; AT_ONCE * 4],
        }
    }

    fn next_target(&mut self) -> Result<Option<u64>> {
        let mut row = [0; 4];
        let read = self.reader.read(&mut row[..1]).map_err(io)?;
        if read == 0 {
            return Ok(None);
        }
        self.reader.read_exact(&mut row[1..]).map_err(io)?;
        Ok(Some(u32::from_le_bytes(row).into()))
    }

    fn sum(&mut self, shares: &[f64]) -> Result<f64> {
        let mut left = u32::from_le_bytes(read_row(&mut self.reader)?) as usize;
        let mut sum = 0.0;
        while left > 0 {
            let bytes = &mut self.sources[..left.min(AT_ONCE) * 4];
            self.reader.read_exact(bytes).map_err(io)?;
            for row in bytes.as_chunks::<4>().0 {
                let share = shares.get(u32::from_le_bytes(*row) as usize);
                sum += share.ok_or_else(|| Error::Corrupt("a source that is none".into()))?;
            }
            left -= bytes.len() / 4;
        }
        Ok(sum)
    }
}
