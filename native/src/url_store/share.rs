//! The share of a partition: the URLs of some registrable domains.

use sha2::{Digest, Sha256};

use crate::url::{host_of_origin, registrable_domain, split_origin};

/// One partition of several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    pub partition: u32,
    pub partitions: u32,
}

impl Share {
    pub(super) fn owns(self, href: &str) -> bool {
        partition_of_url(href, self.partitions) == self.partition
    }
}

/// The partition of a URL. A URL that is not absolute has no host: it belongs to the partition of the empty name.
pub fn partition_of_url(href: &str, partitions: u32) -> u32 {
    let host = split_origin(href).map_or("", |(origin, _)| host_of_origin(origin));
    partition_of(host, partitions)
}

/// The partition of a host: that of its registrable domain. Addresses and names without a suffix are their own domain.
pub fn partition_of(host: &str, partitions: u32) -> u32 {
    let domain = registrable_domain(host).unwrap_or(host);
    let digest = Sha256::digest(domain.as_bytes());
    let first = digest.first_chunk().copied().unwrap_or_default();
    let partition = u64::from_be_bytes(first) % u64::from(partitions.max(1));
    u32::try_from(partition).unwrap_or_default()
}
