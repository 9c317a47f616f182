//! Attributes by computed names: `getattr(self, "visit_" + kind)` leads to every method whose name fits.

use super::ast::{ExprId, Kind, Op, Piece};
use super::calls::Finding;
use super::{Origin, Scope, Value};
use crate::infer::code::FunctionId;
use std::rc::Rc;

impl Finding<'_, '_> {
    /// `getattr(self, "visit_" + kind)`: every method whose name fits.
    pub fn computed(&mut self, object: ExprId, name: ExprId, line: u32) {
        let Some(pattern) = self.pattern(name, self.scope, 0).filter(|pattern| !pattern.is_empty()) else {
            return;
        };
        for value in self.python.types(object, self.scope, 0) {
            let (Value::Instance(class) | Value::Class(class)) = value else { continue };
            let mut line_of = self.python.line_of(class);
            line_of.extend(self.python.below(class));
            let mut fitting: Vec<(Rc<str>, FunctionId)> = Vec::new();
            for class in line_of {
                for &method in &self.python.class(class).order {
                    let name = &self.python.function(method).name;
                    if fits(&pattern, name) && !fitting.iter().any(|(known, _)| known == name) {
                        fitting.push((name.clone(), method));
                    }
                }
            }
            let weight = if fitting.len() < 3 { 0.9 } else { 0.6 };
            for (_, method) in fitting {
                self.push(method, Some(class), weight, line);
            }
        }
    }

    /// The fixed parts of a computed name; what stands between them is open. `None` where nothing is fixed.
    fn pattern(&mut self, expr: ExprId, scope: Scope, depth: u32) -> Option<Vec<String>> {
        const DEPTH_MAX: u32 = 6;
        if depth > DEPTH_MAX {
            return None;
        }
        let tree = self.tree;
        let split = |text: &str, marks: &[&str]| {
            let mut text = text.to_owned();
            marks.iter().for_each(|mark| text = text.replace(mark, "\0"));
            text.split('\0').map(str::to_owned).collect::<Vec<_>>()
        };
        let parts = match &tree.expr(expr).kind {
            Kind::Text(span) => vec![tree.name(*span).to_owned()],
            Kind::Binary(Op::Mod, format, _) => match tree.expr(*format).kind {
                Kind::Text(span) => split(tree.name(span), &["%s", "%d", "%r"]),
                _ => return None,
            },
            Kind::Binary(Op::Add, left, right) => {
                let open = || vec![String::new(), String::new()];
                let mut parts = self.pattern(*left, scope, depth + 1).unwrap_or_else(open);
                let mut after = self.pattern(*right, scope, depth + 1).unwrap_or_else(open).into_iter();
                if let (Some(last), Some(first)) = (parts.last_mut(), after.next()) {
                    last.push_str(&first);
                }
                parts.extend(after);
                parts
            }
            Kind::Format(pieces) => {
                let mut parts = vec![String::new()];
                for piece in pieces {
                    match (piece, parts.last_mut()) {
                        (Piece::Text(span), Some(last)) => last.push_str(tree.name(*span)),
                        _ => parts.push(String::new()),
                    }
                }
                parts
            }
            Kind::Call { callee, .. } => match tree.expr(*callee).kind {
                Kind::Attribute(format, name) if tree.name(name) == "format" => {
                    match tree.expr(format).kind {
                        Kind::Text(span) => split(tree.name(span), &["{}", "{0}", "{!s}"]),
                        _ => return None,
                    }
                }
                _ => return None,
            },
            Kind::Name(span) => {
                let locals = self.python.locals(scope.function?);
                let origins = locals.get(tree.name(*span))?;
                let values = origins.iter().filter_map(|origin| match *origin {
                    Origin::Value(value) if value != expr => Some(value),
                    _ => None,
                });
                return values.into_iter().find_map(|value| self.pattern(value, scope, depth + 1));
            }
            _ => return None,
        };
        parts.iter().any(|part| !part.is_empty()).then_some(parts)
    }
}

/// Whether a name has the fixed parts in their order, with something between them.
fn fits(parts: &[String], name: &str) -> bool {
    let [first, middle @ .., last] = parts else { return parts.first().is_some_and(|only| only == name) };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        let Some(at) = rest
            .char_indices()
            .skip(1)
            .find_map(|(at, _)| rest[at..].starts_with(part.as_str()).then_some(at))
        else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.len() > last.len() && rest.ends_with(last.as_str())
}
