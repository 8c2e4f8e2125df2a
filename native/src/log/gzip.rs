//! Compresses a buffer into one gzip member.

use libdeflater::{CompressionLvl, Compressor};

use crate::error::{Error, Result};

/// Half the time of zlib's fastest level, and 10 % smaller. Higher levels gain little: keys do not compress at all.
const LEVEL: i32 = 1;

/// Compresses `data` into one gzip member without a name or a time: equal input gives equal output.
pub fn member(data: &[u8]) -> Result<Vec<u8>> {
    let level = CompressionLvl::new(LEVEL).unwrap_or_default();
    let mut compressor = Compressor::new(level);
    let mut made = vec![0; compressor.gzip_compress_bound(data.len())];
    let length = compressor
        .gzip_compress(data, &mut made)
        .map_err(|_| Error::Invalid(String::from("a segment could not be compressed")))?;
    made.truncate(length);
    Ok(made)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::MultiGzDecoder;

    use super::member;

    #[test]
    fn members_one_after_the_other_read_as_their_contents_joined() {
        let contents: [&[u8]; 4] = [b"", b"a", &[0; 3 << 20], b"names, names, names"];
        let joined: Vec<u8> = contents
            .iter()
            .flat_map(|content| member(content).unwrap())
            .collect();
        let mut read = Vec::new();
        MultiGzDecoder::new(joined.as_slice())
            .read_to_end(&mut read)
            .unwrap();
        assert_eq!(read, contents.concat());
    }

    #[test]
    fn equal_bytes_give_equal_members() {
        assert_eq!(member(b"frame").unwrap(), member(b"frame").unwrap());
    }
}
