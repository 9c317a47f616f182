//! `swift test` and `xcodebuild test`: XCTest (macOS: Apple's; elsewhere `PrintObserver.swift` in
//! <https://github.com/swiftlang/swift-corelibs-xctest>), Swift Testing (`Event.HumanReadableOutputRecorder.swift` in
//! <https://github.com/swiftlang/swift-testing>), the compiler's errors, and xcodebuild's own words around them.
//!
//! XCTest's outermost suite is a section, and so is a run of Swift Testing; `swift test` makes one of each, and the
//! first may have run nothing. xcodebuild with several simulators prints no summary but its last line.

mod build;
mod testing;
mod xcode;
mod xctest;

use crate::machine::{Closing, Format, Line, Machine, Out, Says};
use build::Errors;
use testing::Testing;
use xcode::Xcode;
use xctest::XcTest;

/// The table's line.
pub const FORMAT: Format = Format {
    name: "swift-test",
    commands: &["swift"],
    needles: &[
        "Test Suite '",
        "Test Case '",
        "Test case '",
        "Test suite '",
        " Test run started.",
        " Test run with ",
        ".swift:",
        "** TEST ",
        "** BUILD FAILED **",
        "Command line invocation:",
        "error: Exited with ",
    ],
    new: || Box::<SwiftTest>::default(),
};

/// xcodebuild is read by the same machine, for it passes both libraries' text on; it names itself where it speaks.
pub const XCODEBUILD: Format = Format {
    name: "xcodebuild",
    commands: &["xcodebuild"],
    needles: &[],
    new: || Box::<SwiftTest>::default(),
};

/// See the head of this file.
#[derive(Default)]
struct SwiftTest {
    opened: bool,
    xctest: XcTest,
    testing: Testing,
    xcode: Xcode,
    errors: Errors,
    /// One of the two libraries closed while the other was open.
    closed: Option<Closing>,
    /// Where a process said that it dies: the place and the words.
    fatal: Option<build::Fatal>,
}

impl Machine for SwiftTest {
    fn line(&mut self, line: &Line<'_>, out: &mut Out) {
        if line.overwritten {
            return;
        }
        let text = line.text.trim_end();
        if let Some(closing) = self.xctest.line(text, line.span, out) {
            self.close(closing, out);
        } else if let Some(closing) = self.testing.line(text, line.span, out) {
            self.close(closing, out);
        } else if let Some(said) = self.xcode.line(text, line.span, out) {
            self.xcode_said(said, out);
        } else if let Some(fatal) = build::Fatal::read(text) {
            self.fatal.get_or_insert(fatal);
        } else {
            self.errors.line(text, line.span);
        }
        self.open(out);
    }

    fn end(&mut self, out: &mut Out) {
        self.xctest.cut(self.fatal.as_ref());
        self.testing.cut(self.fatal.as_ref());
        self.say(out);
        match self.opened {
            true => self.errors.say(out),
            false => self.errors.refuse(out),
        }
    }
}

impl SwiftTest {
    /// Opens the section as soon as one of the readers is in one.
    fn open(&mut self, out: &mut Out) {
        let due = self.xctest.is_open() || self.testing.is_open() || self.xcode.is_open();
        if due && !self.opened {
            self.opened = true;
            if self.xcode.spoke() {
                out.runner(XCODEBUILD.name);
            }
            out.open();
        }
    }

    fn say(&mut self, out: &mut Out) {
        self.xctest.held.say(out);
        self.testing.held.say(out);
        self.xcode.held.say(out);
    }

    /// One library closed; the section does when both have.
    fn close(&mut self, closing: Closing, out: &mut Out) {
        let whole = match self.closed.take() {
            None => closing,
            Some(before) => both(before, closing),
        };
        if self.xctest.is_open() || self.testing.is_open() {
            self.closed = Some(whole);
            return;
        }
        if !self.opened {
            out.open();
        }
        let named = self.xctest.held.len() + self.testing.held.len() + self.xcode.held.len();
        self.say(out);
        out.unnamed(whole.counts.failed.unwrap_or(0).saturating_sub(named));
        out.close(whole);
        self.opened = false;
        self.fatal = None;
    }

    fn xcode_said(&mut self, said: xcode::Said, out: &mut Out) {
        out.runner(XCODEBUILD.name);
        match said {
            xcode::Said::BuildFailed => self.errors.refuse(out),
            xcode::Said::Tested(closing) => {
                // What began and did not end before xcodebuild's last word died.
                let says = closing.says;
                self.xctest.cut(self.fatal.as_ref());
                self.testing.cut(self.fatal.as_ref());
                let was_open = self.opened;
                self.xctest.leave();
                self.testing.leave();
                if self.errors.any() && says == Says::Red && !was_open {
                    return self.errors.refuse(out);
                }
                if was_open || says == Says::Red {
                    self.close(closing, out);
                }
            }
        }
    }
}

fn both(a: Closing, b: Closing) -> Closing {
    let mut counts = a.counts;
    counts.add(&b.counts);
    let says = match (a.says, b.says) {
        (Says::Red, _) | (_, Says::Red) => Says::Red,
        (Says::NoTests, other) | (other, _) => other,
    };
    Closing { says, counts, duration_ms: a.duration_ms.or(b.duration_ms), message: None }
}

#[cfg(test)]
mod tests;
