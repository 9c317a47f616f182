//! `bv-gpu eval`: uniform vectors in, what the shader draws for them out, as a candidate of bv-gate.
//!
//! In: one JSON object a line, uniform to value. Out, in order: `{"output": ...}`, or `{"exception_type", ...}` where
//! a vector cannot be drawn. Lines are drawn in batches, and a batch is drawn as soon as the input pauses, so that a
//! caller that waits for an answer gets it.

use crate::Driver;
use crate::check::Check;
use crate::draw::{Drawing, Pictures};
use crate::front::{Diagnostic, Output, Rejection};
use crate::run::{CheckFile, Program, Stop};
use crate::scene;
use crate::session::{Death, Session};
use crate::values::{Setting, Uniforms, number};
use crate::wire::Trouble;
use bv_schemas::{exit, ndjson};
use serde_json::{Map, Value, json};
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Lines drawn at once.
const BATCH_LINES_MAX: usize = 2048;

/// Answers uniform vectors with what the shader draws for them.
///
/// One JSON object a line comes in (uniform to value), one goes out: `{"output": ...}` with the pixel of a 1x1
/// target in 32-bit floats, or `{"exception_type": ...}`. The output is an array of the components that the shader
/// writes, a number where it writes one; with several outputs an object by their names.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A fragment shader, or a vertex and a fragment shader, or a check file (.json) whose rules are not looked at
    #[arg(value_name = "SHADER", required = true, num_args = 1..=2)]
    shaders: Vec<PathBuf>,

    #[command(flatten)]
    driver: Driver,
}

/// One answer a line of a batch.
type Answers<'a> = Box<dyn FnMut(&[String]) -> io::Result<Vec<Value>> + 'a>;

/// Answers until the input ends.
///
/// # Errors
/// Those of the streams, and where no process can be started.
pub fn run(args: &Args, input: impl BufRead + Send + 'static, mut output: impl Write) -> io::Result<u8> {
    let (check, file) = setup(args).map_err(io::Error::other)?;
    let places = args.driver.places(true).map_err(io::Error::other)?;
    let mut session = Session::new(places, args.driver.timeout.clone());
    let lines = lines(input)?;
    let mut answers: Answers<'_> = match Answerer::new(&check, &file, &mut session)? {
        Ok(mut answerer) => Box::new(move |batch| answerer.answers(batch)),
        // The shader itself is wrong: every vector gets to hear it.
        Err(NoAnswerer::Broken(answer)) => Box::new(move |batch| Ok(vec![answer.clone(); batch.len()])),
        Err(NoAnswerer::Refused(why)) => {
            eprintln!("bv-gpu: {why}");
            return Ok(exit::REFUSED);
        }
    };
    while let Some(batch) = next_batch(&lines)? {
        for answer in answers(&batch)? {
            ndjson::write(&mut output, &answer)?;
        }
        output.flush()?;
    }
    Ok(exit::PASSED)
}

/// The check that is drawn, and the file whose folder its names are relative to.
fn setup(args: &Args) -> Result<(Check, CheckFile), String> {
    let name = |path: &Path| path.display().to_string();
    if let [path] = &args.shaders[..]
        && path.extension().is_some_and(|ext| ext == "json")
    {
        let text = std::fs::read(path).map_err(|wrong| format!("{}: {wrong}", name(path)))?;
        let check = Check::read(&text).map_err(|wrong| format!("{}: {wrong}", name(path)))?;
        return Ok((check, CheckFile { path: Some(path.clone()), text }));
    }
    let mut program = json!({ "fragment": args.shaders.last().map(|path| name(path)) });
    if let [vertex, _] = &args.shaders[..] {
        program["vertex"] = name(vertex).into();
    }
    let check = json!({ "bvGpu": 1, "program": program, "target": { "format": "rgba32f" }, "rules": [] });
    let check = Check::read(check.to_string().as_bytes())?;
    Ok((check, CheckFile { path: None, text: Vec::new() }))
}

/// The lines of the input, read beside the drawing, so that a pause can be told from a line that comes.
fn lines(mut input: impl BufRead + Send + 'static) -> io::Result<Receiver<io::Result<String>>> {
    let (tell, lines) = sync_channel(BATCH_LINES_MAX);
    thread::Builder::new().name("lines".into()).spawn(move || {
        let mut line = Vec::new();
        loop {
            let read = match ndjson::read_line(&mut input, &mut line) {
                Ok(true) if line.trim_ascii().is_empty() => continue,
                Ok(true) => Ok(String::from_utf8_lossy(&line).into_owned()),
                Ok(false) => return,
                Err(wrong) => Err(wrong),
            };
            let last = read.is_err();
            if tell.send(read).is_err() || last {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// All lines that are there, at least one; `None` at the end of input.
fn next_batch(lines: &Receiver<io::Result<String>>) -> io::Result<Option<Vec<String>>> {
    let Ok(first) = lines.recv() else { return Ok(None) };
    let mut batch = vec![first?];
    while batch.len() < BATCH_LINES_MAX {
        match lines.try_recv() {
            Ok(line) => batch.push(line?),
            Err(_) => break,
        }
    }
    Ok(Some(batch))
}

/// Answers vectors.
struct Answerer<'s> {
    drawing: Drawing<'s>,
    uniforms: Uniforms,
    outputs: Vec<Output>,
}

/// Why nothing can be answered.
enum NoAnswerer {
    /// The shader is wrong: the answer to every vector.
    Broken(Value),
    /// Nothing can be said of the shader.
    Refused(String),
}

impl<'s> Answerer<'s> {
    fn new(
        check: &Check,
        file: &CheckFile,
        session: &'s mut Session,
    ) -> io::Result<Result<Answerer<'s>, NoAnswerer>> {
        let refused = |why: String| Ok(Err(NoAnswerer::Refused(why)));
        let program = match Program::load(&check.program, file.folder()) {
            Ok(program) => program,
            Err(Stop::Io(wrong)) => return Err(wrong),
            Err(Stop::Refused(_, why)) => return refused(why),
            Err(Stop::Told) => return refused("no program".into()),
        };
        session.compile(program.language, program.vertex.clone(), program.fragment.clone())?;
        let adapter = match session.adapter()? {
            Ok(adapter) => adapter,
            Err(why) => return refused(format!("no graphics adapter: {why}")),
        };
        let interface = match session.compiled()? {
            Ok(Ok(interface)) => interface,
            Ok(Err(Rejection::Unsupported(feature))) => return refused(format!("unsupported: {feature}")),
            Ok(Err(Rejection::Errors(wrong))) => return Ok(Err(NoAnswerer::Broken(compile_error(&wrong)))),
            Err(death) => return Ok(Err(NoAnswerer::Broken(fatal(&death)))),
        };
        let mut uniforms =
            Uniforms::new(&interface, [program.vertex.text.clone(), program.fragment.text.clone()]);
        if let Err(why) = uniforms.set(&check.uniforms) {
            return refused(why);
        }
        let last_first = program.last_first(&adapter);
        let (scene, raw) = match scene::scene(check, &interface, file.folder(), last_first) {
            Ok(scene) => scene,
            Err((_, why)) => return refused(why),
        };
        let targets = scene.targets.iter().copied().flatten().collect();
        let size = scene.size;
        match session.prepare(scene, raw)? {
            Ok(Ok(())) => {}
            Ok(Err(trouble @ Trouble::Unsupported(_))) => return refused(trouble.to_string()),
            Ok(Err(trouble)) => {
                return Ok(Err(NoAnswerer::Broken(exception("device error", &trouble.to_string()))));
            }
            Err(death) => return Ok(Err(NoAnswerer::Broken(fatal(&death)))),
        }
        let mut outputs = interface.outputs;
        outputs.sort_by_key(|output| output.location);
        Ok(Ok(Answerer { drawing: Drawing { session, targets, size }, uniforms, outputs }))
    }

    /// One answer a line, in order.
    fn answers(&mut self, lines: &[String]) -> io::Result<Vec<Value>> {
        let read: Vec<Result<Setting, String>> = lines.iter().map(|line| self.read(line)).collect();
        let settings: Vec<Setting> = read.iter().filter_map(|one| one.as_ref().ok().cloned()).collect();
        let mut drawn = Vec::new();
        self.draw(&settings, &mut drawn)?;
        let mut drawn = drawn.into_iter();
        let answer = |one: Result<Setting, String>| match one {
            Ok(_) => drawn.next().unwrap_or_default(),
            Err(why) => exception("bad_input", &why),
        };
        Ok(read.into_iter().map(answer).collect())
    }

    fn read(&mut self, line: &str) -> Result<Setting, String> {
        let values: Map<String, Value> = serde_json::from_str(line).map_err(|wrong| wrong.to_string())?;
        self.uniforms.read(&values)
    }

    /// Draws all; where the worker dies, each half by itself, until the vectors that do it are alone.
    fn draw(&mut self, settings: &[Setting], to: &mut Vec<Value>) -> io::Result<()> {
        match self.drawing.attempt(settings, &self.uniforms)? {
            Ok(Ok(pictures)) => {
                to.extend((0..settings.len()).map(|n| json!({ "output": self.output(&pictures, n) })))
            }
            Ok(Err(trouble)) => {
                to.extend(settings.iter().map(|_| exception("device error", &trouble.to_string())));
            }
            Err(death) if settings.len() == 1 => to.push(fatal(&death)),
            Err(_) => {
                let (first, second) = settings.split_at(settings.len() / 2);
                self.draw(first, to)?;
                self.draw(second, to)?;
            }
        }
        Ok(())
    }

    fn output(&self, pictures: &Pictures, n: usize) -> Value {
        let values = self.outputs.iter().enumerate().map(|(target, output)| {
            let pixels = pictures.get(n, target);
            let components = (output.ty.rows as usize).clamp(1, 4);
            let pixel = |x, y| match &pixels.at(x, y)[..components] {
                [only] => number(*only),
                several => several.iter().map(|value| number(*value)).collect(),
            };
            let [width, height] = pixels.size;
            let value = match (width, height) {
                (1, 1) => pixel(0, 0),
                _ => (0..height).map(|y| (0..width).map(|x| pixel(x, y)).collect::<Value>()).collect(),
            };
            (output.name.clone(), value)
        });
        match self.outputs.len() {
            1 => values.map(|(_, value)| value).next().unwrap_or_default(),
            _ => Value::Object(values.collect()),
        }
    }
}

fn exception(kind: &str, words: &str) -> Value {
    json!({ "exception_type": kind, "exception_msg": words })
}

fn fatal(death: &Death) -> Value {
    let kind = match death {
        Death::Late(_) | Death::Endless(_) => "timeout",
        Death::Crashed { how, .. } => how,
    };
    exception(kind, &death.to_string())
}

fn compile_error(wrong: &[Diagnostic]) -> Value {
    let Some(first) = wrong.first() else {
        return exception("compile_error", "the program cannot be compiled");
    };
    let mut answer = exception("compile_error", &first.message);
    answer["file"] = first.file.clone().into();
    if let Some(line) = first.line {
        answer["line"] = line.into();
    }
    if let Some(function) = &first.function {
        answer["function"] = function.clone().into();
    }
    answer
}
