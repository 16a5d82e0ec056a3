//! Groups: tables from keys of one or many values to counts and accumulators.
//!
//! A key is looked up by the bytes of its values ([`ndskim::Key::encode`]); only a new one is allocated. The hash is seeded at
//! random, so that keys made to collide do not. A question that only counts by one field uses the library's own [`CountTable`].

use ahash::RandomState;
use hashbrown::HashTable;
use ndskim::{CountTable, Key};

use crate::aggregate::State;

/// Where records are counted.
pub(crate) enum Table {
    Plain(CountTable),
    Groups(GroupTable),
}

/// Counts and accumulators by key.
pub(crate) struct GroupTable {
    index: HashTable<usize>,
    groups: Vec<Entry>,
    hasher: RandomState,
}

struct Entry {
    key: Box<[u8]>,
    count: u64,
    states: Vec<State>,
}

/// One group.
pub(crate) struct Group {
    pub(crate) key: Vec<Key>,
    pub(crate) count: u64,
    pub(crate) states: Vec<State>,
}

/// All groups, in no order.
pub(crate) type Groups = Vec<Group>;

impl Table {
    pub(crate) fn new(plain: bool, hasher: &RandomState) -> Self {
        if plain {
            return Table::Plain(CountTable::new());
        }
        Table::Groups(GroupTable { index: HashTable::new(), groups: Vec::new(), hasher: hasher.clone() })
    }

    pub(crate) fn merged(self, other: Self) -> Self {
        match (self, other) {
            (Table::Plain(mine), Table::Plain(other)) => Table::Plain(mine.merged(other)),
            (Table::Groups(mine), Table::Groups(other)) => Table::Groups(mine.merged(other)),
            (mine, _) => {
                debug_assert!(false, "all workers of a scan count alike");
                mine
            }
        }
    }

    /// The groups, with keys of so many values. Without any there is one group, counted or not.
    pub(crate) fn into_groups(self, values: usize, states: impl Fn() -> Vec<State>) -> Groups {
        let mut groups: Groups = match self {
            Table::Plain(counts) => {
                let group = |(key, count): (&Key, u64)| Group { key: vec![key.clone()], count, states: Vec::new() };
                return counts.iter().map(group).collect();
            }
            Table::Groups(table) => {
                let group = |Entry { key, count, states }| Group { key: decode(&key, values), count, states };
                table.groups.into_iter().map(group).collect()
            }
        };
        if values == 0 && groups.is_empty() {
            groups.push(Group { key: Vec::new(), count: 0, states: states() });
        }
        groups
    }
}

/// The values of a key: the whole of it if there is one, else each behind its length.
fn decode(key: &[u8], values: usize) -> Vec<Key> {
    if values == 1 {
        return vec![Key::from_encoded(key)];
    }
    let mut rest = key;
    let mut keys = Vec::with_capacity(values);
    while let Some((length, behind)) = rest.split_first_chunk::<8>() {
        let (value, behind) = behind.split_at(u64::from_le_bytes(*length) as usize);
        keys.push(Key::from_encoded(value));
        rest = behind;
    }
    keys
}

impl GroupTable {
    /// Appends one of so many values to a key.
    pub(crate) fn encode<E>(
        &self,
        key: &mut Vec<u8>,
        values: usize,
        append: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        if values == 1 {
            return append(key);
        }
        let start = key.len();
        key.extend_from_slice(&[0; 8]);
        append(key)?;
        let length = (key.len() - start - 8) as u64;
        key[start..start + 8].copy_from_slice(&length.to_le_bytes());
        Ok(())
    }

    /// Counts one under a key; tells which group that is.
    pub(crate) fn count(&mut self, key: &[u8], states: impl FnOnce() -> Vec<State>) -> usize {
        let group = self.find(key, |_| (key.into(), states()));
        self.groups[group].count += 1;
        group
    }

    /// An accumulator of a group.
    pub(crate) fn state(&mut self, group: usize, number: usize) -> &mut State {
        &mut self.groups[group].states[number]
    }

    /// The group of a key; made of what `new` says if it is not there.
    fn find(&mut self, key: &[u8], new: impl FnOnce(&[u8]) -> (Box<[u8]>, Vec<State>)) -> usize {
        let Self { index, groups, hasher } = self;
        let hash = hasher.hash_one(key);
        if let Some(group) = index.find(hash, |group| *groups[*group].key == *key) {
            return *group;
        }
        let (owned, states) = new(key);
        groups.push(Entry { key: owned, count: 0, states });
        index.insert_unique(hash, groups.len() - 1, |group| hasher.hash_one(&*groups[*group].key));
        groups.len() - 1
    }

    fn merged(mut self, mut other: Self) -> Self {
        if self.groups.len() < other.groups.len() {
            std::mem::swap(&mut self, &mut other);
        }
        for Entry { key, count, states } in other.groups {
            let mut states = Some(states);
            let group = self.find(&key, |key| (key.into(), states.take().unwrap_or_default()));
            self.groups[group].count += count;
            for (mine, other) in self.groups[group].states.iter_mut().zip(states.into_iter().flatten()) {
                mine.merge(other);
            }
        }
        self
    }
}
