//! The tree of tests and of the simulation: nothing outlives the process.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use parking_lot::RwLock;

use super::tree::{Batch, Tree, Visit};
use crate::error::Result;

#[derive(Debug, Default)]
pub struct MemoryTree {
    rows: RwLock<BTreeMap<Vec<u8>, Vec<u8>>>,
}

impl Tree for MemoryTree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.rows.read().get(key).cloned())
    }

    fn scan(&self, from: &[u8], to: &[u8], visit: &mut Visit<'_>) -> Result<()> {
        let rows = self.rows.read();
        for (key, value) in rows.range::<[u8], _>((Bound::Included(from), Bound::Excluded(to))) {
            if let ControlFlow::Break(()) = visit(key, value)? {
                break;
            }
        }
        Ok(())
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        let mut rows = self.rows.write();
        for (key, value) in batch.sorted() {
            match value {
                Some(value) => rows.insert(key.to_vec(), value.to_vec()),
                None => rows.remove(key),
            };
        }
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }

    fn bytes_on_disk(&self) -> u64 {
        0
    }
}
