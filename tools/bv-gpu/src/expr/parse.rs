//! The grammar of expressions, by recursive descent: `?:`, `||`, `&&`, comparisons, `+ -`, `* /`, signs, calls.

use super::functions::Function;
use super::lex::{Token, Word, tokens};
use super::{Arithmetic, Number, Truth};
use crate::check::Order;

/// Longest expression in bytes.
pub const TEXT_BYTES_MAX: usize = 4096;
/// Deepest nesting of parentheses, calls and signs.
pub const OPEN_MAX: usize = 24;
/// Most operators one inside the other, each of a chain (`a + b + c`) being one.
pub const DEPTH_MAX: usize = 200;

/// Reads a condition.
pub(super) fn truth(text: &str, name: &mut dyn FnMut(&str) -> Option<usize>) -> Result<Truth, String> {
    read(text, name, Parser::as_truth)
}

/// Reads a number.
pub(super) fn number(text: &str, name: &mut dyn FnMut(&str) -> Option<usize>) -> Result<Number, String> {
    read(text, name, Parser::as_number)
}

type Wrong = (usize, String);

/// Either sort of value, and where it begins.
struct Value {
    at: usize,
    sort: Sort,
    depth: usize,
}

enum Sort {
    Number(Number),
    Truth(Truth),
}

struct Parser<'t, 'n> {
    tokens: Vec<Token<'t>>,
    next: usize,
    open: usize,
    name: &'n mut dyn FnMut(&str) -> Option<usize>,
}

fn read<T>(
    text: &str,
    name: &mut dyn FnMut(&str) -> Option<usize>,
    sort: fn(Value) -> Result<T, Wrong>,
) -> Result<T, String> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(format!("an expression of {} bytes, {TEXT_BYTES_MAX} are possible", text.len()));
    }
    let mut whole = || {
        let mut parser = Parser { tokens: tokens(text)?, next: 0, open: 0, name };
        let value = parser.value()?;
        let end = &parser.tokens[parser.next];
        match end.word {
            Word::End => sort(value),
            Word::Sign("=") => Err((end.at, "`=` is no operator; `==` compares".into())),
            _ => Err((end.at, "an operator is expected".into())),
        }
    };
    whole().map_err(|(at, wrong)| format!("column {}: {wrong}", text[..at].chars().count() + 1))
}

impl<'t> Parser<'t, '_> {
    fn value(&mut self) -> Result<Value, Wrong> {
        self.open += 1;
        if self.open > OPEN_MAX {
            return Err((self.at(), "nested too deep".into()));
        }
        let condition = self.either()?;
        let value = if self.takes("?") {
            let (at, depth) = (condition.at, condition.depth);
            let condition = Parser::as_truth(condition)?;
            let yes = self.value()?;
            self.expect(":")?;
            let no = self.value()?;
            let depth = nested(at, depth.max(yes.depth).max(no.depth))?;
            let (yes, no) = (Parser::as_number(yes)?, Parser::as_number(no)?);
            let sort = Sort::Number(Number::Choice(Box::new(condition), Box::new(yes), Box::new(no)));
            Value { at, sort, depth }
        } else {
            condition
        };
        self.open -= 1;
        Ok(value)
    }

    fn either(&mut self) -> Result<Value, Wrong> {
        let mut left = self.both()?;
        while self.takes("||") {
            left = joined(left, self.both()?, Truth::Or)?;
        }
        Ok(left)
    }

    fn both(&mut self) -> Result<Value, Wrong> {
        let mut left = self.comparison()?;
        while self.takes("&&") {
            left = joined(left, self.comparison()?, Truth::And)?;
        }
        Ok(left)
    }

    fn comparison(&mut self) -> Result<Value, Wrong> {
        let left = self.sum()?;
        let Some(order) = self.order() else { return Ok(left) };
        let right = self.sum()?;
        let at = self.at();
        if self.order().is_some() {
            return Err((at, "comparisons do not chain; write `a < b && b < c`".into()));
        }
        let (at, depth) = (left.at, nested(left.at, left.depth.max(right.depth))?);
        let sort = Sort::Truth(Truth::Compare(order, Parser::as_number(left)?, Parser::as_number(right)?));
        Ok(Value { at, sort, depth })
    }

    fn sum(&mut self) -> Result<Value, Wrong> {
        let mut left = self.product()?;
        loop {
            let operation = match () {
                () if self.takes("+") => Arithmetic::Add,
                () if self.takes("-") => Arithmetic::Subtract,
                () => return Ok(left),
            };
            left = computed(operation, left, self.product()?)?;
        }
    }

    fn product(&mut self) -> Result<Value, Wrong> {
        let mut left = self.signed()?;
        loop {
            let operation = match () {
                () if self.takes("*") => Arithmetic::Multiply,
                () if self.takes("/") => Arithmetic::Divide,
                () => return Ok(left),
            };
            left = computed(operation, left, self.signed()?)?;
        }
    }

    fn signed(&mut self) -> Result<Value, Wrong> {
        let at = self.at();
        let sign = ["-", "+", "!"].into_iter().find(|sign| self.takes(sign));
        let Some(sign) = sign else { return self.operand() };
        self.open += 1;
        if self.open > OPEN_MAX {
            return Err((at, "nested too deep".into()));
        }
        let part = self.signed()?;
        self.open -= 1;
        let depth = nested(at, part.depth)?;
        let sort = match sign {
            "!" => Sort::Truth(Truth::Not(Box::new(Parser::as_truth(part)?))),
            "-" => Sort::Number(Number::Negative(Box::new(Parser::as_number(part)?))),
            _ => Sort::Number(Parser::as_number(part)?),
        };
        Ok(Value { at, sort, depth })
    }

    fn operand(&mut self) -> Result<Value, Wrong> {
        let Token { at, word } = self.tokens[self.next].clone();
        match word {
            Word::Number(n) => {
                self.next += 1;
                Ok(Value { at, sort: Sort::Number(Number::Constant(n)), depth: 0 })
            }
            Word::Name(name) => {
                self.next += 1;
                if self.takes("(") { self.call(at, name) } else { self.named(at, name) }
            }
            Word::Sign("(") => {
                self.next += 1;
                let inner = self.value()?;
                self.expect(")")?;
                Ok(Value { at, ..inner })
            }
            Word::Sign("=") => Err((at, "`=` is no operator; `==` compares".into())),
            Word::Sign(sign) => Err((at, format!("a value is expected, not `{sign}`"))),
            Word::End => Err((at, "the expression ends where a value is expected".into())),
        }
    }

    fn call(&mut self, at: usize, name: &str) -> Result<Value, Wrong> {
        let mut parts = Vec::new();
        let mut depth = 0;
        loop {
            let part = self.value()?;
            depth = depth.max(part.depth);
            parts.push(Parser::as_number(part)?);
            if !self.takes(",") {
                break;
            }
        }
        self.expect(")")?;
        let depth = nested(at, depth)?;
        let arity = |expected: &str| Err((at, format!("`{name}` takes {expected}, not {}", parts.len())));
        let sort = match (name, &parts[..]) {
            ("finite", _) => Sort::Truth(Truth::Finite(parts)),
            ("isnan", [one]) => Sort::Truth(Truth::Nan(one.clone())),
            ("isnan", _) => return arity("1 argument"),
            _ => {
                let mut known = Function::named(name).peekable();
                let Some(first) = known.peek().map(|function| function.arity) else {
                    return Err((at, format!("`{name}` is no function")));
                };
                match known.find(|function| function.arity == parts.len()) {
                    Some(function) => Sort::Number(Number::Call(*function, parts)),
                    None if first == 1 => return arity("1 argument"),
                    None => return arity(&format!("{first} arguments")),
                }
            }
        };
        Ok(Value { at, sort, depth })
    }

    fn named(&mut self, at: usize, name: &str) -> Result<Value, Wrong> {
        if let Some(slot) = (self.name)(name) {
            return Ok(Value { at, sort: Sort::Number(Number::Slot(slot)), depth: 0 });
        }
        let always = |holds| {
            let (one, other) = (Number::Constant(0.0), Number::Constant(if holds { 0.0 } else { 1.0 }));
            Sort::Truth(Truth::Compare(Order::Eq, one, other))
        };
        let sort = match name {
            "pi" => Sort::Number(Number::Constant(std::f64::consts::PI)),
            "true" => always(true),
            "false" => always(false),
            "finite" => Sort::Truth(Truth::Finite(self.channels(at)?)),
            _ => return Err((at, format!("`{name}` is neither a channel nor a uniform of the program"))),
        };
        Ok(Value { at, sort, depth: 1 })
    }

    /// `finite` alone means all channels.
    fn channels(&mut self, at: usize) -> Result<Vec<Number>, Wrong> {
        let slots = ["r", "g", "b", "a"].map(|name| (self.name)(name).map(Number::Slot));
        slots
            .into_iter()
            .collect::<Option<_>>()
            .ok_or((at, "`finite` needs its values here: `finite(a.r)`".into()))
    }

    fn as_truth(value: Value) -> Result<Truth, Wrong> {
        match value.sort {
            Sort::Truth(truth) => Ok(truth),
            Sort::Number(_) => {
                Err((value.at, "a number where a condition is expected; compare it with something".into()))
            }
        }
    }

    fn as_number(value: Value) -> Result<Number, Wrong> {
        match value.sort {
            Sort::Number(number) => Ok(number),
            Sort::Truth(_) => Err((value.at, "a condition where a number is expected".into())),
        }
    }

    fn order(&mut self) -> Option<Order> {
        const ORDERS: [Order; 6] = [Order::Eq, Order::Ne, Order::Le, Order::Ge, Order::Lt, Order::Gt];
        ORDERS.into_iter().find(|order| self.takes(order.symbol()))
    }

    fn at(&self) -> usize {
        self.tokens[self.next].at
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is = matches!(self.tokens[self.next].word, Word::Sign(here) if here == sign);
        self.next += usize::from(is);
        is
    }

    fn expect(&mut self, sign: &str) -> Result<(), Wrong> {
        if self.takes(sign) { Ok(()) } else { Err((self.at(), format!("`{sign}` is expected"))) }
    }
}

fn joined(left: Value, right: Value, join: fn(Box<Truth>, Box<Truth>) -> Truth) -> Result<Value, Wrong> {
    let (at, depth) = (left.at, nested(left.at, left.depth.max(right.depth))?);
    let (left, right) = (Parser::as_truth(left)?, Parser::as_truth(right)?);
    Ok(Value { at, sort: Sort::Truth(join(Box::new(left), Box::new(right))), depth })
}

fn computed(operation: Arithmetic, left: Value, right: Value) -> Result<Value, Wrong> {
    let (at, depth) = (left.at, nested(left.at, left.depth.max(right.depth))?);
    let (left, right) = (Parser::as_number(left)?, Parser::as_number(right)?);
    Ok(Value { at, sort: Sort::Number(Number::Binary(operation, Box::new(left), Box::new(right))), depth })
}

/// One level more than `depth`: evaluation recurses as deep as the tree is.
fn nested(at: usize, depth: usize) -> Result<usize, Wrong> {
    if depth < DEPTH_MAX { Ok(depth + 1) } else { Err((at, "nested too deep".into())) }
}
