//! Nodes with dense ids, and their edges in blocks, as the iteration reads them.
//!
//! Edges are sorted by source, which gives the ids and numbers of links of the sources, and then by target. A block has
//! the edges from a range of sources whose ranks fit into memory; for each target with such an edge it has a record:
//!
//! ```text
//! target     4 bytes: its id, ascending
//! count      4 bytes
//! sources    4 bytes each, ascending: the id within the range
//! ```

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::sorter::{Sorted, Sorter};
use super::{Options, Progress, io, scratch_file};
use crate::error::{Error, Result};
use crate::url::Key;

pub const BUFFER: usize = 256 * 1024;
/// Keys that were pushed a moment ago: the targets of neighbouring pages are often the same.
const RECENT: usize = 8 * 1024;
/// Steps between two calls of `progress`, minus one.
const STEPS: u64 = 0xf_ffff;

/// A file that is written from its start, and then read.
pub struct Column(File);

impl Column {
    pub fn new(directory: &Path) -> Result<Column> {
        Ok(Column(scratch_file(directory)?))
    }

    pub fn write(&self) -> Result<BufWriter<&File>> {
        (&self.0).seek(SeekFrom::Start(0)).map_err(io)?;
        Ok(BufWriter::with_capacity(BUFFER, &self.0))
    }

    /// From a byte on. Only one reader or writer at a time.
    pub fn read(&self, from: u64) -> Result<BufReader<&File>> {
        (&self.0).seek(SeekFrom::Start(from)).map_err(io)?;
        Ok(BufReader::with_capacity(BUFFER, &self.0))
    }
}

pub fn read_row<const N: usize>(reader: &mut impl Read) -> Result<[u8; N]> {
    let mut row = [0; N];
    reader.read_exact(&mut row).map_err(io)?;
    Ok(row)
}

/// The edges of a graph, in any order.
pub struct Edges {
    nodes: Sorter,
    edges: Sorter,
    recent: Vec<u64>,
}

impl Edges {
    pub fn new(directory: &Path, memory: usize) -> Self {
        Edges {
            nodes: Sorter::new(directory, memory / 2),
            edges: Sorter::new(directory, memory / 2),
            recent: vec![0; RECENT],
        }
    }

    pub fn add_node(&mut self, key: &Key) -> Result<()> {
        let short = shorten(key);
        let place = &mut self.recent[(short % RECENT as u64) as usize];
        if *place == short && short != 0 {
            return Ok(());
        }
        *place = short;
        self.nodes.push(u128::from_be_bytes(*key))
    }

    /// Also adds the target; the source must be added once.
    pub fn add_edge(&mut self, source: &Key, target: &Key) -> Result<()> {
        self.add_node(target)?;
        let edge = u128::from(shorten(source)) << 64 | u128::from(shorten(target));
        self.edges.push(edge)
    }
}

/// Half a key is enough to tell nodes apart: of 20 million, two have the same with a probability of 1 to 100,000. They
/// would become one.
fn shorten(key: &Key) -> u64 {
    (u128::from_be_bytes(*key) >> 64) as u64
}

pub struct Graph {
    pub nodes: u64,
    pub edges: u64,
    /// The key of each node.
    pub keys: Column,
    /// The number of links of each node: 4 bytes.
    pub degrees: Column,
    pub blocks: Vec<Column>,
    /// Sources of a block.
    pub block_nodes: u64,
}

impl Graph {
    pub fn build(
        edges: Edges,
        directory: &Path,
        options: &Options,
        progress: &mut Progress<'_>,
    ) -> Result<Graph> {
        let keys = Column::new(directory)?;
        let nodes = write_keys(edges.nodes.finish()?, &keys, progress)?;
        if nodes > u64::from(u32::MAX) {
            let most = u32::MAX;
            return Err(Error::Invalid(format!(
                "{nodes} nodes are more than {most}"
            )));
        }
        let degrees = Column::new(directory)?;
        let mut by_target = Sorter::new(directory, options.memory / 2);
        let count = write_degrees(
            edges.edges.finish()?,
            &keys,
            nodes,
            &degrees,
            &mut by_target,
            progress,
        )?;
        // Half of the memory for the ranks of a block, the other half for buffers.
        let block_nodes = (options.memory as u64 / 2 / 8).max(1);
        let mut graph = Graph {
            nodes,
            edges: count,
            keys,
            degrees,
            blocks: Vec::new(),
            block_nodes,
        };
        for _ in 0..nodes.div_ceil(block_nodes) {
            graph.blocks.push(Column::new(directory)?);
        }
        graph.write_blocks(by_target.finish()?, progress)?;
        Ok(graph)
    }

    fn write_blocks(&self, mut edges: Sorted, progress: &mut Progress<'_>) -> Result<()> {
        let mut writers = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            writers.push(block.write()?);
        }
        let mut ids = Ids::new(&self.keys, self.nodes)?;
        let mut sources: Vec<u32> = Vec::new();
        let mut current: Option<(u32, usize)> = None;
        let mut done = 0u64;
        while let Some(edge) = edges.next()? {
            let target = ids.find((edge >> 64) as u64)?;
            let source = edge as u64;
            let place = Some((target, (source / self.block_nodes) as usize));
            if place != current {
                put_record(&mut writers, current, &mut sources)?;
                current = place;
            }
            sources.push((source % self.block_nodes) as u32);
            done += 1;
            if done & STEPS == 0 {
                progress("sorting by target", done as f64 / self.edges as f64)?;
            }
        }
        put_record(&mut writers, current, &mut sources)?;
        writers
            .iter_mut()
            .try_for_each(|writer| writer.flush().map_err(io))
    }
}

fn put_record(
    writers: &mut [BufWriter<&File>],
    place: Option<(u32, usize)>,
    sources: &mut Vec<u32>,
) -> Result<()> {
    let Some((target, block)) = place else {
        return Ok(());
    };
    let writer = &mut writers[block];
    writer.write_all(&target.to_le_bytes()).map_err(io)?;
    let count = sources.len() as u32;
    writer.write_all(&count.to_le_bytes()).map_err(io)?;
    for source in sources.drain(..) {
        writer.write_all(&source.to_le_bytes()).map_err(io)?;
    }
    Ok(())
}

fn write_keys(mut sorted: Sorted, keys: &Column, progress: &mut Progress<'_>) -> Result<u64> {
    let mut writer = keys.write()?;
    let (mut nodes, mut last) = (0u64, None);
    while let Some(key) = sorted.next()? {
        let short = (key >> 64) as u64;
        if last.replace(short) == Some(short) {
            continue;
        }
        writer.write_all(&key.to_be_bytes()).map_err(io)?;
        nodes += 1;
        if nodes & STEPS == 0 {
            progress("sorting nodes", 0.0)?;
        }
    }
    writer.flush().map_err(io)?;
    Ok(nodes)
}

/// Writes how many links each node has, and passes the edges on as (target, id of the source).
fn write_degrees(
    mut edges: Sorted,
    keys: &Column,
    nodes: u64,
    degrees: &Column,
    by_target: &mut Sorter,
    progress: &mut Progress<'_>,
) -> Result<u64> {
    let mut writer = degrees.write()?;
    let mut ids = Ids::new(keys, nodes)?;
    let (mut count, mut written, mut degree) = (0u64, 0u64, 0u32);
    let mut put = |degree: u32| writer.write_all(&degree.to_le_bytes()).map_err(io);
    while let Some(edge) = edges.next()? {
        let source = u64::from(ids.find((edge >> 64) as u64)?);
        while written < source {
            put(std::mem::take(&mut degree))?;
            written += 1;
        }
        degree += 1;
        by_target.push(u128::from(edge as u64) << 64 | u128::from(source))?;
        count += 1;
        if count & STEPS == 0 {
            progress("sorting by source", 0.0)?;
        }
    }
    while written < nodes {
        put(std::mem::take(&mut degree))?;
        written += 1;
    }
    writer.flush().map_err(io)?;
    Ok(count)
}

/// The ids of nodes that are looked up in the order of their keys.
struct Ids<'a> {
    keys: BufReader<&'a File>,
    left: u64,
    id: u64,
    current: u64,
}

impl<'a> Ids<'a> {
    fn new(keys: &'a Column, nodes: u64) -> Result<Self> {
        let mut ids = Ids {
            keys: keys.read(0)?,
            left: nodes,
            id: 0,
            current: 0,
        };
        if ids.left > 0 {
            ids.advance()?;
            ids.id = 0;
        }
        Ok(ids)
    }

    fn advance(&mut self) -> Result<()> {
        let key: Key = read_row(&mut self.keys)?;
        self.current = shorten(&key);
        self.left -= 1;
        self.id += 1;
        Ok(())
    }

    fn find(&mut self, short: u64) -> Result<u32> {
        while self.current < short && self.left > 0 {
            self.advance()?;
        }
        match self.current == short {
            true => Ok(self.id as u32),
            false => Err(Error::Corrupt("an edge whose node was not added".into())),
        }
    }
}
