//! The fields of a projection, found in one pass that goes only where the projection's trie goes.

use super::{
    Hit, PackedHit, Position, Probe, Result, Walk, next_element, next_member, next_of_four, next_of_one, next_of_two,
};
use crate::kernel::Kernel;
use crate::padded::Text;
use crate::pointer::{Edge, Node, Projection};
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

/// Who hears of the fields of a record as they are found, and may end the search.
pub(crate) trait Watch {
    /// Whether it wants to hear of fields that are not there, as soon as that is known.
    const WATCHES: bool;

    /// A field was found at an offset, or is known not to be there; false if the search can end.
    ///
    /// # Errors
    /// [`Malformed`](super::Malformed), if the value had to be looked at and is.
    fn slot(&mut self, slot: usize, at: Option<usize>) -> Result<bool>;
}

/// Nobody.
pub(crate) struct NoWatch;

impl Watch for NoWatch {
    const WATCHES: bool = false;

    fn slot(&mut self, _: usize, _: Option<usize>) -> Result<bool> {
        Ok(true)
    }
}

/// Finds the fields of a projection in the record whose value begins at `at`, in one pass that ends with the last field found,
/// or when the watcher has heard enough. Of each field that is found the offset of its value is put into `fields`, by slot.
pub(crate) fn find_fields<W: Watch>(
    kernel: Kernel,
    text: Text<'_>,
    at: usize,
    projection: &Projection,
    frames: &mut Frames,
    fields: &mut [Option<usize>],
    watch: &mut W,
) -> Result<()> {
    let nodes = projection.nodes();
    if nodes.is_empty() {
        return Ok(());
    }
    frames.stack.clear();
    frames.found.clear();
    let mut search = Search { kernel, text, nodes, frames, fields, watch, position: Position { at, depth: 0 } };
    let mut goes_on = search.enter(at, 0)?;
    while goes_on && !search.frames.stack.is_empty() {
        goes_on = search.step()?;
    }
    Ok(())
}

/// The search for the fields of one record.
struct Search<'x, W> {
    kernel: Kernel,
    text: Text<'x>,
    nodes: &'x [Node],
    frames: &'x mut Frames,
    fields: &'x mut [Option<usize>],
    watch: &'x mut W,
    /// Where the search is, in the container on top of the stack or in something inside it.
    position: Position,
}

impl<W: Watch> Search<'_, W> {
    /// Goes on to the next field of the container on top of the stack, or to its end. False if the search can end.
    #[inline(always)]
    fn step(&mut self) -> Result<bool> {
        let Some(frame) = self.frames.stack.last_mut() else { return Ok(false) };
        let (kernel, text, position, flags) = (self.kernel, self.text, self.position, &*self.frames.found);
        let node = &self.nodes[frame.node];
        let next = match frame.wanted {
            1 if frame.is_object => scan(node, frame, flags, |keys| next_of_one(kernel, text, position, keys))?,
            2 if frame.is_object => scan(node, frame, flags, |keys| next_of_two(kernel, text, position, keys))?,
            ..=AT_ONCE if frame.is_object => {
                scan(node, frame, flags, |keys| next_of_four(kernel, text, position, keys))?
            }
            _ => go_through(kernel, text, node, frame, flags)?,
        };
        let goes_on = match next {
            Next::Edge { edge, value } => {
                frame.wanted -= 1;
                match edge {
                    ..64 => frame.found |= 1 << edge,
                    _ => {
                        let first = self.frames.found.len() - (node.edges.len() - 64);
                        self.frames.found[first + edge - 64] = true;
                    }
                }
                self.enter(value, node.edges[edge].node)?
            }
            Next::End(at) => {
                self.position = Position { at, depth: 0 };
                self.leave()?
            }
        };
        Ok(goes_on && self.leave_complete()?)
    }

    /// Notes the value at `at` for its node's slots, and enters it if there is something to find inside.
    #[inline(always)]
    fn enter(&mut self, at: usize, node: usize) -> Result<bool> {
        let Node { slots, edges } = &self.nodes[node];
        let mut goes_on = true;
        for &slot in slots {
            self.fields[slot] = Some(at);
            goes_on &= self.watch.slot(slot, Some(at))?;
        }
        let open = self.text.get(at).copied().unwrap_or_default();
        let wanted = match open {
            b'{' => edges.len(),
            b'[' => edges.iter().filter(|edge| edge.index.is_some()).count(),
            _ => 0,
        };
        if wanted == 0 {
            self.position = Position { at, depth: 0 };
            return Ok(goes_on && self.miss(edges)?);
        }
        self.position = Position::inside(at);
        let walk = Walk::new(at, open);
        let more = edges.len().saturating_sub(64);
        self.frames.found.resize(self.frames.found.len() + more, false);
        self.frames.stack.push(Frame { node, is_object: open == b'{', wanted, found: 0, walk, elements: 0 });
        Ok(goes_on)
    }

    /// Leaves the containers of which all is found.
    #[inline(always)]
    fn leave_complete(&mut self) -> Result<bool> {
        while let Some(frame) = self.frames.stack.last()
            && frame.wanted == 0
        {
            self.position.depth += u32::from(frame.is_object);
            if !self.leave()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Leaves the container on top of the stack.
    #[inline(always)]
    fn leave(&mut self) -> Result<bool> {
        let Some(frame) = self.frames.stack.pop() else { return Ok(false) };
        let edges = &self.nodes[frame.node].edges;
        let mut goes_on = true;
        if W::WATCHES {
            for (number, edge) in edges.iter().enumerate() {
                if !frame.has_found(number, edges.len(), &self.frames.found) {
                    goes_on &= self.miss(std::slice::from_ref(edge))?;
                }
            }
        }
        self.frames.found.truncate(self.frames.found.len() - edges.len().saturating_sub(64));
        Ok(goes_on)
    }

    /// Tells the watcher of the fields that these edges would have led to.
    fn miss(&mut self, edges: &[Edge]) -> Result<bool> {
        let mut goes_on = true;
        if W::WATCHES {
            for edge in edges {
                let Node { slots, edges } = &self.nodes[edge.node];
                for &slot in slots {
                    goes_on &= self.watch.slot(slot, None)?;
                }
                goes_on &= self.miss(edges)?;
            }
        }
        Ok(goes_on)
    }
}

impl Frame {
    /// Whether an edge was found; `flags` are those of all frames, this one's last.
    #[inline(always)]
    fn has_found(&self, edge: usize, edges: usize, flags: &[bool]) -> bool {
        match edge {
            ..64 => self.found >> edge & 1 == 1,
            _ => flags[flags.len() - (edges - 64) + edge - 64],
        }
    }
}

/// The next member of an object that is not found yet, where few are left.
#[inline(always)]
fn scan<const N: usize>(
    node: &Node,
    frame: &Frame,
    flags: &[bool],
    next_hit: impl Fn(&[Probe<'_>; N]) -> PackedHit,
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
    Ok(match next_hit(&probes).unpack()? {
        Hit::Member { probe, value } => Next::Edge { edge: left[probe], value },
        Hit::End(at) => Next::End(at),
    })
}

/// The next member or element that is not found yet, one by one.
#[inline(always)]
fn go_through(kernel: Kernel, text: Text<'_>, node: &Node, frame: &mut Frame, flags: &[bool]) -> Result<Next> {
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
