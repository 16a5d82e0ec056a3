//! Questions to newline-delimited JSON: paths, conditions, groups and aggregates over the scans of [`ndskim`].
//!
//! A [`Question`] says what to count, by which [`Expression`]s, under which [`Condition`]s, and which [`Aggregate`]s to compute
//! beside. Asked of a [`Scan`](ndskim::Scan), it gives an [`Answer`], which does not depend on threads, blocks or the way
//! that the records are spread over files. A [`Survey`] tells what is in an unknown file.
//!
//! The commands are made of this, and so can other front ends be: nothing here knows of flags, files or terminals.

mod aggregate;
mod answer;
mod condition;
mod cursor;
mod decimal;
mod distinct;
mod error;
mod expression;
mod groups;
mod item;
mod path;
mod plan;
mod predicate;
mod quantile;
mod question;
mod room;
mod sum;
mod survey;
mod time;

pub use aggregate::{Aggregate, Measure, Scalar};
pub use answer::{Answer, Order, Other, Row};
pub use condition::{Condition, Literal, Pattern};
pub use cursor::is_invisible;
pub use decimal::Decimal;
pub use error::SyntaxError;
pub use expression::{Expression, Function, Span, TimePart, Unit};
pub use path::Path;
pub use question::{Prepared, Question, QuestionError, Reply};
pub use survey::{PathSurvey, Survey, SurveyOptions};
