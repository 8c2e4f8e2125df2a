//! Records of requests, for `audit` (P7) and for the clocks of hosts after a crash.
//!
//! One record is appended before the first byte of a request is sent, and another when its answer
//! has ended. Records are not synced: data in the kernel survives `kill -9`. If the record cannot
//! be written, the request is not sent. If no connection is made, both records are appended at that
//! moment, and say that no byte of the request was sent.
//!
//! 64 bytes, little endian: version, flags, kind, 0, port u16, status u16, time f64, key 16,
//! address 16 (IPv4 mapped), host hash u64, 0 u32, CRC-32 of all before.

use std::fs::File;
use std::io::{self, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::path::Path;

use parking_lot::Mutex;

use crate::error::{Error, Result};
use crate::fetched::Kind;
use crate::files;
use crate::url::Key;

pub const RECORD: usize = 64;
const VERSION: u8 = 1;
const ENDED: u8 = 1;
const UNSENT: u8 = 2;
/// The order is part of the format.
const KINDS: [Kind; 4] = [Kind::Page, Kind::Robots, Kind::Sitemap, Kind::Requisite];

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attempt {
    pub ended: bool,
    /// False if no connection was made, so no byte of the request was sent.
    pub sent: bool,
    /// By the process's clock, seconds since the epoch.
    pub at: f64,
    pub key: Key,
    pub host_hash: u64,
    pub address: SocketAddr,
    pub kind: Kind,
    /// 0 at the start of a request, or if there was no answer.
    pub status: u16,
}

impl Attempt {
    pub fn encode(&self) -> [u8; RECORD] {
        let mut record = [0; RECORD];
        let kind = KINDS.iter().position(|kind| *kind == self.kind);
        let address = match self.address.ip() {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        record[0] = VERSION;
        record[1] = if self.ended { ENDED } else { 0 } | if self.sent { 0 } else { UNSENT };
        record[2] = kind.unwrap_or_default() as u8;
        record[4..6].copy_from_slice(&self.address.port().to_le_bytes());
        record[6..8].copy_from_slice(&self.status.to_le_bytes());
        record[8..16].copy_from_slice(&self.at.to_le_bytes());
        record[16..32].copy_from_slice(&self.key);
        record[32..48].copy_from_slice(&address.octets());
        record[48..56].copy_from_slice(&self.host_hash.to_le_bytes());
        let checksum = crc32fast::hash(&record[..60]);
        record[60..].copy_from_slice(&checksum.to_le_bytes());
        record
    }

    fn decode(record: &[u8]) -> Option<Attempt> {
        let checksum = u32::from_le_bytes(field(record, 60)?);
        if checksum != crc32fast::hash(record.get(..60)?) || record[0] != VERSION {
            return None;
        }
        let address = Ipv6Addr::from(field::<16>(record, 32)?).to_canonical();
        let port = u16::from_le_bytes(field(record, 4)?);
        Some(Attempt {
            ended: record[1] & ENDED != 0,
            sent: record[1] & UNSENT == 0,
            at: f64::from_le_bytes(field(record, 8)?),
            key: field(record, 16)?,
            host_hash: u64::from_le_bytes(field(record, 48)?),
            address: SocketAddr::new(address, port),
            kind: *KINDS.get(usize::from(record[2]))?,
            status: u16::from_le_bytes(field(record, 6)?),
        })
    }
}

fn field<const LENGTH: usize>(record: &[u8], offset: usize) -> Option<[u8; LENGTH]> {
    record.get(offset..offset + LENGTH)?.try_into().ok()
}

/// Returns the records of a file, and the bytes that they take. Reading ends at a torn or damaged record.
pub fn read(data: &[u8]) -> (Vec<Attempt>, usize) {
    let attempts: Vec<Attempt> = data
        .chunks_exact(RECORD)
        .map_while(Attempt::decode)
        .collect();
    let length = attempts.len() * RECORD;
    (attempts, length)
}

/// The file that attempts are appended to.
#[derive(Debug)]
pub struct Attempts(Option<Mutex<Records>>);

#[derive(Debug)]
struct Records {
    file: File,
    /// Ends that could not be written because the disk was full. They are written before anything else, so that the
    /// file never shows a new request to a host while an earlier one seems to be in progress.
    owed: Vec<Attempt>,
}

impl Attempts {
    /// With `None` nothing is recorded. A torn tail of an earlier run is cut off.
    pub fn open(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else {
            return Ok(Attempts(None));
        };
        let open = || {
            let file = files::append(path)?;
            cut_torn_tail(&file)?;
            Ok(file)
        };
        open()
            .map(|file| {
                let owed = Vec::new();
                Attempts(Some(Mutex::new(Records { file, owed })))
            })
            .map_err(|error| Error::io(format!("attempts_file {}", path.display()), error))
    }

    /// If this fails, the request must not be sent.
    pub fn begin(&self, attempt: &Attempt) -> io::Result<()> {
        match &self.0 {
            Some(records) => records.lock().write(Some(attempt)),
            None => Ok(()),
        }
    }

    /// The request was sent. If the disk is full now, its end is recorded when there is room.
    pub fn end(&self, attempt: Attempt) {
        self.record_later(&[attempt]);
    }

    /// Records the start and the end of a request for which no connection was made.
    pub fn record_unsent(&self, start: Attempt, end: Attempt) {
        self.record_later(&[start, end]);
    }

    fn record_later(&self, attempts: &[Attempt]) {
        if let Some(records) = &self.0 {
            let mut records = records.lock();
            records.owed.extend_from_slice(attempts);
            let _ = records.write(None);
        }
    }
}

impl Records {
    /// Writes the delayed ends and then this record, in one write(2). After a short write (a full disk) the file is
    /// restored.
    fn write(&mut self, attempt: Option<&Attempt>) -> io::Result<()> {
        let mut bytes = Vec::with_capacity((self.owed.len() + 1) * RECORD);
        for attempt in self.owed.iter().chain(attempt) {
            bytes.extend_from_slice(&attempt.encode());
        }
        let written = self.write_once(&bytes)?;
        if written < bytes.len() {
            // If even this fails, the next opening repairs it.
            let _ = self.shorten(written as u64);
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.owed.clear();
        Ok(())
    }

    fn write_once(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    fn shorten(&self, by: u64) -> io::Result<()> {
        let length = self.file.metadata()?.len();
        self.file.set_len(length.saturating_sub(by))
    }
}

fn cut_torn_tail(file: &File) -> io::Result<()> {
    let length = file.metadata()?.len();
    match length % RECORD as u64 {
        0 => Ok(()),
        torn => file.set_len(length - torn),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(status: u16) -> Attempt {
        Attempt {
            ended: status != 0,
            sent: true,
            at: 1_700_000_000.25,
            key: [9; 16],
            host_hash: 0x0123_4567_89ab_cdef,
            address: ([192, 0, 2, 7], 8080).into(),
            kind: Kind::Sitemap,
            status,
        }
    }

    #[test]
    fn p7_records_read_back_as_they_were_written() {
        let mut data = attempt(0).encode().to_vec();
        let six = Attempt {
            address: "[2001:db8::1]:443".parse().unwrap(),
            ..attempt(404)
        };
        let record_unsent = Attempt {
            sent: false,
            ..attempt(0)
        };
        data.extend_from_slice(&six.encode());
        data.extend_from_slice(&record_unsent.encode());
        assert_eq!(read(&data), (vec![attempt(0), six, record_unsent], 192));
    }

    #[test]
    fn p7_a_torn_or_damaged_tail_is_not_read() {
        let mut data = attempt(0).encode().to_vec();
        data.extend_from_slice(&attempt(200).encode());
        for length in 64..128 {
            assert_eq!(read(&data[..length]).1, 64);
        }
        data[100] ^= 1;
        assert_eq!(read(&data), (vec![attempt(0)], 64));
    }

    #[test]
    fn a_torn_tail_is_cut_before_more_is_appended() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("attempts");
        let mut data = attempt(0).encode().to_vec();
        data.extend_from_slice(&[1; 30]);
        std::fs::write(&path, &data).unwrap();
        let attempts = Attempts::open(Some(&path)).unwrap();
        attempts.begin(&attempt(200)).unwrap();
        let (found, length) = read(&std::fs::read(&path).unwrap());
        assert_eq!((found, length), (vec![attempt(0), attempt(200)], 128));
    }

    /// `/dev/full` accepts no byte, like a full disk.
    #[cfg(target_os = "linux")]
    #[test]
    fn s5_an_end_without_room_is_recorded_before_the_next_request_p7() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("attempts");
        let open = |path: &Path| {
            std::fs::OpenOptions::new()
                .append(true)
                .create(true)
                .open(path)
        };
        let owed = Vec::new();
        let mut records = Records {
            file: open(Path::new("/dev/full")).unwrap(),
            owed,
        };
        records.owed.push(attempt(200));
        assert!(records.write(None).is_err());
        assert!(records.write(Some(&attempt(0))).is_err());
        records.file = open(&path).unwrap();
        records.write(Some(&attempt(0))).unwrap();
        let (found, _) = read(&std::fs::read(&path).unwrap());
        assert_eq!(found, vec![attempt(200), attempt(0)]);
    }
}
