//! xUnit.net's failures as they happen: `    Name [FAIL]`, and what is indented more below it.
//!
//! With `dotnet test` each line has `[xUnit.net 00:00:00.50] ` before it, and a formatted list follows elsewhere.

use crate::dotnet::{Fault, LINES_MAX};
use crate::held::Held;
use bv_schemas::Failure;

/// The block that is being read.
#[derive(Debug, Default)]
pub struct Live {
    block: Option<Block>,
}

#[derive(Debug)]
struct Block {
    fault: Fault,
    indent: usize,
    part: Part,
    span: [u64; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Message,
    Stack,
    /// What the test printed.
    Output,
}

impl Live {
    /// Takes a line without its prefix.
    pub fn line(&mut self, text: &str, span: [u64; 2], held: &mut Held) {
        let indent = text.len() - text.trim_start().len();
        if let Some(block) = &mut self.block
            && (text.is_empty() || indent > block.indent)
        {
            block.line(text, span);
            return;
        }
        self.end(held);
        if let Some(name) = text.strip_suffix(" [FAIL]").filter(|_| (2..=8).contains(&indent)) {
            let fault = Fault { name: name.trim().to_owned(), ..Fault::default() };
            self.block = Some(Block { fault, indent, part: Part::Message, span });
        }
    }

    /// The block ended, if one is open; one that names a test that is held already says nothing new.
    pub fn end(&mut self, held: &mut Held) {
        let Some(block) = self.block.take() else { return };
        if held.find(&block.fault.name).is_none() {
            held.push(Failure { span: Some(block.span), ..block.fault.failure() });
        }
    }

    /// Whether what comes is a failure's.
    pub fn in_block(&self) -> bool {
        self.block.is_some()
    }
}

impl Block {
    fn line(&mut self, text: &str, span: [u64; 2]) {
        let own = text.get(self.indent + 2..).unwrap_or_default();
        match own {
            "Stack Trace:" => self.part = Part::Stack,
            "Output:" => self.part = Part::Output,
            _ => {
                let lines = match self.part {
                    Part::Message => &mut self.fault.message,
                    Part::Stack => &mut self.fault.stack,
                    Part::Output => return,
                };
                if lines.len() < LINES_MAX {
                    lines.push(own.to_owned());
                }
            }
        }
        self.span[1] = span[1];
    }
}
