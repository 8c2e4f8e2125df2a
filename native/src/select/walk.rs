//! Finds the elements of a subtree that a selector matches, in one pass.

use super::compound::Asked;
use super::{Combinator, Positions, Selector, TooMuch, Work};
use crate::html::tree::{DOCUMENT, Id, Tree};

/// Where a selector searches.
pub(crate) struct Search<'t> {
    pub tree: &'t Tree,
    /// Needed by selectors that say so.
    pub positions: Option<&'t Positions>,
    /// Only its descendants are searched, and only they and itself count; itself is found by `:scope` alone.
    pub scope: Id,
    /// Results after which it ends.
    pub most: usize,
}

/// Which steps of the selector matched, a bit for each: for the elements that decide about the children of one parent.
#[derive(Clone, Copy, Default)]
struct Notes {
    parent: u64,
    ancestors: u64,
    previous: u64,
    siblings: u64,
}

impl Search<'_> {
    /// In document order.
    pub fn find(&self, selector: &Selector, work: &mut Work) -> Result<Vec<Id>, TooMuch> {
        let mut found = Vec::new();
        let tree = self.tree;
        let own = self.judge(selector, self.scope, Notes::default(), work)?;
        if is_result(selector, own) {
            found.push(self.scope);
        }
        let mut notes = vec![Notes {
            parent: own,
            ancestors: own,
            ..Notes::default()
        }];
        let mut next = tree.first_child(self.scope);
        while let (Some(id), Some(here)) = (next, notes.last_mut()) {
            if found.len() >= self.most {
                break;
            }
            work.take(1)?;
            let first = tree.first_child(id);
            let matched = self.judge(selector, id, *here, work)?;
            if is_result(selector, matched) {
                found.push(id);
            }
            if tree.element(id).is_some() {
                here.previous = matched;
                here.siblings |= matched;
            }
            if first.is_some() {
                let below = Notes {
                    parent: matched,
                    ancestors: here.ancestors | matched,
                    ..Notes::default()
                };
                notes.push(below);
            }
            next = first.or_else(|| self.leave(id, &mut notes));
        }
        found.truncate(self.most);
        Ok(found)
    }

    /// The node after a subtree; the notes of elements that end with it are dropped.
    fn leave(&self, mut id: Id, notes: &mut Vec<Notes>) -> Option<Id> {
        loop {
            if let Some(sibling) = self.tree.next_sibling(id) {
                return Some(sibling);
            }
            id = self.tree.parent(id)?;
            notes.pop();
            if id == self.scope || id == DOCUMENT {
                return None;
            }
        }
    }

    fn judge(
        &self,
        selector: &Selector,
        id: Id,
        notes: Notes,
        work: &mut Work,
    ) -> Result<u64, TooMuch> {
        let Some(element) = self.tree.element(id) else {
            return Ok(0);
        };
        let asked = Asked {
            tree: self.tree,
            positions: self.positions,
            scope: self.scope,
            id,
            element,
        };
        let mut matched = 0u64;
        for (index, step) in selector.steps.iter().enumerate() {
            let before = 1u64.checked_shl(index.wrapping_sub(1) as u32).unwrap_or(0);
            let may_match = match step.combinator {
                Combinator::First => id != self.scope || step.compound.names_scope(),
                Combinator::Descendant => notes.ancestors & before != 0,
                Combinator::Child => notes.parent & before != 0,
                Combinator::NextSibling => notes.previous & before != 0,
                Combinator::LaterSibling => notes.siblings & before != 0,
            };
            if may_match && step.compound.matches(&asked, work)? {
                matched |= 1 << index;
            }
        }
        Ok(matched)
    }
}

fn is_result(selector: &Selector, matched: u64) -> bool {
    let mut steps = selector.steps.iter().enumerate();
    matched != 0 && steps.any(|(index, step)| step.is_last && matched >> index & 1 == 1)
}
