//! What the inference knows of a program, whatever its language: functions, what they call, where tests are.
//!
//! A language is one implementation of [`Code`]. It reads files as names ask for them and never fails: what
//! it cannot resolve costs an edge.

use std::rc::Rc;

/// A function by its number within one [`Code`].
pub type FunctionId = u32;

/// A function as it is reached: `owner` is the class it is called on, where the language tells methods of one
/// class from those that it hands down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    pub function: FunctionId,
    pub owner: Option<u32>,
}

/// A call, or a mention that may become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    pub to: Target,
    /// How sure it is that the line leads there, up to 1.
    pub weight: f32,
    /// Where it stands in the caller, from 1.
    pub line: u32,
}

/// A function as a receipt names it.
#[derive(Clone, Debug, PartialEq)]
pub struct About {
    /// Relative to the root.
    pub file: Rc<str>,
    /// Qualified within the file.
    pub name: Rc<str>,
    /// First and last line, from 1.
    pub lines: [u32; 2],
    /// Whether it belongs to the tests.
    pub is_test: bool,
}

/// What the line of a frame proves about the lines around it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failing {
    /// The last line that can have run: the end of the statement, or of the loop around it.
    pub ran_to: u32,
    /// First line, last line and weight of what made the values of the statement, itself first.
    pub slice: Vec<(u32, u32, f32)>,
    /// Whether the statement only raises.
    pub raises: bool,
    /// Whether the whole function is there to raise.
    pub only_raises: bool,
}

impl Failing {
    /// The weight of a line in the slice; 0 outside it.
    pub fn weight(&self, line: u32) -> f32 {
        let holds = |&&(first, last, _): &&(u32, u32, f32)| (first..=last).contains(&line);
        self.slice.iter().find(holds).map_or(0.0, |&(.., weight)| weight)
    }
}

/// A program in one language.
pub trait Code {
    /// What is known of a function.
    fn about(&self, function: FunctionId) -> About;
    /// The innermost function around a line.
    fn function_at(&mut self, file: &str, line: u32) -> Option<FunctionId>;
    /// The functions that a test of this name in this file runs; empty where no definition carries it.
    fn test(&mut self, file: &str, id: &str) -> Vec<Target>;
    /// Every test of a file with its name as the runner would print it behind the file.
    fn tests_of(&mut self, file: &str) -> Vec<(String, Target)>;
    /// What runs before the test.
    fn setup(&mut self, test: Target) -> Vec<Edge>;
    /// What a function calls.
    fn calls(&mut self, caller: Target) -> Rc<[Edge]>;
    /// What is proved by a failure on this line of a function.
    fn failing(&mut self, function: FunctionId, line: u32) -> Failing;
    /// The options that the lines of a test name: `f(x, strict=True)` names `strict`.
    fn options(&mut self, function: FunctionId, on: &dyn Fn(u32) -> bool) -> Vec<Rc<str>>;
    /// Whether a function decides by an option of this name: reads it other than to hand it on.
    fn decides_by(&mut self, function: FunctionId, option: &str) -> bool;
    /// How much it is a function's way to give nothing (`None`, `null`, `nil`), 0 to 1.
    fn gives_nothing(&mut self, function: FunctionId) -> f32;
    /// The class that a frame's function is called on.
    fn owner(&self, function: FunctionId) -> Option<u32>;
}
