//! The oracle: the user's command, asked about candidates.
//!
//! In: a candidate. Out: an answer that the search can rely on. Here the command is run, its words are read,
//! the answer is voted on where the command wavers, and remembered; which candidates to ask about is the
//! search's business.

mod ballot;
mod guard;
mod judge;
mod patience;
mod run;
mod said;
mod template;

pub use guard::{Guard, unlike};
pub use judge::{Judge, Sample, key};
pub use patience::Patience;
pub use run::Runner;
pub use said::lenient;
pub use template::Template;
