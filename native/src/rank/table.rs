//! Ranks and percentiles by key.
//!
//! ```text
//! rows     key, rank, percentile: 26 bytes each, sorted by key
//! index    8 bytes of the key of every 64th row
//! levels   rank and percentile, ascending: the percentile of any rank
//! top      the rows with the highest ranks, with names if they have any
//! ```
//!
//! The percentile of a rank is the share of nodes below it, and half of those that have the same: a node that is like
//! all others has 0.5.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;

use rustc_hash::FxHashMap;

use super::graph::{Graph, read_row};
use super::io;
use super::power::Converged;
use crate::error::{Error, Result};
use crate::url::Key;

const KEY: usize = size_of::<Key>();
const ROW: usize = KEY + 8 + 2;
/// Rows of which the index has one.
const EVERY: u64 = 64;
const LEVEL: usize = 6;
/// Two ranks are the same if they share sign, exponent and 12 bits: they differ by less than 1 to 4,000.
const IGNORED_BITS: u32 = 40;
const MOST_TOP: u64 = 1_000_000;
const MOST_LEVELS: u64 = 1 << 24;
const FULL: f64 = u16::MAX as f64;
/// Numbers of a table in the header of its file.
pub const FIELDS: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    pub rank: f64,
    /// From 0 to 1.
    pub percentile: f64,
}

/// Where the parts of a table are, and what it was computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Layout {
    pub rows: u64,
    pub edges: u64,
    pub iterations: u64,
    pub change: u64,
    rows_at: u64,
    index_at: u64,
    levels_at: u64,
    levels: u64,
    top_at: u64,
    top: u64,
}

impl Layout {
    pub fn to_numbers(self) -> [u64; FIELDS] {
        [
            self.rows,
            self.edges,
            self.iterations,
            self.change,
            self.rows_at,
            self.index_at,
            self.levels_at,
            self.levels,
            self.top_at,
            self.top,
        ]
    }

    pub fn of_numbers(numbers: [u64; FIELDS]) -> Self {
        let [
            rows,
            edges,
            iterations,
            change,
            rows_at,
            index_at,
            levels_at,
            levels,
            top_at,
            top,
        ] = numbers;
        Layout {
            rows,
            edges,
            iterations,
            change,
            rows_at,
            index_at,
            levels_at,
            levels,
            top_at,
            top,
        }
    }

    /// Whether each part ends before the next begins, and the last one before the end of the file.
    fn fits(&self, length: u64) -> bool {
        let ends = |at: u64, count: u64, size: usize, limit: u64| {
            let bytes = count.checked_mul(size as u64);
            bytes
                .and_then(|bytes| at.checked_add(bytes))
                .is_some_and(|end| end <= limit)
        };
        ends(self.rows_at, self.rows, ROW, self.index_at)
            && ends(self.index_at, self.rows.div_ceil(EVERY), 8, self.levels_at)
            && ends(self.levels_at, self.levels, LEVEL, self.top_at)
            && ends(self.top_at, self.top, 10, length)
            && self.top <= MOST_TOP
            && self.levels <= MOST_LEVELS
    }
}

/// Writes at the end of a file, and knows where that is.
pub struct Output<'a> {
    pub writer: BufWriter<&'a File>,
    pub at: u64,
}

impl Output<'_> {
    pub fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.write_all(bytes).map_err(io)?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

/// Writes the table of a graph. `name` finds the names of nodes, given the keys.
pub fn write(
    output: &mut Output<'_>,
    graph: &Graph,
    converged: &Converged,
    top: usize,
    names: impl FnOnce(&[Key]) -> Result<FxHashMap<Key, String>>,
) -> Result<Layout> {
    let levels = find_levels(graph, converged)?;
    let rows_at = output.at;
    let (index, best) = write_rows(output, graph, converged, &levels, top)?;
    let index_at = output.at;
    for short in index {
        output.put(&short.to_le_bytes())?;
    }
    let levels_at = output.at;
    for (level, percentile) in &levels.0 {
        output.put(&level.to_le_bytes())?;
        output.put(&percentile.to_le_bytes())?;
    }
    let top_at = output.at;
    let keys: Vec<Key> = best.iter().map(|(_, key)| *key).collect();
    let names = names(&keys)?;
    for (row, key) in &best {
        let name = names.get(key).map_or("", String::as_str);
        output.put(&row.to_le_bytes())?;
        output.put(&(name.len().min(usize::from(u16::MAX)) as u16).to_le_bytes())?;
        output.put(&name.as_bytes()[..name.len().min(usize::from(u16::MAX))])?;
    }
    Ok(Layout {
        rows: graph.nodes,
        edges: graph.edges,
        iterations: converged.iterations.into(),
        change: converged.change.to_bits(),
        rows_at,
        index_at,
        levels_at,
        levels: levels.0.len() as u64,
        top_at,
        top: best.len() as u64,
    })
}

fn find_levels(graph: &Graph, converged: &Converged) -> Result<Levels> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut ranks = converged.ranks.read(0)?;
    for _ in 0..graph.nodes {
        let level = level_of(f64::from_le_bytes(read_row(&mut ranks)?));
        *counts.entry(level).or_default() += 1;
    }
    let mut below = 0u64;
    let levels = counts.into_iter().map(|(level, count)| {
        let share = (below as f64 + count as f64 / 2.0) / graph.nodes as f64;
        below += count;
        (level, (share * FULL).round() as u16)
    });
    Ok(Levels(levels.collect()))
}

type Index = Vec<u64>;
type Best = Vec<(u64, Key)>;

fn write_rows(
    output: &mut Output<'_>,
    graph: &Graph,
    converged: &Converged,
    levels: &Levels,
    top: usize,
) -> Result<(Index, Best)> {
    let (mut keys, mut ranks) = (graph.keys.read(0)?, converged.ranks.read(0)?);
    let mut index = Vec::new();
    let mut best = BinaryHeap::with_capacity(top + 1);
    for row in 0..graph.nodes {
        let key: Key = read_row(&mut keys)?;
        let rank = f64::from_le_bytes(read_row(&mut ranks)?);
        if row.is_multiple_of(EVERY) {
            index.push(shorten(&key));
        }
        output.put(&key)?;
        output.put(&rank.to_le_bytes())?;
        output.put(&levels.find(rank).to_le_bytes())?;
        // Of equal ranks the lower key comes first.
        best.push(Reverse((rank.to_bits(), Reverse(row), key)));
        if best.len() > top {
            best.pop();
        }
    }
    let best = best.into_sorted_vec().into_iter();
    let best = best.map(|Reverse((_, Reverse(row), key))| (row, key));
    Ok((index, best.collect()))
}

fn level_of(rank: f64) -> u32 {
    (rank.max(0.0).to_bits() >> IGNORED_BITS) as u32
}

fn shorten(key: &Key) -> u64 {
    (u128::from_be_bytes(*key) >> 64) as u64
}

struct Levels(Vec<(u32, u16)>);

impl Levels {
    fn find(&self, rank: f64) -> u16 {
        let level = level_of(rank);
        let next = self.0.partition_point(|(held, _)| *held < level);
        match (
            self.0.get(next),
            next.checked_sub(1).map(|before| self.0[before]),
        ) {
            (Some((held, percentile)), _) if *held == level => *percentile,
            (Some((_, above)), Some((_, below))) => below.midpoint(*above),
            (Some(_), None) => 0,
            (None, _) => u16::MAX,
        }
    }
}

/// A table of a file, for looking ranks up. The rows stay on disk.
pub struct RankTable {
    layout: Layout,
    index: Index,
    levels: Levels,
    best: Vec<(u64, String)>,
}

impl RankTable {
    pub fn open(file: &File, layout: Layout, length: u64) -> Result<RankTable> {
        if !layout.fits(length) {
            return Err(damaged());
        }
        let index = read(file, layout.index_at, layout.rows.div_ceil(EVERY) * 8)?;
        let index = index
            .as_chunks()
            .0
            .iter()
            .map(|short| u64::from_le_bytes(*short));
        let levels = read(file, layout.levels_at, layout.levels * LEVEL as u64)?;
        let levels = levels.as_chunks::<LEVEL>().0.iter().map(|row| {
            let [a, b, c, d, e, f] = *row;
            (u32::from_le_bytes([a, b, c, d]), u16::from_le_bytes([e, f]))
        });
        Ok(RankTable {
            layout,
            index: index.collect(),
            levels: Levels(levels.collect()),
            best: read_best(file, &layout, length)?,
        })
    }

    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    pub fn find(&self, file: &File, key: &Key) -> Result<Option<Ranked>> {
        let short = shorten(key);
        let Some(block) = self
            .index
            .partition_point(|held| *held <= short)
            .checked_sub(1)
        else {
            return Ok(None);
        };
        let first = block as u64 * EVERY;
        let count = (self.layout.rows - first).min(EVERY) as usize;
        let mut bytes = [0; ROW * EVERY as usize];
        let bytes = &mut bytes[..count * ROW];
        file.read_exact_at(bytes, self.layout.rows_at + first * ROW as u64)
            .map_err(io)?;
        let rows = bytes.as_chunks::<ROW>().0;
        let place = rows.binary_search_by(|row| row[..KEY].cmp(key));
        Ok(place.ok().map(|place| parse(&rows[place]).1))
    }

    /// The percentile that a node of this rank has.
    pub fn percentile_of(&self, rank: f64) -> f64 {
        f64::from(self.levels.find(rank)) / FULL
    }

    /// The lowest rank, approximately.
    pub fn least(&self) -> f64 {
        let level = self.levels.0.first().map_or(0, |(level, _)| *level);
        f64::from_bits(u64::from(level) << IGNORED_BITS)
    }

    /// The nodes with the highest ranks: their keys and names.
    pub fn top(&self, file: &File, most: usize) -> Result<Vec<(Key, String, Ranked)>> {
        let best = self.best.iter().take(most).map(|(row, name)| {
            let bytes = read(file, self.layout.rows_at + row * ROW as u64, ROW as u64)?;
            let row = bytes.first_chunk().ok_or_else(damaged)?;
            let (key, ranked) = parse(row);
            Ok((key, name.clone(), ranked))
        });
        best.collect()
    }
}

fn parse(row: &[u8; ROW]) -> (Key, Ranked) {
    let (mut key, mut rank, mut percentile) = (Key::default(), [0; 8], [0; 2]);
    key.copy_from_slice(&row[..KEY]);
    rank.copy_from_slice(&row[KEY..KEY + 8]);
    percentile.copy_from_slice(&row[KEY + 8..]);
    let ranked = Ranked {
        rank: f64::from_le_bytes(rank),
        percentile: f64::from(u16::from_le_bytes(percentile)) / FULL,
    };
    (key, ranked)
}

fn read(file: &File, at: u64, length: u64) -> Result<Vec<u8>> {
    let length = usize::try_from(length).map_err(|_| damaged())?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, at).map_err(io)?;
    Ok(bytes)
}

fn read_best(file: &File, layout: &Layout, length: u64) -> Result<Vec<(u64, String)>> {
    let mut best = Vec::new();
    let mut at = layout.top_at;
    for _ in 0..layout.top {
        let head = read(file, at, 10)?;
        let (row, name) = head.split_at(8);
        let row = row
            .iter()
            .rev()
            .fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let bytes = u64::from(name[0]) | u64::from(name[1]) << 8;
        at += 10;
        if row >= layout.rows || at + bytes > length {
            return Err(damaged());
        }
        let name = String::from_utf8_lossy(&read(file, at, bytes)?).into_owned();
        at += bytes;
        best.push((row, name));
    }
    Ok(best)
}

pub fn damaged() -> Error {
    Error::Corrupt("the file of ranks is damaged".into())
}
