//! C++: functions and methods, defined in their class or out of it (`Shop::Cart::add`), classes and named
//! namespaces; tests that a macro declares.
//!
//! A lambda in a function is part of it; one that is a variable of a namespace has its name.

use super::printed;
use super::test_macros::{self, prepare};
use super::tree::{declarator_name, field, lines, text};
use super::{Definition, Kind, Language, c};
use tree_sitter::Node;

/// C++'s definitions. Headers are C++ to most: what C has in them reads alike.
pub const LANGUAGE: Language = Language {
    separator: "::",
    keywords: &[
        ("struct", Kind::Type),
        ("class", Kind::Type),
        ("union", Kind::Type),
        ("enum", Kind::Type),
        ("namespace", Kind::Scope),
    ],
    prepare,
    loose: test_macros::loose,
    plain,
    ..Language::new(
        &["cpp", "cc", "cxx", "c++", "h", "hh", "hpp", "hxx", "h++", "inl", "ipp", "tpp", "cu", "cuh"],
        || tree_sitter_cpp::LANGUAGE.into(),
        definition,
    )
};

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let definition = match node.kind() {
        "function_definition" => {
            if let Some(test) = test_macros::test(node, source) {
                return Some(test);
            }
            Definition::function(function_name(node, source)?, node)
        }
        "class_specifier" => {
            node.child_by_field_name("body")?;
            Definition::typ(without_templates(field(node, "name", source)?), node)
        }
        "concept_definition" => Definition::typ(field(node, "name", source)?, node),
        "namespace_definition" => Definition::new(field(node, "name", source)?, Kind::Scope, node),
        "init_declarator" => lambda(node, above, source)?,
        _ => c::definition(node, above, source)
            .map(|found| Definition { name: without_templates(&found.name), ..found })?,
    };
    // `template <class T>` on a line of its own is the definition's first.
    match above.last().filter(|parent| parent.kind() == "template_declaration") {
        Some(template) => Some(Definition { lines: lines(*template), ..definition }),
        None => Some(definition),
    }
}

/// As it is written, with its class out of which it is defined, without template arguments.
fn function_name(function: Node, source: &[u8]) -> Option<String> {
    let declarator = function.child_by_field_name("declarator")?;
    if let Some(cast) = find_cast(declarator) {
        // `Cart::operator bool() const`
        return Some(without_templates(text(cast, source)?.split('(').next()?));
    }
    Some(without_templates(text(declarator_name(declarator)?, source)?))
}

fn find_cast(declarator: Node) -> Option<Node> {
    if declarator.kind() == "operator_cast" {
        return Some(declarator);
    }
    let mut inner =
        declarator.child_by_field_name("name").filter(|_| declarator.kind() == "qualified_identifier")?;
    while inner.kind() == "qualified_identifier" {
        inner = inner.child_by_field_name("name")?;
    }
    (inner.kind() == "operator_cast").then_some(declarator)
}

fn lambda(declarator: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let value =
        declarator.child_by_field_name("value").filter(|value| value.kind() == "lambda_expression")?;
    let [.., outer, _] = above else { return None };
    let is_outside = matches!(outer.kind(), "translation_unit" | "declaration_list");
    let name = declarator.child_by_field_name("declarator")?;
    (is_outside && value.child_count() > 0).then_some(())?;
    Some(Definition::function(text(name, source)?, declarator))
}

/// `V::push` of `V<T>::push`. An operator's own signs stay.
fn without_templates(name: &str) -> String {
    let (scope, operator) = name.find("operator").map_or((name, ""), |at| name.split_at(at));
    let mut plain = String::with_capacity(name.len());
    let mut depth = 0usize;
    for c in scope.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 && !c.is_whitespace() => plain.push(c),
            _ => {}
        }
    }
    plain.push_str(operator.trim_end());
    plain
}

/// Debuggers and sanitizers print `int shop::Cart<int>::add(int) const`, `f()::{lambda(int)#1}::operator()(int)`,
/// `f()::$_0::operator()() const`; GoogleTest's and Boost's own methods hold the bodies of tests.
fn plain(printed: &str) -> Option<&str> {
    let mut name = printed.trim();
    if let Some((before, _)) = name.split_once(" [clone") {
        name = before;
    }
    // The function around a lambda.
    for mark in ["::{lambda", "::'lambda", "::$_"] {
        if let Some((around, _)) = name.split_once(mark) {
            name = around;
        }
    }
    for word in [" const", " volatile", " &", " &&", " noexcept"] {
        name = name.strip_suffix(word).unwrap_or(name).trim_end();
    }
    if let Some(at) = name.rfind("operator").filter(|&at| at == 0 || name[..at].ends_with(':')) {
        return Some(operator(&name[at..]));
    }
    name = printed::without_arguments(name);
    if let Some(test) = name.strip_suffix("::test_method") {
        return printed::plain(test);
    }
    if name.ends_with("_Test::TestBody") || name.ends_with("_Test::testBody") || name == "TestBody" {
        return None;
    }
    if name.ends_with('>') {
        name = printed::opening(name, '<', '>').map_or(name, |at| &name[..at]);
    }
    let generated = |name: &&str| {
        ["C_A_T_C_H_", "CATCH2_INTERNAL_", "DOCTEST_ANON_", "_DOCTEST_ANON_"]
            .iter()
            .any(|own| name.starts_with(own))
    };
    printed::plain(name).filter(|name| !generated(name))
}

/// An operator without its arguments: `operator()` of `operator()(int)`.
fn operator(name: &str) -> &str {
    match name.strip_prefix("operator()") {
        Some(_) => &name[.."operator()".len()],
        None => name.split('(').next().unwrap_or(name).trim_end(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn functions_have_the_names_of_their_classes_and_namespaces() {
        check(
            "a.cpp",
            "//=",
            "\
namespace a {
namespace b::c {
class K { //= a::b::c::K 3-20
 public:
  K(); //= a::b::c::K 3-20
  ~K() { go(); } //= a::b::c::K::~K 6-6
  int m() const { //= a::b::c::K::m 7-9
    return 1; //= a::b::c::K::m 7-9
  }
  template <class T> //= a::b::c::K::t 10-13
  void t() { //= a::b::c::K::t 10-13
    go(); //= a::b::c::K::t 10-13
  }
  bool operator==(const K& o) const { return true; } //= a::b::c::K::operator== 14-14
  operator bool() const { return 1; } //= a::b::c::K::operator bool 15-15
  int operator()(int x) { return x; } //= a::b::c::K::operator() 16-16
  struct In {
    void z() { go(); } //= a::b::c::K::In::z 18-18
  };
};
}
}
a::b::c::K::K() : x(1) { go(); } //= a::b::c::K::K 23-23
a::K::~K() { go(); } //= a::K::~K 24-24
template <class T> void V<T>::push(T x) { //= V::push 25-28
  auto l = [&](int a) { return a; }; //= V::push 25-28
  l(1); //= V::push 25-28
}
bool V<int>::operator<(int) { return 1; } //= V::operator< 29-29
std::vector<int>& f() { go(); } //= f 30-30
int* K::ptr() { return 0; } //= K::ptr 31-31
namespace { void anon() { go(); } } //= anon 32-32
auto lam = [](int x) { return x; }; //= lam 33-33
K::operator int() const { return 1; } //= K::operator int 34-34
",
        );
    }

    #[test]
    fn tests_of_macros_are_found() {
        check(
            "a_test.cc",
            "//=",
            "\
namespace shop {
TEST(Suite, Case) { go(); } //= Suite.Case 2-2
TEST_F(Fix, Name) { //= Fix.Name 3-6
  struct Local { void m() { go(); } }; //= Fix.Name::Local::m 4-4
  auto check = [] { go(); }; //= Fix.Name 3-6
}
}  // namespace
TYPED_TEST(Fix, Name) { go(); } //= Fix.Name 8-8
TEST_CASE(\"a \\\"name\\\"\", \"[tag]\") { //= a \"name\" 9-11
  SECTION(\"s\") { go(); } //= a \"name\" 9-11
}
TEST_CASE(\"dt\" * doctest::skip()) { go(); } //= dt 12-12
TEST_CASE_METHOD(Fix, \"other\") { go(); } //= other 13-13
TEMPLATE_TEST_CASE(\"tt\", \"[x]\", int, float) { go(); } //= tt 14-14
SCENARIO(\"scen\") { GIVEN(\"x\") { go(); } } //= scen 15-15
BOOST_AUTO_TEST_CASE(energy) { go(); } //= energy 16-16
BOOST_AUTO_TEST_CASE(heat, * boost::unit_test::timeout(2)) { //= heat 17-19
  go(); //= heat 17-19
}
TEST(Suite,
     Split) { go(); } //= Suite.Split 20-21
int plain() { return 1; } //= plain 22-22
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_functions() {
        check(
            "a.cpp",
            "//=",
            "\
class A {
  void m() {
    int x = ; //= A::m 2-5
    foo( //= A::m 2-5
  }
  int n() { return 1; } //= A::n 6-6
};
TEST(S, C) {
  if (x) { //= S.C 8-10
    y(1); //= S.C 8-10
",
        );
        check(
            "b.cpp",
            "//=",
            "\
namespace phys {
int f(int x {
  return x; //= phys::f 2-4
}
int g() { return 1; } //= phys::g 5-5
}
",
        );
    }

    #[test]
    fn what_debuggers_print_is_read() {
        check_printed(
            "a.cpp",
            &[
                ("shop::Cart::add(int, char const*) const", "add"),
                ("int shop::Cart<int>::add<double>(double)", "add"),
                ("std::vector<int>& f(std::function<void (int)>)", "f"),
                ("shop::f(int)::{lambda(int)#1}::operator()(int) const", "f"),
                ("shop::f()::$_0::operator()() const", "f"),
                ("shop::Cart::operator()(int)", "operator()"),
                ("shop::Cart::operator==(shop::Cart const&) const", "operator=="),
                ("shop::Cart::~Cart()", "~Cart"),
                ("(anonymous namespace)::f(int)", "f"),
                ("Spring_Energy_Test::TestBody()", "-"),
                ("spring::energy::test_method()", "energy"),
                ("CATCH2_INTERNAL_TEST_0()", "-"),
                ("DOCTEST_ANON_FUNC_2()", "-"),
                ("f(int) [clone .isra.0]", "f"),
            ],
        );
    }
}
