//! Ruby: classes and modules, instance methods (`Cart#add`) and singleton methods (`Cart.parse`), also those
//! of `define_method`; else test blocks (RSpec, minitest, test-unit, Rails) by their titles.
//!
//! A block or lambda in a method is part of it; a lambda that is a constant has the constant's name.

use super::printed::{self, after_phrase};
use super::titles;
use super::tree::{field, text};
use super::{Definition, Joint, Kind, Language};
use tree_sitter::Node;

/// Ruby's definitions.
pub const LANGUAGE: Language = Language {
    separator: "::",
    keywords: &[("def", Kind::Function), ("class", Kind::Type), ("module", Kind::Type)],
    method: INSTANCE,
    plain,
    ..Language::new(&["rb", "rake", "ru", "gemspec"], || tree_sitter_ruby::LANGUAGE.into(), definition)
};

const INSTANCE: Joint = Joint::Mark("#");
const SINGLETON: Joint = Joint::Mark(".");

fn definition(node: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    match node.kind() {
        "class" | "module" => Some(Definition::typ(field(node, "name", source)?, node)),
        "method" => {
            let joint = if is_of_singleton(above) { SINGLETON } else { INSTANCE };
            Some(Definition::function(field(node, "name", source)?, node).joined(joint))
        }
        "singleton_method" => {
            let (object, name) = (field(node, "object", source)?, field(node, "name", source)?);
            let is_inside = object == "self" || is_in_class(above, object, source);
            let name = if is_inside { name.to_owned() } else { format!("{object}.{name}") };
            Some(Definition::function(name, node).joined(SINGLETON))
        }
        "assignment" => constant(node, source),
        "call" => defined(node, above, source).or_else(|| test(node, source)),
        _ => None,
    }
}

fn outer_definition<'above, 'tree>(above: &'above [Node<'tree>]) -> Option<&'above Node<'tree>> {
    let defines = ["class", "module", "singleton_class", "method", "singleton_method"];
    above.iter().rev().find(|outer| defines.contains(&outer.kind()))
}

fn is_of_singleton(above: &[Node]) -> bool {
    outer_definition(above).is_some_and(|outer| outer.kind() == "singleton_class")
}

fn is_in_class(above: &[Node], name: &str, source: &[u8]) -> bool {
    outer_definition(above).and_then(|outer| field(*outer, "name", source)) == Some(name)
}

/// `Point = Struct.new(:x) do … end` is a class, `SLUG = ->(s) { … }` a function.
fn constant(assignment: Node, source: &[u8]) -> Option<Definition> {
    let left = assignment.child_by_field_name("left").filter(|left| left.kind() == "constant")?;
    let right = assignment.child_by_field_name("right")?;
    let name = text(left, source)?;
    if right.kind() == "lambda" {
        return Some(Definition::function(name, assignment));
    }
    right.child_by_field_name("block")?;
    let method = field(right, "method", source)?;
    let of = field(right, "receiver", source);
    match (of, method) {
        (Some("Struct" | "Class" | "Module"), "new") | (Some("Data"), "define") => {
            Some(Definition::typ(name, assignment))
        }
        (None, "lambda" | "proc") => Some(Definition::function(name, assignment)),
        _ => None,
    }
}

/// `define_method(:name) { … }`.
fn defined(call: Node, above: &[Node], source: &[u8]) -> Option<Definition> {
    let joint = match field(call, "method", source)? {
        "define_method" if is_of_singleton(above) => SINGLETON,
        "define_method" => INSTANCE,
        "define_singleton_method" => SINGLETON,
        _ => return None,
    };
    call.child_by_field_name("block")?;
    let name = title(call.child_by_field_name("arguments")?.named_child(0)?, source)?;
    Some(Definition::function(name, call).joined(joint))
}

/// Methods that open a test block.
const BLOCKS: &[&str] = &[
    "describe",
    "context",
    "it",
    "specify",
    "example",
    "feature",
    "scenario",
    "test",
    "should",
    "sub_test_case",
    "shared_examples",
    "shared_examples_for",
    "shared_context",
    "fdescribe",
    "fcontext",
    "fit",
    "xdescribe",
    "xcontext",
    "xit",
];

/// `RSpec.describe Cart, "#add" do … end`, `it("adds") { … }`, `test "adds" do … end`.
fn test(call: Node, source: &[u8]) -> Option<Definition> {
    let of = field(call, "receiver", source);
    if !BLOCKS.contains(&field(call, "method", source)?) || of.is_some_and(|of| of != "RSpec") {
        return None;
    }
    call.child_by_field_name("block")?;
    let arguments = call.child_by_field_name("arguments")?;
    let mut children = arguments.walk();
    let mut arguments = arguments.named_children(&mut children);
    let mut name = title(arguments.next()?, source)?;
    // RSpec says `Cart#add` for `describe Cart, "#add"`, else puts a blank between.
    if let Some(more) = arguments.next().filter(|next| next.kind() == "string") {
        let more = title(more, source)?;
        let gap = if more.starts_with(['#', '.', ':']) { "" } else { " " };
        name = format!("{name}{gap}{more}");
    }
    Some(Definition::new(name, Kind::Test, call))
}

/// A string's text, a symbol's name, a class's name.
fn title(node: Node, source: &[u8]) -> Option<String> {
    match node.kind() {
        "constant" | "scope_resolution" => text(node, source).map(str::to_owned),
        "simple_symbol" => text(node, source).map(|name| name.trim_start_matches(':').to_owned()),
        _ => titles::title(node, source),
    }
}

/// Ruby prints `Cart#add`, since 3.4 with the class; `block (2 levels) in Cart#add`, `rescue in add`; and
/// `<main>`, `<top (required)>`, `<class:Cart>`, `singleton class` for what is no method.
fn plain(printed: &str) -> Option<&str> {
    let name = after_phrase(printed, &["block ", "rescue ", "ensure ", "loop "], " in ");
    if name.starts_with('<') || name.ends_with("singleton class") || name.starts_with("block ") {
        return None;
    }
    printed::plain(name)
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{check, check_printed};

    #[test]
    fn methods_are_named_after_their_owner() {
        check(
            "cart.rb",
            "#=",
            "\
module Shop::Core #= Shop::Core 1-24
  class Cart < Base #= Shop::Core::Cart 2-23
    LIMIT = 3 #= Shop::Core::Cart 2-23
    def add(x) = x #= Shop::Core::Cart#add 4-4
    def self.parse(s) #= Shop::Core::Cart.parse 5-9
      s.map do |x|
        x #= Shop::Core::Cart.parse 5-9
      end
    end
    def Cart.other; end #= Shop::Core::Cart.other 10-10
    class << self
      def z; end #= Shop::Core::Cart.z 12-12
    end
    define_method(:dyn) { |x| x } #= Shop::Core::Cart#dyn 14-14
    private def priv; end #= Shop::Core::Cart#priv 15-15
    SLUG = ->(x) { x } #= Shop::Core::Cart::SLUG 16-16
    def ==(o); end #= Shop::Core::Cart#== 17-17
    def total=(v); end #= Shop::Core::Cart#total= 18-18
    test \"does it\" do #= does it 19-21
      assert true #= does it 19-21
    end
    scope :x, -> { 1 } #= Shop::Core::Cart 2-23
  end
end
Point = Struct.new(:x) do #= Point 25-27
  def dist; end #= Point#dist 26-26
end
def top #= top 28-30
  handler = lambda { |x| x } #= top 28-30
end
def obj.foo; end #= obj.foo 31-31
",
        );
    }

    #[test]
    fn a_test_block_is_known_by_its_titles() {
        check(
            "cart_spec.rb",
            "#=",
            "\
RSpec.describe Cart, '#add' do #= Cart#add 1-15
  let(:x) { 1 } #= Cart#add 1-15
  context 'when empty', :tag do #= Cart#add › when empty 3-11
    it('adds') { x } #= Cart#add › when empty › adds 4-4
    it { is_expected.to eq 1 } #= Cart#add › when empty 3-11
    specify \"it's fine\" do #= Cart#add › when empty › it's fine 6-10
      list.each do |y|
        expect(y) #= Cart#add › when empty › it's fine 6-10
      end
    end
  end
  def helper #= helper 12-14
    1 #= helper 12-14
  end
end
",
        );
    }

    #[test]
    fn an_unfinished_source_still_gives_its_methods() {
        check(
            "a.rb",
            "#=",
            "\
class A
  def m
    x = #= A#m 2-4
  end
  def n
    1 #= A#n 5-7
  end
  def o
    foo( #= A#o 8-9
",
        );
    }

    #[test]
    fn what_the_runtime_prints_is_read() {
        check_printed(
            "a.rb",
            &[
                ("add", "add"),
                ("Shop::Cart#add", "add"),
                ("Shop::Cart.parse", "parse"),
                ("block in Cart#add", "add"),
                ("block (2 levels) in add", "add"),
                ("rescue in block in add", "add"),
                ("block (3 levels) in <top (required)>", "-"),
                ("<top (required)>", "-"),
                ("<main>", "-"),
                ("<class:Cart>", "-"),
            ],
        );
    }
}
