//! What the stages of bv must agree on, and nothing else: the records of the event stream, the
//! receipt, the framing of both (NDJSON), the exit codes, how a length of time is written, the shapes of
//! secrets, and the harness around `main`.
//!
//! The `*.schema.json` files beside `src/` are generated from these types (feature `schema`); a test
//! holds the two together. They are open: a reader ignores types and fields that it does not know
//! and an enriching stage passes them on untouched.

pub mod exit;
pub mod limit;
pub mod ndjson;
pub mod receipt;
pub mod record;
#[cfg(feature = "schema")]
pub mod schema;
#[cfg(feature = "secrets")]
pub mod secrets;
pub mod stage;

pub use limit::Limit;
pub use receipt::{Location, Receipt, Status};
pub use record::{
    Check, Counts, End, ExitStatus, Failure, Kind, Minimized, Outcome, Place, Reason, Record, State, Test,
    TestOutcome, Trace,
};
