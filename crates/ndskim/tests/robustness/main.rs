//! What must never happen: a record lost or made up, a fault without its place, an answer that depends on blocks or threads.
//!
//! Every test runs over [`configurations`](configurations::all), which is the one list of the ways in which input can be read.

mod configurations;
mod conformance;
mod formats;
mod hostile;
mod judge;
mod policies;
mod salvaged;
