//! PHPUnit's `--teamcity` mode: `##teamcity[testFailed name='testTotal' message='…' details='…']`.

use crate::php;
use crate::teamcity::attribute;
use crate::values::Sides;
use bv_schemas::{Failure, Kind};

/// Suites inside suites that are followed.
const DEPTH_MAX: usize = 100;

/// Which suites are open.
#[derive(Debug, Default)]
pub struct Teamcity {
    suites: Vec<String>,
}

impl Teamcity {
    /// Takes a line; gives the failure that it tells of.
    pub fn line(&mut self, text: &str, span: [u64; 2]) -> Option<Failure> {
        let rest = text.strip_prefix("##teamcity[")?;
        let (message, rest) = rest.split_once(' ')?;
        let name = || attribute(rest, "name");
        match message {
            "testSuiteStarted" if self.suites.len() < DEPTH_MAX => {
                // The suite of one class is named as the class; that of a data provider as the method.
                let class = attribute(rest, "locationHint")
                    .and_then(|hint| hint.split("::\\").nth(1).map(str::to_owned));
                self.suites.push(class.or_else(name).unwrap_or_default());
                None
            }
            "testSuiteFinished" => {
                self.suites.pop();
                None
            }
            "testFailed" => Some(self.failure(&name()?, rest, span)),
            _ => None,
        }
    }

    fn failure(&self, name: &str, rest: &str, span: [u64; 2]) -> Failure {
        let class = self.suites.last().map(|suite| suite.split("::").next().unwrap_or(suite));
        let id = class.map_or(name.to_owned(), |class| format!("{class}::{name}"));
        let text = |name| attribute(rest, name).unwrap_or_default();
        let (message, details) = (text("message"), text("details"));
        let lines: Vec<&str> = message.lines().chain([""]).chain(details.lines().map(str::trim)).collect();
        let mut detail = php::detail(&lines);
        let compared = attribute(rest, "type").as_deref() == Some("comparisonFailure");
        if compared {
            let sides = Sides { expected: attribute(rest, "expected"), observed: attribute(rest, "actual") };
            detail.sides = sides.changed_lines().or_else(|| detail.sides.clone());
        }
        let kind = if detail.asserts || compared { Kind::Assertion } else { detail.kind() };
        let mut failure = Failure { kind, span: Some(span), ..Failure::default() };
        php::place(&mut failure, &detail.frames, Some(&id));
        failure.id = Some(id);
        detail.fill(&mut failure);
        failure
    }
}
