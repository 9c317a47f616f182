//! Maven's console: Surefire and Failsafe 2 and 3, the compiler plugin's errors, and the build's own verdict.
//!
//! A section opens at the first ` T E S T S`, `<<< FAILURE!`, `COMPILATION ERROR` or build verdict, spans all
//! modules of a build, and closes below `BUILD SUCCESS` or `BUILD FAILURE`. Where Maven's own frame was never
//! seen (`-q`, a log that begins late), the modules' totals close it. What tests print is told from Surefire's
//! words by where these stand: a class' failures follow its summary, a module's totals follow `Results:`,
//! the build's verdict follows a rule.

mod block;
mod build;
mod module;
mod recap;

use crate::machine::{Format, Line, Machine, Out};
use block::Block;
use build::Build;
use module::Module;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "maven-surefire",
    commands: &["mvn", "mvnw", "mvnd"],
    needles: &[
        " T E S T S",
        "<<< FAILURE!",
        "<<< ERROR!",
        "COMPILATION ERROR",
        "BUILD FAILURE",
        "BUILD SUCCESS",
        "Scanning for projects...",
    ],
    new: || Box::new(Maven::default()),
};

#[derive(Default)]
struct Maven {
    build: Build,
    /// The module whose tests run.
    module: Option<Module>,
    block: Option<Block>,
}

/// What stands before a line: Maven's level, as it prints it or as a CI system renders it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Info,
    Warning,
    Error,
}

impl Machine for Maven {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        let text = line.text.trim_end();
        let (level, rest) = level(text);
        if let Some(block) = &mut self.block {
            if block.take(level, text, line.span) {
                return;
            }
            self.block_ends();
        }
        if level.is_none() && !is_bare(text) {
            return;
        }
        if self.build.line(level, rest, line.span, self.module.as_ref(), out) {
            if self.build.is_over() {
                self.close(out);
            }
            return;
        }
        self.surefire(level, rest, line, out);
    }

    fn end(&mut self, out: &mut Out) {
        self.block_ends();
        if self.build.can_close(self.module.as_ref()) {
            self.close(out);
            return;
        }
        if let Some(module) = self.module.take() {
            module.end(out);
        }
        self.build.end(out);
    }

    fn owns_lines(&self) -> bool {
        self.block.is_some()
    }
}

impl Maven {
    fn surefire(&mut self, level: Option<Level>, rest: &str, line: &Line<'_>, out: &mut Out) {
        if rest == " T E S T S" {
            self.begins(Module::default(), out);
            return;
        }
        if rest.contains("<<< ")
            && self.module.is_none()
            && (Block::is_title(rest) || module::class_summary(rest).is_some())
        {
            // `-q` leaves the heading out.
            self.begins(Module::quiet(), out);
        }
        let Some(module) = &mut self.module else { return };
        if let Some(title) = module.title(level, rest) {
            self.block = Some(Block::begins(title, line.span));
        } else if let Some(totals) = module.line(level, rest) {
            let module = self.module.take();
            module.into_iter().for_each(|module| self.build.totals(module, totals));
        }
    }

    fn begins(&mut self, module: Module, out: &mut Out) {
        self.build.open(out);
        if let Some(before) = self.module.replace(module) {
            self.build.unfinished(before);
        }
    }

    fn block_ends(&mut self) {
        if let (Some(block), Some(module)) = (self.block.take(), self.module.as_mut()) {
            module.failed(block.failure());
        }
    }

    fn close(&mut self, out: &mut Out) {
        if let Some(module) = self.module.take() {
            self.build.unfinished(module);
        }
        std::mem::take(&mut self.build).close(out);
    }
}

/// The level and what stands behind it; a line of Maven 2 or of an old Surefire has none.
fn level(text: &str) -> (Option<Level>, &str) {
    const LEVELS: &[(&str, Level)] = &[
        ("[INFO]", Level::Info),
        ("[WARNING]", Level::Warning),
        ("[ERROR]", Level::Error),
        ("##[error]", Level::Error),
        ("##[warning]", Level::Warning),
        ("Error: ", Level::Error),
        ("Warning: ", Level::Warning),
    ];
    if !text.starts_with(['[', '#', 'E', 'W']) {
        return (None, text);
    }
    match LEVELS.iter().find_map(|(mark, level)| Some((*level, text.strip_prefix(mark)?))) {
        Some((level, rest)) => (Some(level), rest.strip_prefix(' ').unwrap_or(rest)),
        None => (None, text),
    }
}

/// What Surefire prints without a level: all of it, up to version 2.18.
fn is_bare(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "Tests ",
        "Tests run:",
        "Running ",
        "Results :",
        "Failed tests:",
        "Tests in error:",
        " T E S T S",
        "Flaked tests:",
    ];
    BEGINNINGS.iter().any(|begins| text.starts_with(begins))
        || text.ends_with("<<< FAILURE!")
        || text.ends_with("<<< ERROR!")
        || text.starts_with("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels() {
        for (text, want) in [
            ("[INFO] Results:", (Some(Level::Info), "Results:")),
            ("[ERROR]   A.b:3 c", (Some(Level::Error), "  A.b:3 c")),
            ("[INFO]", (Some(Level::Info), "")),
            ("Error:  Tests run: 3", (Some(Level::Error), "Tests run: 3")),
            ("Tests run: 3", (None, "Tests run: 3")),
            ("[info] x", (None, "[info] x")),
        ] {
            assert_eq!(level(text), want, "{text}");
        }
    }
}
