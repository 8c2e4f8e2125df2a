//! The file with the ranks of pages and of hosts, and a note that says to what they belong.
//!
//! It is written beside the old one, synced, and takes its name when it is complete. Without a name it is for this
//! process only.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};

use super::edge_log::Records;
use super::graph::{BUFFER, Edges, Graph};
use super::power::{Converged, iterate};
use super::table::{FIELDS, Layout, Output, RankTable, Ranked, damaged, write};
use super::{Options, Progress, hosts, io, scratch_file};
use crate::error::{Error, Result};
use crate::files;
use crate::url::Key;

const MAGIC: &[u8; 8] = b"HONDRANK";
const FORMAT: u64 = 1;
/// Magic, format, length of the note, length of the file, two tables, checksum.
const HEAD: usize = 8 + (3 + 2 * FIELDS) * 8 + 4;
pub const MOST_NOTE: usize = 64 * 1024;
/// Pages between two calls of `progress`.
const PAGES: u64 = 1_000;

/// What ranks were computed from, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Facts {
    pub nodes: u64,
    pub edges: u64,
    pub iterations: u64,
    /// How much the last iteration changed, in sum.
    pub change: f64,
}

/// The ranks of pages and hosts.
pub struct Ranks {
    file: File,
    pages: RankTable,
    hosts: RankTable,
    note: Vec<u8>,
}

/// Computes ranks. `to`: the file that gets them; `None` for an unnamed one. `directory` is for temporary files.
pub fn compute(
    mut records: Records,
    directory: &Path,
    to: Option<&Path>,
    note: &[u8],
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<Ranks> {
    if note.len() > MOST_NOTE {
        return Err(Error::Invalid("the note is too long".into()));
    }
    let (pages, hosts) = read_edges(&mut records, directory, options, progress)?;
    let names = |keys: &[Key]| find_names(&mut records, keys);
    match to {
        None => {
            let file = scratch_file(directory)?;
            write_file(
                &file, pages, hosts, names, directory, note, options, progress,
            )?;
            Ranks::read(file)
        }
        Some(path) => {
            let new = path.with_extension("new");
            let file = create_alone(&new)?;
            let written = write_file(
                &file, pages, hosts, names, directory, note, options, progress,
            )
            .and_then(|()| file.sync_all().map_err(io));
            if let Err(error) = written {
                let _ = std::fs::remove_file(&new);
                return Err(error);
            }
            std::fs::rename(&new, path).map_err(io)?;
            Ranks::open(path)
        }
    }
}

/// Creates the file, or empties what a killed process left. Fails if another process is writing it.
fn create_alone(path: &Path) -> Result<File> {
    loop {
        let file = files::open_or_create(path).map_err(io)?;
        if file.try_lock().is_err() {
            let what = "another process computes the ranks of this crawl: wait until it is done";
            return Err(Error::Invalid(what.into()));
        }
        // Between opening and locking, that process may have given its file the final name.
        let is_same = match std::fs::symlink_metadata(path) {
            Ok(there) => there.ino() == file.metadata().map_err(io)?.ino(),
            Err(_) => false,
        };
        if is_same {
            file.set_len(0).map_err(io)?;
            return Ok(file);
        }
    }
}

fn read_edges(
    records: &mut Records,
    directory: &Path,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<(Edges, Edges)> {
    let mut pages = Edges::new(directory, options.memory / 8 * 7);
    let mut hosts = Edges::new(directory, options.memory / 8);
    let mut done = 0u64;
    while let Some(page) = records.next_page()? {
        pages.add_node(&page.key)?;
        if let Some(host) = &page.host {
            hosts.add_node(host)?;
        }
        while let Some(target) = records.next_target()? {
            pages.add_edge(&page.key, &target.key)?;
            if let (Some(from), Some(to)) = (&page.host, &target.other_host) {
                hosts.add_edge(from, to)?;
            }
        }
        done += 1;
        if done.is_multiple_of(PAGES) {
            progress("reading links", done as f64 / records.pages as f64)?;
        }
    }
    Ok((pages, hosts))
}

fn find_names(records: &mut Records, keys: &[Key]) -> Result<FxHashMap<Key, String>> {
    let wanted: FxHashSet<Key> = keys.iter().copied().collect();
    let mut names = FxHashMap::default();
    while let Some((key, name)) = records.next_name()? {
        if wanted.contains(&key) {
            names.insert(key, name);
        }
    }
    Ok(names)
}

#[expect(clippy::too_many_arguments, reason = "the inputs of a file")]
fn write_file(
    file: &File,
    pages: Edges,
    hosts: Edges,
    names: impl FnOnce(&[Key]) -> Result<FxHashMap<Key, String>>,
    directory: &Path,
    note: &[u8],
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<()> {
    let mut output = Output {
        writer: BufWriter::with_capacity(BUFFER, file),
        at: 0,
    };
    output.put(&[0; HEAD])?;
    output.put(note)?;
    let (graph, ranks) = rank(pages, directory, options, progress)?;
    let pages = write(&mut output, &graph, &ranks, options.top, |_| {
        Ok(FxHashMap::default())
    })?;
    drop((graph, ranks));
    let (graph, ranks) = rank(hosts, directory, options, progress)?;
    let hosts = write(&mut output, &graph, &ranks, options.top, names)?;
    let length = output.at;
    output.writer.flush().map_err(io)?;
    drop(output);
    let head = encode_head(note, length, [pages, hosts]);
    let mut file = file;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    file.write_all(&head).map_err(io)
}

fn rank(
    edges: Edges,
    directory: &Path,
    options: &Options,
    progress: &mut Progress<'_>,
) -> Result<(Graph, Converged)> {
    let graph = Graph::build(edges, directory, options, progress)?;
    let ranks = iterate(&graph, directory, options, progress)?;
    Ok((graph, ranks))
}

fn encode_head(note: &[u8], length: u64, tables: [Layout; 2]) -> Vec<u8> {
    let mut head = MAGIC.to_vec();
    let numbers = [FORMAT, note.len() as u64, length].into_iter();
    for number in numbers.chain(tables.into_iter().flat_map(Layout::to_numbers)) {
        head.extend_from_slice(&number.to_le_bytes());
    }
    let checksum = checksum_of(&head, note);
    head.extend_from_slice(&checksum.to_le_bytes());
    head
}

fn checksum_of(head: &[u8], note: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(note);
    hasher.finalize()
}

impl Ranks {
    /// Fails as damaged if the file is not one of ranks, or not complete.
    pub fn open(path: &Path) -> Result<Ranks> {
        Ranks::read(files::open(path).map_err(io)?)
    }

    fn read(file: File) -> Result<Ranks> {
        let length = file.metadata().map_err(io)?.len();
        let mut head = [0; HEAD];
        if length < HEAD as u64 {
            return Err(damaged());
        }
        file.read_exact_at(&mut head, 0).map_err(io)?;
        let (content, checksum) = head.split_at(HEAD - 4);
        let numbers: Vec<u64> = content[8..]
            .as_chunks()
            .0
            .iter()
            .map(|number| u64::from_le_bytes(*number))
            .collect();
        let (tables, _) = numbers[3..].as_chunks::<FIELDS>();
        let ([format, note, written], [pages, hosts]) = (&numbers[..3], tables) else {
            return Err(damaged());
        };
        if content[..8] != *MAGIC
            || *written != length
            || *note > (MOST_NOTE as u64).min(length - HEAD as u64)
        {
            return Err(damaged());
        }
        if *format != FORMAT {
            return Err(Error::Corrupt(format!(
                "the file of ranks has format {format}, and this Hondius reads {FORMAT}"
            )));
        }
        let mut bytes = vec![0; *note as usize];
        file.read_exact_at(&mut bytes, HEAD as u64).map_err(io)?;
        if checksum != checksum_of(content, &bytes).to_le_bytes() {
            return Err(damaged());
        }
        Ok(Ranks {
            pages: RankTable::open(&file, Layout::of_numbers(*pages), length)?,
            hosts: RankTable::open(&file, Layout::of_numbers(*hosts), length)?,
            note: bytes,
            file,
        })
    }

    pub fn note(&self) -> &[u8] {
        &self.note
    }

    pub fn page(&self, key: &Key) -> Result<Option<Ranked>> {
        self.pages.find(&self.file, key)
    }

    pub fn host(&self, name: &str) -> Result<Option<Ranked>> {
        self.hosts.find(&self.file, &hosts::key_of(name))
    }

    /// The percentile that a page of this rank has.
    pub fn percentile_of(&self, rank: f64) -> f64 {
        self.pages.percentile_of(rank)
    }

    /// The lowest rank of a page, approximately: that of one to which nothing links.
    pub fn least(&self) -> f64 {
        self.pages.least()
    }

    /// The pages with the highest ranks.
    pub fn top_pages(&self, most: usize) -> Result<Vec<(Key, Ranked)>> {
        let top = self.pages.top(&self.file, most)?;
        Ok(top
            .into_iter()
            .map(|(key, _, ranked)| (key, ranked))
            .collect())
    }

    /// The hosts with the highest ranks, by name.
    pub fn top_hosts(&self, most: usize) -> Result<Vec<(String, Ranked)>> {
        let top = self.hosts.top(&self.file, most)?;
        Ok(top
            .into_iter()
            .map(|(_, name, ranked)| (name, ranked))
            .collect())
    }

    pub fn of_pages(&self) -> Facts {
        facts_of(&self.pages)
    }

    pub fn of_hosts(&self) -> Facts {
        facts_of(&self.hosts)
    }
}

fn facts_of(table: &RankTable) -> Facts {
    let layout = table.layout();
    Facts {
        nodes: layout.rows,
        edges: layout.edges,
        iterations: layout.iterations,
        change: f64::from_bits(layout.change),
    }
}
