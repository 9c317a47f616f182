//! How many words a source has once its macros are expanded, without expanding them: thirty short lines can make a
//! thousand million words of one, and a compiler would write them all down.
//!
//! An upper estimate: whichever branch of a condition a macro is defined in, it counts.

use super::tokens::{Kind, Token, directive, tokens};
use std::collections::HashMap;

/// Most words that a source may expand to. The largest shaders of real engines have some ten thousand.
pub const WORDS_MAX: u64 = 1 << 21;

/// Deepest nesting of arguments in arguments.
const NESTING_MAX: usize = 256;

/// The words of a source after expansion; saturates.
pub fn words(text: &str) -> u64 {
    let mut macros = Macros { defined: HashMap::new(), forms: HashMap::new() };
    let mut plain = Vec::new();
    for token in tokens(text) {
        match token.kind {
            Kind::Directive => macros.define(token.text),
            _ => plain.push(token),
        }
    }
    macros.form(&plain, &[], 0).own
}

struct Macros<'t> {
    defined: HashMap<&'t str, Macro<'t>>,
    /// `None` while it is being reckoned: a macro does not expand within itself.
    forms: HashMap<&'t str, Option<Form>>,
}

#[derive(Clone)]
struct Macro<'t> {
    /// Absent for a macro without parentheses.
    parameters: Option<Vec<&'t str>>,
    body: Vec<Token<'t>>,
}

/// Words of an expansion: its own, and how many times those of each parameter.
#[derive(Debug, Clone, Default)]
struct Form {
    own: u64,
    times: Vec<u64>,
}

impl Form {
    fn add(&mut self, times: u64, other: &Form) {
        self.own = self.own.saturating_add(times.saturating_mul(other.own));
        for (sum, part) in self.times.iter_mut().zip(&other.times) {
            *sum = sum.saturating_add(times.saturating_mul(*part));
        }
    }
}

impl<'t> Macros<'t> {
    fn define(&mut self, text: &'t str) {
        let (kind, rest) = directive(text);
        if kind != "define" {
            return;
        }
        let words: Vec<Token<'t>> = tokens(rest).collect();
        let Some((name, mut body)) = words.split_first() else { return };
        let mut parameters = None;
        // Parentheses make parameters only where they touch the name.
        if body.first().is_some_and(|first| first.text == "(" && first.at == name.text.len()) {
            let end = body.iter().position(|token| token.text == ")").unwrap_or(body.len() - 1);
            let names = body[1..end.max(1)].iter().filter(|token| token.kind == Kind::Identifier);
            parameters = Some(names.map(|token| token.text).collect());
            body = &body[end + 1..];
        }
        // Of several definitions in different branches, all count.
        let entry = self.defined.entry(name.text).or_insert(Macro { parameters: None, body: Vec::new() });
        entry.parameters = parameters;
        entry.body.extend_from_slice(body);
    }

    fn form_of(&mut self, name: &'t str) -> Form {
        match self.forms.get(name) {
            Some(Some(form)) => return form.clone(),
            Some(None) => return Form { own: 1, times: Vec::new() },
            None => {}
        }
        self.forms.insert(name, None);
        let Some(found) = self.defined.get(name).cloned() else { return Form::default() };
        let form = self.form(&found.body, found.parameters.as_deref().unwrap_or_default(), 0);
        self.forms.insert(name, Some(form.clone()));
        form
    }

    fn form(&mut self, words: &[Token<'t>], parameters: &[&str], depth: usize) -> Form {
        let mut sum = Form { own: 0, times: vec![0; parameters.len()] };
        if depth > NESTING_MAX {
            sum.own = u64::MAX;
            return sum;
        }
        let mut at = 0;
        while at < words.len() {
            let word = words[at].text;
            at += 1;
            if let Some(parameter) = parameters.iter().position(|name| *name == word) {
                sum.times[parameter] = sum.times[parameter].saturating_add(1);
                continue;
            }
            let called = words.get(at).is_some_and(|next| next.text == "(");
            let Some((name, takes)) = self.resolved(word) else {
                sum.own = sum.own.saturating_add(1);
                continue;
            };
            if !takes {
                let form = self.form_of(name);
                sum.own = sum.own.saturating_add(form.own);
            } else if called {
                let (arguments, end) = arguments(words, at);
                at = end;
                let form = self.form_of(name);
                sum.own = sum.own.saturating_add(form.own);
                for (argument, times) in arguments.into_iter().zip(form.times) {
                    let argument = self.form(argument, parameters, depth + 1);
                    sum.add(times, &argument);
                }
            } else {
                sum.own = sum.own.saturating_add(1);
            }
        }
        sum
    }

    /// The macro that a word names, by another one's name perhaps, and whether it takes arguments.
    fn resolved(&self, word: &str) -> Option<(&'t str, bool)> {
        let (mut name, mut found) = self.defined.get_key_value(word)?;
        for _ in 0..16 {
            let [only] = found.body.as_slice() else { break };
            match (found.parameters.is_none(), self.defined.get_key_value(only.text)) {
                (true, Some(next)) => (name, found) = next,
                _ => break,
            }
        }
        Some((name, found.parameters.is_some()))
    }
}

/// The arguments of a call whose `(` is at `open`, and where it ends.
fn arguments<'w, 't>(words: &'w [Token<'t>], open: usize) -> (Vec<&'w [Token<'t>]>, usize) {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, open + 1);
    for (at, word) in words.iter().enumerate().skip(open) {
        match word.text {
            "(" => depth += 1,
            ")" if depth == 1 => {
                found.push(&words[start..at]);
                return (found, at + 1);
            }
            ")" => depth -= 1,
            "," if depth == 1 => {
                found.push(&words[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&words[start.min(words.len())..]);
    (found, words.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_after_expansion() {
        let check = |text: &str, expected: u64| assert_eq!(words(text), expected, "{text}");
        check("a b ;", 3);
        check("#define A x y\nA A z", 5);
        check("#define A A A\nA", 2);
        check("#define F(x) x + x\nF(a b)", 5);
        check("#define F(x) x x\nF(F(F(a)))", 8);
        check("#define F(x) x x\n#define G F\nG(a) F", 3);
        check("#define F (x) x\nF", 4);
        check("#define F(x, y) y\nF((a, b), c d)", 2);
        check("#define F(x) x\nF(a", 1);
        let mut bomb = "#define A0 a a\n".to_owned();
        (1..70).for_each(|at| bomb += &format!("#define A{at} A{0} A{0}\n", at - 1));
        check(&format!("{bomb}A69"), u64::MAX);
        check(&format!("#define F(x) x x\n{}a{}", "F(".repeat(70), ")".repeat(70)), u64::MAX);
        check(&format!("#define F(x) x\n{}", "F(".repeat(1000)), u64::MAX);
    }
}
