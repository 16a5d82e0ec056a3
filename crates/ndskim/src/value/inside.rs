//! The values inside a container, one after the other.
//!
//! In goes a container in any form of a value; out come its elements or members, each found when it is asked for. Behind the
//! first error nothing comes any more.

use super::{Repr, Result, Value};
use crate::engine::full::tape::{SpotElements, SpotMembers};
use crate::engine::simd_json::tape::Children;
use crate::padded::Text;
use crate::skim;

/// The way from value to value inside a container.
pub(super) enum Steps<'a> {
    Text(Text<'a>, skim::Walk),
    Members(SpotMembers<'a>),
    Elements(SpotElements<'a>),
    Nodes(Children<'a>),
}

/// An iterator over the elements of an array; see [`Value::elements`]. It ends after the first error.
pub struct Elements<'a> {
    value: Value<'a>,
    steps: Steps<'a>,
    done: bool,
}

impl<'a> Elements<'a> {
    pub(super) fn new(value: Value<'a>, steps: Steps<'a>) -> Self {
        Self { value, steps, done: false }
    }
}

impl<'a> Iterator for Elements<'a> {
    type Item = Result<Value<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = match &mut self.steps {
            Steps::Nodes(children) => Ok(children.next().map(Repr::Node)),
            Steps::Elements(elements) => Ok(elements.next().map(Repr::Tape)),
            // Members are not walked as elements.
            Steps::Members(_) => Ok(None),
            Steps::Text(text, walk) => skim::next_element(self.value.context.kernel, walk, *text)
                .map(|element| element.map(|at| Repr::Text(text.from(at)))),
        };
        let next = self.value.checked(next).transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next.map(|repr| repr.map(|repr| self.value.with(repr)))
    }
}

/// An iterator over the members of an object; see [`Value::members`]. It ends after the first error.
pub struct Members<'a> {
    value: Value<'a>,
    steps: Steps<'a>,
    done: bool,
}

impl<'a> Members<'a> {
    pub(super) fn new(value: Value<'a>, steps: Steps<'a>) -> Self {
        Self { value, steps, done: false }
    }

    /// Goes on to the next member that has one of these keys, of which there is at least one: which key it has, and its value.
    /// Members in between are not looked at.
    #[cfg(feature = "serde")]
    #[inline(always)]
    pub(crate) fn next_with_key(&mut self, keys: &[&str]) -> Result<Option<(usize, Value<'a>)>> {
        if self.done {
            return Ok(None);
        }
        let kernel = self.value.context.kernel;
        let next = match &mut self.steps {
            Steps::Text(text, walk) => skim::next_with_key(kernel, walk, *text, keys)
                .map(|hit| hit.map(|(key, at)| (key, Repr::Text(text.from(at))))),
            Steps::Members(members) => {
                Ok(members.next_with_key(kernel, keys).map(|(key, spot)| (key, Repr::Tape(spot))))
            }
            Steps::Nodes(children) => Ok(loop {
                let Some((key, value)) = children.next().zip(children.next()) else { break None };
                if let Some(which) = keys.iter().position(|name| key.string() == Some(name)) {
                    break Some((which, Repr::Node(value)));
                }
            }),
            // Elements are not walked as members.
            Steps::Elements(_) => Ok(None),
        };
        let next = self.value.checked(next);
        self.done = !matches!(next, Ok(Some(_)));
        next.map(|hit| hit.map(|(key, repr)| (key, self.value.with(repr))))
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<(Value<'a>, Value<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = match &mut self.steps {
            Steps::Nodes(children) => {
                Ok(children.next().zip(children.next()).map(|(k, v)| (Repr::Node(k), Repr::Node(v))))
            }
            Steps::Members(members) => Ok(members.next().map(|(key, value)| (Repr::Text(key), Repr::Tape(value)))),
            // Elements are not walked as members.
            Steps::Elements(_) => Ok(None),
            Steps::Text(text, walk) => skim::next_member(self.value.context.kernel, walk, *text)
                .map(|member| member.map(|m| (Repr::Text(text.from(m.key)), Repr::Text(text.from(m.value))))),
        };
        let next = self.value.checked(next).transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next.map(|pair| pair.map(|(key, value)| (self.value.with(key), self.value.with(value))))
    }
}
