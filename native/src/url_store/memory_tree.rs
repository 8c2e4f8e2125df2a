//! The tree of tests and of the simulation: like a file it outlives the stores that use it, but not the process.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};

use parking_lot::RwLock;

use super::rows::{ChunkId, Part};
use super::tree::{Batch, Tree, Visit, VisitChunk, VisitKey};
use crate::error::Result;

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;
type Changes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

#[derive(Debug, Default)]
pub struct MemoryTree {
    rows: RwLock<Rows>,
    /// The batches that survive a kill. `None` if kills are not simulated.
    durable: Option<RwLock<Synced>>,
}

#[derive(Debug, Default)]
struct Synced {
    rows: Rows,
    /// Later batches, in order.
    unsynced: Vec<Changes>,
}

impl MemoryTree {
    /// A tree that can lose unsynced batches.
    pub fn losing() -> Self {
        MemoryTree {
            durable: Some(RwLock::default()),
            ..MemoryTree::default()
        }
    }

    /// Number of batches that a kill may lose.
    pub fn unsynced(&self) -> usize {
        let durable = self.durable.as_ref();
        durable.map_or(0, |durable| durable.read().unsynced.len())
    }

    /// Simulates a kill or a power failure: of the unsynced batches only the first `kept` survive. No store may be
    /// using the tree.
    pub fn lose(&self, kept: usize) {
        let Some(durable) = &self.durable else {
            return;
        };
        let mut durable = durable.write();
        let Synced { rows, unsynced } = &mut *durable;
        for changes in unsynced.drain(..).take(kept) {
            apply(rows, changes);
        }
        self.rows.write().clone_from(rows);
    }
}

fn apply(rows: &mut Rows, changes: Changes) {
    for (key, value) in changes {
        match value {
            Some(value) => rows.insert(key, value),
            None => rows.remove(&key),
        };
    }
}

impl Tree for MemoryTree {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        Ok(self.rows.read().get(key).cloned())
    }

    fn get_saved(&self, key: &[u8]) -> Result<Option<Vec<u8>>> {
        match &self.durable {
            Some(durable) => Ok(durable.read().rows.get(key).cloned()),
            None => self.get(key),
        }
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

    fn visit_keys(&self, from: &[u8], to: &[u8], visit: &mut VisitKey<'_>) -> Result<()> {
        self.scan(from, to, &mut |key, _| visit(key))
    }

    fn visit_chunks(&self, from: ChunkId, visit: &mut VisitChunk<'_>) -> Result<()> {
        let (first, end) = (from.key(Part::Urls), from.end_of_class());
        self.scan(&first, &end, &mut |key, value| match ChunkId::parse(key)? {
            (chunk, Part::Urls) => visit(chunk, value),
            (_, Part::Finished) => Ok(ControlFlow::Continue(())),
        })
    }

    fn write(&self, batch: &Batch) -> Result<()> {
        let changes: Changes = batch
            .changes()
            .map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec)))
            .collect();
        if let Some(durable) = &self.durable {
            durable.write().unsynced.push(changes.clone());
        }
        apply(&mut self.rows.write(), changes);
        Ok(())
    }

    fn sync(&self) -> Result<()> {
        if let Some(durable) = &self.durable {
            let mut durable = durable.write();
            let Synced { rows, unsynced } = &mut *durable;
            for changes in unsynced.drain(..) {
                apply(rows, changes);
            }
        }
        Ok(())
    }

    fn bytes_on_disk(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn insert(tree: &MemoryTree, key: &[u8]) {
        let mut batch = Batch::default();
        batch.insert(key, key);
        tree.write(&batch).unwrap();
    }

    #[test]
    fn older_batches_survive_a_kill_before_younger_ones() {
        let tree = MemoryTree::losing();
        insert(&tree, b"synced");
        tree.sync().unwrap();
        insert(&tree, b"older");
        insert(&tree, b"younger");
        assert_eq!(tree.unsynced(), 2);
        tree.lose(1);
        let has = |key: &[u8]| tree.get(key).unwrap().is_some();
        assert!(has(b"synced") && has(b"older") && !has(b"younger"));
        tree.lose(0);
        assert!(has(b"older"), "what survived once is durable");
    }
}
