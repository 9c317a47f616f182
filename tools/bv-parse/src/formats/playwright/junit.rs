//! Playwright's `junit` reporter: the suite is the file, the text is the block that the terminal shows.

use super::block::Block;
use crate::formats::junit_xml::{Case, Dialect, Fault, Head};
use crate::machine::Line;
use bv_schemas::{Failure, Place};

/// Its dialect. The root has no name unless the environment gives one.
pub const JUNIT: Dialect = Dialect {
    runner: "playwright",
    owns,
    failure,
    repeats: |_| false,
    counts_pairs_once: false,
    errors_first: false,
};

fn owns(head: &Head<'_>) -> bool {
    let file = head.suite.rsplit('.').next().unwrap_or_default();
    head.wrapped
        && head.root.is_empty()
        && ["ts", "js", "mjs", "cjs", "tsx", "jsx", "mts", "cts"].contains(&file)
        && ["timestamp", "hostname", "errors"].iter().all(|name| head.attribute(name).is_some())
}

fn failure(case: &Case, fault: &Fault) -> Failure {
    let mut lines = fault.text.lines().map(|text| Line { text, span: [0, 0], overwritten: false });
    let block = lines.find_map(|line| {
        // Its number is left out.
        let head = format!("  1) {}", line.text.trim_start());
        Block::begins(&Line { text: &head, ..line })
    });
    let Some(mut block) = block else {
        let file = Some(case.classname.clone()).filter(|file| !file.is_empty());
        let test = file.map(|file| Place { file: Some(file), ..Place::default() });
        let message = Some(fault.message.clone()).filter(|message| !message.is_empty());
        return Failure { id: Some(case.dotted()), message, test, ..Failure::default() };
    };
    for line in lines {
        block.line(&line);
    }
    Failure { span: None, ..block.failure() }
}
