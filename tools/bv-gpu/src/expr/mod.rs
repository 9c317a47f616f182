//! The expressions of rules: `r == sin(u_x) + u_y`, computed on the CPU in 64-bit floats.
//!
//! In: a text and what its names mean. Out: a truth or a number for each assignment of values. What the text may
//! hold is bounded, so that no check file makes the parser or the evaluation grow without end.

mod functions;
mod lex;
mod parse;

pub use parse::{DEPTH_MAX, OPEN_MAX, TEXT_BYTES_MAX};

use crate::check::{Order, Tolerance};
use functions::Function;

/// What a rule says of a pixel or vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    root: Truth,
}

/// A number computed from others.
#[derive(Debug, Clone, PartialEq)]
pub struct Formula {
    root: Number,
}

#[derive(Debug, Clone, PartialEq)]
enum Number {
    Constant(f64),
    /// Index into the values that an evaluation gets.
    Slot(usize),
    Negative(Box<Number>),
    Binary(Arithmetic, Box<Number>, Box<Number>),
    Call(Function, Vec<Number>),
    Choice(Box<Truth>, Box<Number>, Box<Number>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Debug, Clone, PartialEq)]
enum Truth {
    Compare(Order, Number, Number),
    Finite(Vec<Number>),
    Nan(Number),
    And(Box<Truth>, Box<Truth>),
    Or(Box<Truth>, Box<Truth>),
    Not(Box<Truth>),
}

impl Condition {
    /// Reads a condition; `name` gives the slot of a name (`r`, `u_color.x`, `a.r`), or nothing where there is none.
    ///
    /// # Errors
    /// What is wrong and where, as `column 3: ...`.
    pub fn read(text: &str, name: &mut dyn FnMut(&str) -> Option<usize>) -> Result<Condition, String> {
        Ok(Condition { root: parse::truth(text, name)? })
    }

    /// Whether it holds of `values`.
    pub fn holds(&self, values: &[f64], tolerance: &Tolerance) -> bool {
        truth(&self.root, values, tolerance)
    }

    /// The two sides of the first comparison that does not hold: `0.5 == 0.25`. Absent where what fails is none.
    pub fn sides(&self, values: &[f64], tolerance: &Tolerance) -> Option<String> {
        match broken(&self.root, values, tolerance)? {
            Truth::Compare(order, left, right) => {
                let (left, right) = (number(left, values, tolerance), number(right, values, tolerance));
                Some(format!("{} {} {}", shown(left), order.symbol(), shown(right)))
            }
            _ => None,
        }
    }
}

impl Formula {
    /// As [`Condition::read`], for a number.
    ///
    /// # Errors
    /// As there.
    pub fn read(text: &str, name: &mut dyn FnMut(&str) -> Option<usize>) -> Result<Formula, String> {
        Ok(Formula { root: parse::number(text, name)? })
    }

    /// Its value.
    pub fn value(&self, values: &[f64]) -> f64 {
        number(&self.root, values, &Tolerance::default())
    }
}

/// A number as a receipt shows it: what a 32-bit float holds is written as shortly as such a float can be.
pub fn shown(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value || value.is_nan() { format!("{single}") } else { format!("{value:.9}") }
}

/// The first part of a conjunction that does not hold.
fn broken<'t>(root: &'t Truth, values: &[f64], tolerance: &Tolerance) -> Option<&'t Truth> {
    match root {
        Truth::And(left, right) => {
            broken(left, values, tolerance).or_else(|| broken(right, values, tolerance))
        }
        other => Some(other).filter(|_| !truth(other, values, tolerance)),
    }
}

fn truth(root: &Truth, values: &[f64], tolerance: &Tolerance) -> bool {
    match root {
        Truth::Compare(order, left, right) => {
            let (left, right) = (number(left, values, tolerance), number(right, values, tolerance));
            order.holds(left, right, tolerance.slack(right))
        }
        Truth::Finite(parts) => parts.iter().all(|part| number(part, values, tolerance).is_finite()),
        Truth::Nan(part) => number(part, values, tolerance).is_nan(),
        Truth::And(left, right) => truth(left, values, tolerance) && truth(right, values, tolerance),
        Truth::Or(left, right) => truth(left, values, tolerance) || truth(right, values, tolerance),
        Truth::Not(part) => !truth(part, values, tolerance),
    }
}

fn number(root: &Number, values: &[f64], tolerance: &Tolerance) -> f64 {
    match root {
        Number::Constant(value) => *value,
        Number::Slot(slot) => values.get(*slot).copied().unwrap_or(f64::NAN),
        Number::Negative(part) => -number(part, values, tolerance),
        Number::Binary(operation, left, right) => {
            let (left, right) = (number(left, values, tolerance), number(right, values, tolerance));
            match operation {
                Arithmetic::Add => left + right,
                Arithmetic::Subtract => left - right,
                Arithmetic::Multiply => left * right,
                Arithmetic::Divide => left / right,
            }
        }
        Number::Call(function, parts) => {
            let mut arguments = [0.0; functions::ARGUMENTS_MAX];
            for (argument, part) in arguments.iter_mut().zip(parts) {
                *argument = number(part, values, tolerance);
            }
            function.value(&arguments[..parts.len()])
        }
        Number::Choice(condition, yes, no) => {
            number(if truth(condition, values, tolerance) { yes } else { no }, values, tolerance)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 6] = ["r", "g", "b", "a", "u_x", "u_m[1].y"];
    const VALUES: [f64; 6] = [0.5, 0.25, f64::NAN, 1.0, 2.0, -3.0];

    fn slot(name: &str) -> Option<usize> {
        NAMES.iter().position(|known| *known == name)
    }

    /// Whether it holds, and the sides of what does not.
    fn check(text: &str, expected: Result<(bool, Option<&str>), &str>) {
        let tolerance = Tolerance::default();
        let got = Condition::read(text, &mut slot);
        let got = got.map(|c| (c.holds(&VALUES, &tolerance), c.sides(&VALUES, &tolerance)));
        let got = got.as_ref().map(|(holds, sides)| (*holds, sides.as_deref())).map_err(String::as_str);
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn conditions_are_computed() {
        check("r == 0.5", Ok((true, None)));
        check("r + g * 2 <= 1.0 && a>=1", Ok((true, None)));
        check("r+g+b <= 1.0", Ok((false, Some("NaN <= 1"))));
        check("finite", Ok((false, None)));
        check("isnan(b) && !isnan(r)", Ok((true, None)));
        check("a == 1 && u_x < -u_m[1].y - 1.5", Ok((false, Some("2 < 1.5"))));
        check("u_m[1].y == -3", Ok((true, None)));
        check("(u_x > 0 ? r : g) == 0.5", Ok((true, None)));
        check("abs(sin(pi)) < 1e-15", Ok((true, None)));
        check("atan(1, 1) == pi / 4 && max(r, g) == r", Ok((true, None)));
        check("mod(-1, 4) == 3 && fract(-0.25) == 0.75", Ok((true, None)));
        check("clamp(u_x, 0, 1) == mix(0, 2, r) || false", Ok((true, None)));
        check("r == 1/3", Ok((false, Some("0.5 == 0.333333333"))));
        check("b != 1", Ok((false, Some("NaN != 1"))));
    }

    #[test]
    fn what_is_none_is_told_with_its_column() {
        check("", Err("column 1: the expression ends where a value is expected"));
        check("r <", Err("column 4: the expression ends where a value is expected"));
        check("r", Err("column 1: a number where a condition is expected; compare it with something"));
        check("r = 1", Err("column 3: `=` is no operator; `==` compares"));
        check("0 < r < 1", Err("column 7: comparisons do not chain; write `a < b && b < c`"));
        check("foo == 1", Err("column 1: `foo` is neither a channel nor a uniform of the program"));
        check("foo(1) == 1", Err("column 1: `foo` is no function"));
        check("sin(1, 2) == 1", Err("column 1: `sin` takes 1 argument, not 2"));
        check("r == 1 1", Err("column 8: an operator is expected"));
        check("(r == 1", Err("column 8: `)` is expected"));
        check("r && a", Err("column 1: a number where a condition is expected; compare it with something"));
        check("r == (a == 1)", Err("column 6: a condition where a number is expected"));
        check("r == 1.2.3", Err("column 6: `1.2.3` is no number"));
        check("r == 'x'", Err("column 6: `'` does not belong into an expression"));
    }

    #[test]
    fn depth_and_length_are_bounded() {
        let deep = format!("{}1{} == 1", "(".repeat(OPEN_MAX + 1), ")".repeat(OPEN_MAX + 1));
        assert!(Condition::read(&deep, &mut slot).expect_err("too deep").ends_with("nested too deep"));
        let chain = vec!["1"; 1000].join("+") + " == 1000";
        assert!(Condition::read(&chain, &mut slot).expect_err("too deep").ends_with("nested too deep"));
        let long = " ".repeat(TEXT_BYTES_MAX + 1);
        assert!(Condition::read(&long, &mut slot).is_err());
    }

    #[test]
    fn tolerances_widen_each_comparison() {
        let tolerance = Tolerance { abs: 0.25, ..Tolerance::default() };
        let holds =
            |text: &str| Condition::read(text, &mut slot).expect("it reads").holds(&VALUES, &tolerance);
        assert!(holds("r == 0.25") && holds("r <= 0.25") && !holds("r != 0.25") && !holds("r < 0.25"));
    }
}
