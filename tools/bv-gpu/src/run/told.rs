//! The `failure` records: what is said of a rule that does not hold, and of what did not come to an end.

use super::{Case, CheckFile, Program};
use crate::check::{Check, RuleKind};
use crate::front::{Diagnostic, Rule, Stage};
use crate::judge::{Judge, Violation};
use crate::session::Death;
use crate::values::{Setting, Uniforms};
use crate::wire::{Adapter, Looping};
use bv_schemas::{Failure, Kind, Place};
use serde_json::{Map, Value};

/// What every record of a drawn check says.
pub(super) struct Told<'t> {
    pub(super) case: &'t Case<'t>,
    pub(super) program: &'t Program,
    pub(super) adapter: &'t Adapter,
    pub(super) only_loop: Option<&'t Looping>,
}

impl Told<'_> {
    /// A rule that does not hold. Pixels implicate the fragment shader's entry point.
    pub(super) fn violated(
        &self,
        check: &Check,
        judge: &Judge,
        vector_index: Option<u64>,
        (setting, violation): (&Setting, &Violation),
        uniforms: &Uniforms,
    ) -> Failure {
        let rule = check.rules.iter().find(|rule| rule.id == judge.id).and_then(|rule| rule.kind().ok());
        let kind = match rule {
            Some(RuleKind::Image { .. }) => Kind::Snapshot,
            Some(RuleKind::Every(_) | RuleKind::Same { .. }) => Kind::Property,
            _ => Kind::Assertion,
        };
        let mut counterexample = uniforms.shown(setting);
        if check.target.size != [1, 1] {
            counterexample.insert("px".into(), violation.px.to_vec().into());
        }
        let (line, function) = self.program.entry();
        Failure {
            kind,
            message: Some(format!("{} does not hold: {}", judge.words, violation.observed)),
            expected: Some(judge.words.clone()),
            observed: Some(violation.observed.clone()),
            counterexample: Some(counterexample).filter(|inputs| !inputs.is_empty()),
            fault: Some(Place { file: Some(self.program.fragment.file.clone()), line, function }),
            vector_index,
            ..self.of_rule(&judge.id)
        }
    }

    /// A draw that never came to its end. What runs for ever is a loop: the function that has the only one is named.
    pub(super) fn while_drawing(
        &self,
        death: &Death,
        setting: Option<&Setting>,
        uniforms: &Uniforms,
    ) -> Failure {
        let late = matches!(death, Death::Late(_) | Death::Endless(_));
        let fault = self.only_loop.filter(|_| late).map(|looping| {
            let source = match looping.stage {
                Stage::Vertex => &self.program.vertex,
                Stage::Fragment => &self.program.fragment,
            };
            Place { file: Some(source.file.clone()), line: None, function: Some(looping.function.clone()) }
        });
        let counterexample: Option<Map<String, Value>> = setting.map(|setting| uniforms.shown(setting));
        Failure {
            fault,
            counterexample: counterexample.filter(|inputs| !inputs.is_empty()),
            adapter: Some(self.adapter.name.clone()),
            ..died(self.case.file, death, "drawing")
        }
    }

    fn of_rule(&self, id: &str) -> Failure {
        Failure { adapter: Some(self.adapter.name.clone()), ..of_rule(self.case.file, id) }
    }
}

/// An error of the compiler or linker, or a limit that is passed.
pub fn compile_failure(file: &CheckFile, diagnostic: &Diagnostic) -> Failure {
    let id = match diagnostic.rule {
        Rule::Compile => "compile",
        Rule::Link => "link",
        Rule::Limits => "limits",
    };
    let message = match &diagnostic.token {
        Some(token) if !token.is_empty() => format!("'{token}' : {}", diagnostic.message),
        _ => diagnostic.message.clone(),
    };
    let fault = Place {
        file: Some(diagnostic.file.clone()),
        line: diagnostic.line.map(u64::from),
        function: diagnostic.function.clone(),
    };
    Failure { kind: Kind::CompileError, message: Some(message), fault: Some(fault), ..of_rule(file, id) }
}

/// A worker that died or was late while it was `doing` something.
pub fn died(file: &CheckFile, death: &Death, doing: &str) -> Failure {
    let (kind, exception_type) = match death {
        Death::Late(_) | Death::Endless(_) => (Kind::Timeout, None),
        Death::Crashed { how, .. } => (Kind::Crash, Some(how.clone())),
    };
    Failure {
        id: Some(format!("{}: {doing}", file.name())),
        kind,
        exception_type,
        message: Some(format!("{death} while {doing}")),
        test: file.path.as_ref().map(|_| Place { file: Some(file.name()), ..Place::default() }),
        ..Failure::default()
    }
}

fn of_rule(file: &CheckFile, id: &str) -> Failure {
    let test =
        file.path.as_ref().map(|_| Place { file: Some(file.name()), line: file.line_of(id), function: None });
    Failure {
        id: Some(format!("{}: {id}", file.name())),
        test,
        rule: Some(id.to_owned()),
        ..Failure::default()
    }
}
