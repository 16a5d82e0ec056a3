//! A projection prepared for looking at 64 entries at once.
//!
//! What goes in: the scan's [`Projection`]. What comes out: the same trie with each key in a form that is quick to compare.
//! It must never decide whether a token like `0` is a key or an index: that depends on the container met.

use crate::pointer::Projection;

/// The trie of a projection; the first node stands for the record.
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    slots: usize,
}

/// A value on the way to some field, or a field itself.
pub(super) struct Node {
    /// The fields whose value this is.
    pub(super) slots: Vec<usize>,
    /// The edges of this node, in [`Plan::edges`].
    pub(super) first_edge: usize,
    pub(super) edge_count: usize,
    /// Edges whose token may be an array's index, with the index, in its order.
    pub(super) by_index: Vec<(usize, usize)>,
}

/// A token of a pointer.
pub(super) struct Edge {
    /// The token, unescaped.
    pub(super) key: Box<[u8]>,
    /// The length of the key; more than any key has if it cannot stand in a text without escapes.
    pub(super) plain_len: usize,
    /// The first 16 bytes of the key, and ones where they count.
    pub(super) word: u128,
    pub(super) mask: u128,
    /// The distance from the bracket or comma before the key to the colon behind it, without spaces. Wraps for keys that
    /// are longer than a window, which no tape holds.
    pub(super) distance: u16,
    pub(super) child: usize,
}

impl Plan {
    /// The plan of a projection; none if it asks for nothing.
    pub(super) fn new(projection: &Projection) -> Option<Self> {
        if projection.is_empty() {
            return None;
        }
        let mut plan = Self { nodes: Vec::new(), edges: Vec::new(), slots: projection.len() };
        for node in projection.nodes() {
            let first_edge = plan.edges.len();
            plan.edges.extend(node.edges.iter().map(|edge| Edge::new(edge.key.clone(), edge.node)));
            let numbered = node.edges.iter().enumerate();
            let mut by_index: Vec<_> =
                numbered.filter_map(|(at, edge)| Some((usize::try_from(edge.index?).ok()?, first_edge + at))).collect();
            by_index.sort_unstable();
            plan.nodes.push(Node { slots: node.slots.clone(), first_edge, edge_count: node.edges.len(), by_index });
        }
        Some(plan)
    }

    /// Whether every pointer is a single key, or none at all.
    pub(super) fn is_flat(&self) -> bool {
        self.nodes[0].edge_count == self.edges.len()
    }

    /// How many fields there are.
    pub(super) fn slots(&self) -> usize {
        self.slots
    }
}

impl Edge {
    fn new(key: Box<[u8]>, child: usize) -> Self {
        let (mut word, mut mask) = ([0; 16], [0; 16]);
        let len = key.len().min(16);
        word[..len].copy_from_slice(&key[..len]);
        mask[..len].fill(0xff);
        Self {
            plain_len: if key.contains(&b'"') { usize::MAX } else { key.len() },
            word: u128::from_le_bytes(word),
            mask: u128::from_le_bytes(mask),
            distance: (key.len() + 3) as u16,
            child,
            key,
        }
    }
}
