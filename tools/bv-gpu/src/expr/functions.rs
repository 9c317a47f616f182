//! The functions of expressions: GLSL's, in 64-bit floats.

/// Most arguments of a function.
pub(super) const ARGUMENTS_MAX: usize = 3;

/// A function of numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Function {
    pub(super) name: &'static str,
    pub(super) arity: usize,
    of: fn(&[f64]) -> f64,
}

impl PartialEq for Function {
    fn eq(&self, other: &Function) -> bool {
        (self.name, self.arity) == (other.name, other.arity)
    }
}

impl Function {
    /// All functions of this name, one an arity.
    pub(super) fn named(name: &str) -> impl Iterator<Item = &'static Function> {
        FUNCTIONS.iter().filter(move |function| function.name == name)
    }

    /// Its value; as many arguments as its arity.
    pub(super) fn value(&self, arguments: &[f64]) -> f64 {
        (self.of)(arguments)
    }
}

const fn function(name: &'static str, arity: usize, of: fn(&[f64]) -> f64) -> Function {
    Function { name, arity, of }
}

const FUNCTIONS: &[Function] = &[
    function("abs", 1, |v| v[0].abs()),
    function("acos", 1, |v| v[0].acos()),
    function("acosh", 1, |v| v[0].acosh()),
    function("asin", 1, |v| v[0].asin()),
    function("asinh", 1, |v| v[0].asinh()),
    function("atan", 1, |v| v[0].atan()),
    function("atan", 2, |v| v[0].atan2(v[1])),
    function("atanh", 1, |v| v[0].atanh()),
    function("ceil", 1, |v| v[0].ceil()),
    function("clamp", 3, |v| v[0].max(v[1]).min(v[2])),
    function("cos", 1, |v| v[0].cos()),
    function("cosh", 1, |v| v[0].cosh()),
    function("degrees", 1, |v| v[0].to_degrees()),
    function("exp", 1, |v| v[0].exp()),
    function("exp2", 1, |v| v[0].exp2()),
    function("floor", 1, |v| v[0].floor()),
    function("fract", 1, |v| v[0] - v[0].floor()),
    function("inversesqrt", 1, |v| 1.0 / v[0].sqrt()),
    function("log", 1, |v| v[0].ln()),
    function("log2", 1, |v| v[0].log2()),
    function("max", 2, |v| v[0].max(v[1])),
    function("min", 2, |v| v[0].min(v[1])),
    function("mix", 3, |v| v[0] * (1.0 - v[2]) + v[1] * v[2]),
    function("mod", 2, |v| v[0] - v[1] * (v[0] / v[1]).floor()),
    function("pow", 2, |v| v[0].powf(v[1])),
    function("radians", 1, |v| v[0].to_radians()),
    function("round", 1, |v| v[0].round()),
    function("sign", 1, |v| if v[0] == 0.0 || v[0].is_nan() { v[0] } else { v[0].signum() }),
    function("sin", 1, |v| v[0].sin()),
    function("sinh", 1, |v| v[0].sinh()),
    function("smoothstep", 3, |v| {
        let t = ((v[2] - v[0]) / (v[1] - v[0])).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }),
    function("sqrt", 1, |v| v[0].sqrt()),
    function("step", 2, |v| if v[1] < v[0] { 0.0 } else { 1.0 }),
    function("tan", 1, |v| v[0].tan()),
    function("tanh", 1, |v| v[0].tanh()),
    function("trunc", 1, |v| v[0].trunc()),
];
