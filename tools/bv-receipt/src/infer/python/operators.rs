//! Which methods the language itself calls: for operators, built-in functions, checks of `unittest`.

use super::ast::Op;

/// Built-in functions and the methods that they call.
pub const BUILTINS: &[(&str, &[&str])] = &[
    ("len", &["__len__"]),
    ("repr", &["__repr__"]),
    ("str", &["__str__", "__repr__"]),
    ("hash", &["__hash__"]),
    ("bool", &["__bool__", "__len__"]),
    ("iter", &["__iter__"]),
    ("list", &["__iter__", "__len__"]),
    ("tuple", &["__iter__"]),
    ("set", &["__iter__"]),
    ("sorted", &["__iter__", "__lt__"]),
    ("next", &["__next__"]),
    ("reversed", &["__reversed__"]),
    ("abs", &["__abs__"]),
    ("int", &["__int__"]),
    ("float", &["__float__"]),
    ("dict", &["__iter__", "__getitem__", "keys"]),
    ("sum", &["__add__", "__radd__"]),
    ("max", &["__lt__", "__gt__", "__iter__"]),
    ("min", &["__lt__", "__iter__"]),
    ("format", &["__format__"]),
    ("bytes", &["__bytes__"]),
    ("enumerate", &["__iter__"]),
    ("zip", &["__iter__"]),
    ("map", &["__iter__"]),
    ("round", &["__round__"]),
    ("divmod", &["__divmod__"]),
];

/// Functions of the standard library and the methods that they call on their first argument.
pub const LIBRARY: &[(&str, &[&str])] = &[
    ("signature", &["__signature__"]),
    ("deepcopy", &["__deepcopy__", "__reduce__"]),
    ("copy", &["__copy__", "__reduce__"]),
    ("dumps", &["__reduce__", "__getstate__"]),
];

/// Checks of `unittest` and the methods that they call on what they are given.
pub const CHECKS: &[(&str, &[&str])] = &[
    ("assertEqual", &["__eq__"]),
    ("assertEquals", &["__eq__"]),
    ("assertNotEqual", &["__ne__"]),
    ("assertIn", &["__contains__"]),
    ("assertNotIn", &["__contains__"]),
    ("assertTrue", &["__bool__"]),
    ("assertFalse", &["__bool__"]),
    ("assertLess", &["__lt__"]),
    ("assertGreater", &["__gt__"]),
    ("assertLessEqual", &["__le__"]),
    ("assertGreaterEqual", &["__ge__"]),
    ("assertSequenceEqual", &["__eq__"]),
    ("assertDictEqual", &["__eq__"]),
    ("assertListEqual", &["__eq__"]),
];

/// Method names of built-in types: on an unknown receiver they say little.
pub const COMMON: &[&str] = &[
    "get",
    "set",
    "add",
    "append",
    "extend",
    "pop",
    "keys",
    "values",
    "items",
    "update",
    "join",
    "split",
    "strip",
    "format",
    "encode",
    "decode",
    "read",
    "write",
    "close",
    "open",
    "copy",
    "index",
    "count",
    "sort",
    "insert",
    "remove",
    "clear",
    "lower",
    "upper",
    "replace",
    "startswith",
    "endswith",
    "find",
    "group",
    "match",
    "search",
    "sub",
];

/// The methods that a table gives for a name.
pub fn methods_of(table: &[(&str, &'static [&'static str])], name: &str) -> Option<&'static [&'static str]> {
    table.iter().find(|(known, _)| *known == name).map(|(_, methods)| *methods)
}

/// The method of an operator; `None` for those that call none.
pub fn operator_method(op: Op, reflected: bool) -> Option<String> {
    let name = match op {
        Op::Add => "add",
        Op::Sub => "sub",
        Op::Mul => "mul",
        Op::TrueDiv => "truediv",
        Op::FloorDiv => "floordiv",
        Op::Mod => "mod",
        Op::Pow => "pow",
        Op::MatMul => "matmul",
        Op::LShift => "lshift",
        Op::RShift => "rshift",
        Op::Or => "or",
        Op::And => "and",
        Op::Xor => "xor",
        _ => return None,
    };
    Some(format!("__{}{name}__", if reflected { "r" } else { "" }))
}

/// The methods that a comparison calls, the first one that there is.
pub fn comparison_methods(op: Op) -> &'static [&'static str] {
    match op {
        Op::Eq => &["__eq__"],
        Op::Ne => &["__ne__", "__eq__"],
        Op::Lt => &["__lt__", "__gt__"],
        Op::Le => &["__le__", "__ge__"],
        Op::Gt => &["__gt__", "__lt__"],
        Op::Ge => &["__ge__", "__le__"],
        Op::In => &["__contains__", "__iter__"],
        _ => &[],
    }
}
