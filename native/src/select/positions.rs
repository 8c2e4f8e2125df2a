//! Where each element is among its siblings, for `:nth-child()` and its relatives. Computed once for a page, if needed.

use html5ever::LocalName;
use rustc_hash::FxHashMap;

use crate::html::tree::{DOCUMENT, Id, Tree};

/// Positions that count from 1.
#[derive(Debug, Clone, Copy, Default)]
pub struct Position {
    pub from_start: u32,
    pub from_end: u32,
    /// The same among siblings of the same name.
    pub of_type_from_start: u32,
    pub of_type_from_end: u32,
}

pub struct Positions(Vec<Position>);

impl Positions {
    pub fn new(tree: &Tree) -> Self {
        let mut positions = Positions(vec![Position::default(); tree.len()]);
        let mut next = Some(DOCUMENT);
        while let Some(id) = next {
            positions.count_children(tree, id);
            next = tree.next_node(id);
        }
        positions
    }

    pub fn of(&self, id: Id) -> Position {
        self.0.get(id as usize).copied().unwrap_or_default()
    }

    fn count_children(&mut self, tree: &Tree, parent: Id) {
        let children: Vec<(Id, &LocalName)> = children(tree, parent)
            .filter_map(|id| Some((id, &tree.element(id)?.name.local)))
            .collect();
        let mut by_name: FxHashMap<&LocalName, u32> = FxHashMap::default();
        for (index, (id, name)) in children.iter().enumerate() {
            let of_type = by_name.entry(name).or_default();
            *of_type += 1;
            self.0[*id as usize] = Position {
                from_start: index as u32 + 1,
                from_end: (children.len() - index) as u32,
                of_type_from_start: *of_type,
                of_type_from_end: 0,
            };
        }
        for (id, name) in &children {
            let position = &mut self.0[*id as usize];
            let all = by_name.get(name).copied().unwrap_or_default();
            position.of_type_from_end = all + 1 - position.of_type_from_start;
        }
    }
}

pub fn children(tree: &Tree, parent: Id) -> impl Iterator<Item = Id> {
    std::iter::successors(tree.first_child(parent), |id| tree.next_sibling(*id))
}
