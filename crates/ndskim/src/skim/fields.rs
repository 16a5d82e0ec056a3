//! The fields of a projection, found in one pass that goes only where the projection's trie goes.

use super::{Hit, Position, Probe, Result, Walk, next_element, next_member, next_of_four, next_of_one, next_of_two};
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::pointer::{Node, Projection};
use crate::text::content_is;

/// As many keys are looked for at once; with more of them, members are held against the keys one by one.
const AT_ONCE: usize = 4;

/// The containers that a search is in: scratch, reused from record to record.
#[derive(Default)]
pub(crate) struct Frames {
    stack: Vec<Frame>,
    /// The edges that were found in each of them, beyond the first 64 of a node: a run of flags for each that has so many.
    found: Vec<bool>,
}

/// A container that has fields inside.
struct Frame {
    /// Its node in the projection.
    node: usize,
    is_object: bool,
    /// How many of the node's edges are not found and can lead somewhere in a container of this kind.
    wanted: usize,
    /// Of the first 64 edges, those that were found.
    found: u64,
    /// Where the search is, if it goes by members or elements.
    walk: Walk,
    /// The elements of an array that were passed.
    elements: u64,
}

/// What comes next in a container.
enum Next {
    /// The value of an edge.
    Edge { edge: usize, value: usize },
    /// The end of the container, and the offset behind it.
    End(usize),
}

/// Finds the fields of a projection in the record whose value begins at `at`, in one pass that ends with the last field found.
/// Of each field that is found the offset of its value is put into `fields`, by slot.
pub(crate) fn find_fields(
    kernel: Kernel,
    text: Text<'_>,
    at: usize,
    projection: &Projection,
    frames: &mut Frames,
    fields: &mut [Option<usize>],
) -> Result<()> {
    let nodes = projection.nodes();
    let Some(root) = nodes.first() else { return Ok(()) };
    frames.stack.clear();
    frames.found.clear();
    let mut position = enter(text, at, root, 0, frames, fields);
    while let Some(frame) = frames.stack.last_mut() {
        let node = &nodes[frame.node];
        let next = match frame.wanted {
            1 if frame.is_object => {
                scan(node, frame, &frames.found, |probes| next_of_one(kernel, text, position, probes))?
            }
            2 if frame.is_object => {
                scan(node, frame, &frames.found, |probes| next_of_two(kernel, text, position, probes))?
            }
            ..=AT_ONCE if frame.is_object => {
                scan(node, frame, &frames.found, |probes| next_of_four(kernel, text, position, probes))?
            }
            _ => step(kernel, text, node, frame, &frames.found)?,
        };
        match next {
            Next::Edge { edge, value } => {
                frame.wanted -= 1;
                match edge {
                    ..64 => frame.found |= 1 << edge,
                    _ => {
                        let flags = frames.found.len() - (node.edges.len() - 64);
                        frames.found[flags + edge - 64] = true;
                    }
                }
                let node = node.edges[edge].node;
                position = enter(text, value, &nodes[node], node, frames, fields);
            }
            Next::End(at) => {
                frames.leave(nodes);
                position = Position { at, depth: 0 };
            }
        }
        while let Some(frame) = frames.stack.last()
            && frame.wanted == 0
        {
            position.depth += u32::from(frame.is_object);
            frames.leave(nodes);
        }
    }
    Ok(())
}

impl Frames {
    fn leave(&mut self, nodes: &[Node]) {
        if let Some(frame) = self.stack.pop() {
            self.found.truncate(self.found.len() - nodes[frame.node].edges.len().saturating_sub(64));
        }
    }
}

impl Frame {
    /// Whether an edge was found; `flags` are those of all frames, this one's last.
    fn has_found(&self, edge: usize, edges: usize, flags: &[bool]) -> bool {
        match edge {
            ..64 => self.found >> edge & 1 == 1,
            _ => flags[flags.len() - (edges - 64) + edge - 64],
        }
    }
}

/// Notes the value at `at` for its node's slots, and enters it if there is something to find inside. Tells where to go on.
#[inline(always)]
fn enter(
    text: Text<'_>,
    at: usize,
    entered: &Node,
    node: usize,
    frames: &mut Frames,
    fields: &mut [Option<usize>],
) -> Position {
    let Node { slots, edges, .. } = entered;
    for &slot in slots {
        fields[slot] = Some(at);
    }
    let wanted = match text.get(at) {
        _ if edges.is_empty() => 0,
        Some(b'{') => edges.len(),
        Some(b'[') => edges.iter().filter(|edge| edge.index.is_some()).count(),
        _ => 0,
    };
    if wanted == 0 {
        return Position { at, depth: 0 };
    }
    let open = text[at];
    let walk = Walk::new(at, open);
    frames.found.resize(frames.found.len() + edges.len().saturating_sub(64), false);
    frames.stack.push(Frame { node, is_object: open == b'{', wanted, found: 0, walk, elements: 0 });
    Position::inside(at)
}

/// The next member of an object that is not found yet, where few are left.
#[inline(always)]
fn scan<const N: usize>(
    node: &Node,
    frame: &Frame,
    flags: &[bool],
    next_hit: impl Fn(&[Probe<'_>; N]) -> Result<Hit>,
) -> Result<Next> {
    let mut left = [0; N];
    let mut count = 0;
    for edge in 0..node.edges.len() {
        if count < N && !frame.has_found(edge, node.edges.len(), flags) {
            left[count] = edge;
            count += 1;
        }
    }
    // Where fewer are left, the first stands for the rest.
    for edge in count.max(1)..N {
        left[edge] = left[0];
    }
    let probes = left.map(|edge| Probe::new(&node.edges[edge].key));
    Ok(match next_hit(&probes)? {
        Hit::Member { probe, value } => Next::Edge { edge: left[probe], value },
        Hit::End(at) => Next::End(at),
    })
}

/// The next member or element that is not found yet, one by one.
#[inline(always)]
fn step(kernel: Kernel, text: Text<'_>, node: &Node, frame: &mut Frame, flags: &[bool]) -> Result<Next> {
    loop {
        let (hit, value) = if frame.is_object {
            let Some(member) = next_member(kernel, &mut frame.walk, text)? else { break };
            let content = &text[member.content];
            (node.edges.iter().position(|edge| content_is(content, &edge.key)), member.value)
        } else {
            let Some(element) = next_element(kernel, &mut frame.walk, text)? else { break };
            frame.elements += 1;
            (node.edges.iter().position(|edge| edge.index == Some(frame.elements - 1)), element)
        };
        // The first of two equal keys counts.
        if let Some(edge) = hit.filter(|&edge| !frame.has_found(edge, node.edges.len(), flags)) {
            return Ok(Next::Edge { edge, value });
        }
    }
    Ok(Next::End(frame.walk.at() + 1))
}
