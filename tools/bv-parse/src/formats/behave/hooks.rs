//! `HOOK-ERROR in before_all: RuntimeError: no db`.

use crate::python;
use bv_schemas::{Failure, Kind};

/// A hook that failed.
#[derive(Clone, Debug)]
pub struct HookError {
    /// Its name, `before_scenario`.
    pub hook: String,
    failure: Failure,
}

impl HookError {
    /// Reads the line; a cleanup's error names no hook.
    pub fn read(text: &str, span: [u64; 2]) -> Option<HookError> {
        let (hook, words) = match text.strip_prefix("HOOK-ERROR in ") {
            Some(rest) => rest.split_once(": ")?,
            None => (CLEANUP, text.strip_prefix("CLEANUP-ERROR in ")?.split_once(": ")?.1),
        };
        let name = hook.split('(').next().unwrap_or(hook);
        let known = hook == CLEANUP || name.starts_with("before_") || name.starts_with("after_");
        known.then_some(())?;
        let exception = python::exception(words);
        let message =
            exception.as_ref().map_or(Some(words.to_owned()), |exception| exception.message.clone());
        let failure = Failure {
            kind: Kind::SetupError,
            message,
            exception_type: exception.map(|exception| exception.name),
            span: Some(span),
            ..Failure::default()
        };
        Some(HookError { hook: name.to_owned(), failure })
    }

    /// Whether it stands around features or the whole run, not around a scenario, whose list names it.
    pub fn is_outer(&self) -> bool {
        ["all", "feature", "rule"]
            .iter()
            .any(|end| self.hook.strip_prefix("before_").or(self.hook.strip_prefix("after_")) == Some(end))
    }

    /// Whether the scenario to come is the one that failed.
    pub fn is_before(&self) -> bool {
        self.hook.starts_with("before_")
    }

    /// A failure of its own, named by the hook.
    pub fn own(self) -> Failure {
        Failure { id: Some(self.hook), ..self.failure }
    }

    /// Puts it into a scenario's failure.
    pub fn fill(&self, failure: &mut Failure) {
        failure.kind = Kind::SetupError;
        failure.message = self.failure.message.clone();
        failure.exception_type = self.failure.exception_type.clone();
        failure.span = self.failure.span;
    }
}

const CLEANUP: &str = "scenario.cleanup";
