//! Archives that others made: any bytes end, and every record begins after the one before.

use std::io::{Seek, SeekFrom, Write};
use std::sync::Mutex;
use std::time::Duration;

use hondius_native::warc::ForeignArchive;
use tempfile::NamedTempFile;

use super::sitemap::gzipped;
use super::{Target, Verdict, choice, must};

const CAP: usize = 64 * 1024;

/// The reader takes a path; one file serves all inputs.
pub struct ForeignArchives(Mutex<NamedTempFile>);

impl ForeignArchives {
    pub fn new() -> Self {
        ForeignArchives(Mutex::new(NamedTempFile::new().expect("a file")))
    }
}

impl Target for ForeignArchives {
    fn name(&self) -> &'static str {
        "foreign"
    }

    fn seeds(&self) -> Vec<Vec<u8>> {
        let record = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://a.test/>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n\
                      Content-Type: application/http; msgtype=response\r\nContent-Length: 23\r\n\r\nHTTP/1.1 200 OK\r\n\r\nbody\r\n\r\n";
        let packed = gzipped(record.as_bytes());
        vec![
            format!("\0{record}{record}").into_bytes(),
            format!("\x01{record}{record}").into_bytes(),
            [&[0][..], &packed, &packed, &packed[..40], &packed].concat(),
        ]
    }

    fn tokens(&self) -> &'static [&'static str] {
        &[
            "WARC/1.0\r\n",
            "\r\nWARC/1.1\r\n",
            "Content-Length: 0\r\n",
            "Content-Length: 99999\r\n",
            "Content-Length: 1e9\r\n",
            "\r\n\r\n",
            "WARC-Type: revisit\r\n",
            "WARC-Type: resource\r\n",
            "Content-Type: text/html\r\n",
            "\x1f",
            "\x08\0\0",
            "WARC-Date: ",
            "2026-01-01T00:00:00Z",
            "HTTP/1.1 200 OK\r\n",
        ]
    }

    fn ceiling(&self) -> Duration {
        Duration::from_millis(100)
    }

    fn run(&self, input: &[u8]) -> Verdict {
        let (way, rest) = choice(input);
        let data = if way % 2 == 1 {
            gzipped(rest)
        } else {
            rest.to_vec()
        };
        let mut file = self.0.lock().map_err(|_| "lock: poisoned".to_owned())?;
        let written = file.as_file().set_len(0).and_then(|()| {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&data)
        });
        written.map_err(|error| format!("disk: {error}"))?;
        let mut archive =
            ForeignArchive::open(file.path(), CAP).map_err(|error| format!("open: {error}"))?;
        let mut last = None;
        while let Some(record) = archive.read().map_err(|error| format!("read: {error}"))? {
            must(record.block.len() <= CAP, || "cap: of a block".into())?;
            // Records of one gzip member have its offset.
            must(last.is_none_or(|last| record.offset >= last), || {
                "order: of offsets".into()
            })?;
            must(record.offset <= data.len() as u64, || {
                "offset: beyond the file".into()
            })?;
            last = Some(record.offset);
            let (head, body) = record.split();
            must(head.len() + body.len() <= 2 * CAP, || {
                "cap: of an answer".into()
            })?;
            drop((record.target(), record.date(), record.text("warc-type")));
        }
        let (at, size) = archive.progress();
        must(at == size, || format!("end: at {at} of {size}"))
    }
}
