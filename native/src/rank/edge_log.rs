//! What pages link to, in the order in which the pages are added.
//!
//! A record is the key of a page, the key of its host, the number of its links, and for each link the key of its
//! target, and whether that is on another host, whose key follows. The newest records are in memory, the others in an
//! unnamed file. A second file has the names of hosts.

use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::hosts::Hosts;
use super::{io, scratch_file};
use crate::error::Result;
use crate::page::{Link, LinkKind, directive};
use crate::url::{Key, host_of_origin, split_origin};

/// Bytes of records in memory.
const MOST_BUFFERED: usize = 1024 * 1024;
const READ_AT_ONCE: usize = 256 * 1024;
const KEY: usize = size_of::<Key>();
const SAME_HOST: u8 = 0;
const OTHER_HOST: u8 = 1;
/// The host is unknown: the edge is none of the graph of hosts.
const NO_HOST: u8 = 2;

/// Whether a link passes rank on: it leads to a page, and its page vouches for it.
pub fn counts(link: &Link, directives: u8, follow_nofollow: bool) -> bool {
    let leads_to_page = !matches!(
        link.kind,
        LinkKind::Media | LinkKind::Script | LinkKind::Sitemap
    );
    let is_followed = follow_nofollow || (link.rel == 0 && directives & directive::NOFOLLOW == 0);
    leads_to_page && is_followed
}

pub struct EdgeLog {
    directory: PathBuf,
    follow_nofollow: bool,
    buffer: Vec<u8>,
    records: Spool,
    names: Spool,
    hosts: Hosts,
    /// Pages that were added.
    pages: u64,
    edges: u64,
}

/// An unnamed file, and its length.
#[derive(Default)]
struct Spool {
    file: Option<File>,
    length: u64,
}

impl Spool {
    fn append(&mut self, directory: &Path, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(scratch_file(directory)?),
        };
        // At its known end: after a full disk there may be half a record behind it.
        file.write_all_at(bytes, self.length).map_err(io)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    fn snapshot(&self) -> Result<Snapshot> {
        let file = self.file.as_ref().map(File::try_clone).transpose();
        Ok(Snapshot {
            file: file.map_err(io)?,
            length: self.length,
            at: 0,
        })
    }
}

/// A file as it was, to be read from its start.
struct Snapshot {
    file: Option<File>,
    length: u64,
    at: u64,
}

impl Read for Snapshot {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let left = (self.length - self.at).min(into.len() as u64) as usize;
        let Some(file) = self.file.as_ref().filter(|_| left > 0) else {
            return Ok(0);
        };
        let read = file.read_at(&mut into[..left], self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl EdgeLog {
    pub fn new(directory: &Path, follow_nofollow: bool) -> Self {
        EdgeLog {
            directory: directory.to_owned(),
            follow_nofollow,
            buffer: Vec::new(),
            records: Spool::default(),
            names: Spool::default(),
            hosts: Hosts::default(),
            pages: 0,
            edges: 0,
        }
    }

    pub fn pages(&self) -> u64 {
        self.pages
    }

    pub fn edges(&self) -> u64 {
        self.edges
    }

    /// Adds a page with its links.
    pub fn add_page(&mut self, key: Key, href: &str, directives: u8, links: &[Link]) -> Result<()> {
        let host = self.find_host(href)?;
        let start = self.begin(key, host);
        let mut count = 0u32;
        for link in links {
            if counts(link, directives, self.follow_nofollow) && link.key != key {
                let target = self.find_host(&link.href)?;
                self.put_target(link.key, host, target);
                count += 1;
            }
        }
        self.end(start, count)
    }

    /// Adds a page that redirects: all its mass goes to the target.
    pub fn add_redirect(&mut self, key: Key, href: &str, target: Key, to: &str) -> Result<()> {
        let (host, target_host) = (self.find_host(href)?, self.find_host(to)?);
        let start = self.begin(key, host);
        let count = u32::from(target != key);
        if count > 0 {
            self.put_target(target, host, target_host);
        }
        self.end(start, count)
    }

    /// Adds edges between pages whose hosts are unknown: source and target. Neighbours of one source are one page.
    pub fn add_edges(&mut self, pairs: &[(Key, Key)]) -> Result<()> {
        for same in pairs.chunk_by(|(left, _), (right, _)| left == right) {
            let source = same[0].0;
            let start = self.begin(source, None);
            let mut count = 0u32;
            for (_, target) in same.iter().filter(|(_, target)| *target != source) {
                self.put_target(*target, None, None);
                count += 1;
            }
            self.end(start, count)?;
        }
        Ok(())
    }

    fn find_host(&mut self, href: &str) -> Result<Option<Key>> {
        let Some((origin, _)) = split_origin(href) else {
            return Ok(None);
        };
        let host = host_of_origin(origin);
        let (key, is_new) = self.hosts.find(host);
        if is_new && let Ok(length) = u16::try_from(host.len()) {
            let mut row = key.to_vec();
            row.extend_from_slice(&length.to_le_bytes());
            row.extend_from_slice(host.as_bytes());
            self.names.append(&self.directory, &row)?;
        }
        Ok(Some(key))
    }

    /// Begins a record. Returns where its number of links belongs.
    fn begin(&mut self, key: Key, host: Option<Key>) -> usize {
        self.buffer.extend_from_slice(&key);
        self.buffer.push(host.map_or(NO_HOST, |_| OTHER_HOST));
        self.buffer.extend_from_slice(&host.unwrap_or_default());
        self.buffer.extend_from_slice(&[0; 4]);
        self.buffer.len() - 4
    }

    fn put_target(&mut self, key: Key, from: Option<Key>, to: Option<Key>) {
        self.buffer.extend_from_slice(&key);
        match to {
            Some(host) if from != to => {
                self.buffer.push(OTHER_HOST);
                self.buffer.extend_from_slice(&host);
            }
            Some(_) => self.buffer.push(SAME_HOST),
            None => self.buffer.push(NO_HOST),
        }
    }

    fn end(&mut self, start: usize, count: u32) -> Result<()> {
        self.buffer[start..start + 4].copy_from_slice(&count.to_le_bytes());
        self.pages += 1;
        self.edges += u64::from(count);
        match self.buffer.len() >= MOST_BUFFERED {
            true => self.spill(),
            false => Ok(()),
        }
    }

    fn spill(&mut self) -> Result<()> {
        self.records.append(&self.directory, &self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// What was added so far: it can be read while more is added.
    pub fn read(&mut self) -> Result<Records> {
        self.spill()?;
        Ok(Records {
            reader: BufReader::with_capacity(READ_AT_ONCE, self.records.snapshot()?),
            names: BufReader::with_capacity(READ_AT_ONCE, self.names.snapshot()?),
            left: 0,
            pages: self.pages,
        })
    }
}

/// A record, without its links.
pub struct Head {
    pub key: Key,
    pub host: Option<Key>,
}

pub struct Target {
    pub key: Key,
    /// Its host, if that is known and another one.
    pub other_host: Option<Key>,
}

pub struct Records {
    reader: BufReader<Snapshot>,
    names: BufReader<Snapshot>,
    /// Links of the current record that were not read yet.
    left: u32,
    pub pages: u64,
}

impl Records {
    /// The next page. The links of the one before must have been read.
    pub fn next_page(&mut self) -> Result<Option<Head>> {
        let mut head = [0; KEY + 1 + KEY + 4];
        if self.reader.get_ref().at == self.reader.get_ref().length
            && self.reader.buffer().is_empty()
        {
            return Ok(None);
        }
        self.reader.read_exact(&mut head).map_err(io)?;
        let (key, rest) = head.split_at(KEY);
        let (host, count) = rest[1..].split_at(KEY);
        self.left = count
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u32::from(*byte));
        let has_host = rest[0] == OTHER_HOST;
        Ok(Some(Head {
            key: to_key(key),
            host: has_host.then(|| to_key(host)),
        }))
    }

    pub fn next_target(&mut self) -> Result<Option<Target>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut row = [0; KEY + 1];
        self.reader.read_exact(&mut row).map_err(io)?;
        let other_host = match row[KEY] {
            OTHER_HOST => {
                let mut host = Key::default();
                self.reader.read_exact(&mut host).map_err(io)?;
                Some(host)
            }
            _ => None,
        };
        Ok(Some(Target {
            key: to_key(&row[..KEY]),
            other_host,
        }))
    }

    /// The next host that was seen, with its name; some come more than once.
    pub fn next_name(&mut self) -> Result<Option<(Key, String)>> {
        if self.names.get_ref().at == self.names.get_ref().length && self.names.buffer().is_empty()
        {
            return Ok(None);
        }
        let mut row = [0; KEY + 2];
        self.names.read_exact(&mut row).map_err(io)?;
        let mut name = vec![0; usize::from(u16::from_le_bytes([row[KEY], row[KEY + 1]]))];
        self.names.read_exact(&mut name).map_err(io)?;
        Ok(Some((
            to_key(&row[..KEY]),
            String::from_utf8_lossy(&name).into_owned(),
        )))
    }
}

fn to_key(bytes: &[u8]) -> Key {
    let mut key = Key::default();
    key.copy_from_slice(bytes);
    key
}
