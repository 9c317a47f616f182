//! The rules that need pictures.

use super::told::{Told, died};
use super::{Case, Program, Stop, bad};
use crate::check::{Rule, RuleKind};
use crate::draw::{Drawing, Halt, Pictures};
use crate::front::Language;
use crate::judge::{Court, Judge, Violation};
use crate::picture::{self, Picture};
use crate::report::Report;
use crate::scene;
use crate::session::{Death, Session};
use crate::shrink::shrink;
use crate::values::{Setting, Uniforms};
use crate::vectors::Source;
use crate::wire::{Adapter, Interface, Trouble};
use bv_schemas::Reason;
use std::io::{self, Write};

/// Bytes of pixels in memory at once.
const BATCH_BYTES_MAX: usize = 32 << 20;
/// Vectors drawn at once: the time limit is one batch's.
const BATCH_VECTORS_MAX: u64 = 2048;

/// The adapter, or the refusal.
pub(super) fn adapter(session: &mut Session) -> Result<Adapter, Stop> {
    session.adapter()?.map_err(|why| Stop::Refused(Reason::NoAdapter, format!("no graphics adapter: {why}")))
}

/// Draws all vectors and holds the rules against them.
pub(super) fn rules(
    case: &Case<'_>,
    program: &Program,
    interface: &Interface,
    adapter: Adapter,
    session: &mut Session,
    report: &mut Report<impl Write>,
    left: &mut u64,
) -> Result<(), Stop> {
    let mut uniforms = Uniforms::new(interface, [program.vertex.text.clone(), program.fragment.text.clone()]);
    uniforms.set(&case.check.uniforms).map_err(bad)?;
    let source = Source::read(case.check.vectors.as_ref(), &mut uniforms).map_err(bad)?;
    if source.count() == 0 {
        return Err(Stop::Refused(Reason::NoVectors, "there are no vectors".into()));
    }
    let flipped = program.language == Language::GlslEs300;
    let (scene, raw) = scene::scene(case.check, interface, case.file.folder(), program.last_first(&adapter))?;
    let mut outputs: Vec<_> = interface.outputs.iter().collect();
    outputs.sort_by_key(|output| output.location);
    let outputs: Vec<_> = outputs
        .iter()
        .zip(scene.targets.iter().copied().flatten())
        .map(|(output, format)| (output.name.clone(), format))
        .collect();
    let mut court = Court { uniforms: &mut uniforms, outputs: &outputs, size: scene.size, flipped };
    let (judges, blessed) = judges(case, &mut court, &source)?;
    let told = Told { case, program, adapter: &adapter, only_loop: interface.only_loop.as_ref() };
    let targets = outputs.iter().map(|(_, format)| *format).collect();
    let size = scene.size;
    let prepared = session.prepare(scene, raw)?;
    let mut drawing = Drawing { session, targets, size };
    let seen = match prepared {
        Ok(Ok(())) => judged(judges, &mut drawing, &uniforms, &source)?,
        Ok(Err(trouble)) => Err(Halt::Trouble(trouble)),
        Err(death) => Err(Halt::Death(death, None)),
    };
    let seen = match seen {
        Ok(seen) => seen,
        Err(halt) => return halted(&told, halt, &uniforms, report),
    };
    for one in seen {
        *left -= 1;
        report.passed(one.held);
        let Some((index, setting, violation)) = one.first else { continue };
        let simplest = match one.judge.shrinks() {
            true => shrink(&one.judge, &mut drawing, &uniforms, &source, (setting, violation))?,
            false => (setting, violation),
        };
        let index = case.check.vectors.is_some().then_some(index);
        let failure = told.violated(case.check, &one.judge, index, (&simplest.0, &simplest.1), &uniforms);
        report.failure(failure, one.broken)?;
    }
    bless(case, &blessed, flipped, &mut drawing, &uniforms, &source)
}

/// A rule, and the file of the reference that it is to be given.
type Blessed<'c> = Vec<(&'c Rule, String)>;

/// The judges, and the references to write instead of judging by them.
fn judges<'c>(
    case: &Case<'c>,
    court: &mut Court<'_>,
    source: &Source,
) -> Result<(Vec<Judge>, Blessed<'c>), Stop> {
    let mut judges = Vec::new();
    let mut blessed = Vec::new();
    for rule in &case.check.rules {
        if let Some(only) = rule.vector.filter(|only| *only >= source.count()) {
            let many = source.count();
            return Err(bad(format!("rule `{}`: vector {only} of {many}, which begin at 0", rule.id)));
        }
        let mut reference = None;
        if let Ok(RuleKind::Image { file, .. }) = rule.kind() {
            if case.bless {
                blessed.push((rule, file));
                continue;
            }
            let path = case.file.folder().join(&file);
            let read = picture::read(&path)
                .map_err(|(reason, why)| (reason, format!("rule `{}`: {why}", rule.id)))?;
            reference = Some((path, read));
        }
        judges.extend(Judge::new(rule, court, reference).map_err(bad)?);
    }
    Ok((judges, blessed))
}

/// What a judge has seen.
struct Seen {
    judge: Judge,
    held: u64,
    broken: u64,
    first: Option<(u64, Setting, Violation)>,
}

fn judged(
    judges: Vec<Judge>,
    drawing: &mut Drawing<'_>,
    uniforms: &Uniforms,
    source: &Source,
) -> io::Result<Result<Vec<Seen>, Halt>> {
    let mut all: Vec<Seen> =
        judges.into_iter().map(|judge| Seen { judge, held: 0, broken: 0, first: None }).collect();
    if all.is_empty() {
        return Ok(Ok(all));
    }
    let at_once = (BATCH_BYTES_MAX / drawing.picture_bytes().max(1)).max(1) as u64;
    let at_once = at_once.min(BATCH_VECTORS_MAX);
    let mut next = 0;
    while next < source.count() {
        let end = (next + at_once).min(source.count());
        let settings: Vec<Setting> = (next..end).map(|index| source.get(index, uniforms)).collect();
        let pictures = match drawing.pictures(&settings, uniforms)? {
            Ok(pictures) => pictures,
            Err(halt) => return Ok(Err(halt)),
        };
        for seen in &mut all {
            let others: Vec<Setting> =
                settings.iter().filter_map(|setting| seen.judge.other(setting, uniforms)).collect();
            let seconds = match drawing.pictures(&others, uniforms)? {
                Ok(pictures) => pictures,
                Err(halt) => return Ok(Err(halt)),
            };
            seen.look(next, &settings, &pictures, (!others.is_empty()).then_some(&seconds), uniforms);
        }
        next = end;
    }
    Ok(Ok(all))
}

impl Seen {
    fn look(
        &mut self,
        from: u64,
        settings: &[Setting],
        pictures: &Pictures,
        seconds: Option<&Pictures>,
        uniforms: &Uniforms,
    ) {
        for (n, setting) in settings.iter().enumerate() {
            let index = from + n as u64;
            if self.judge.only.is_some_and(|only| only != index) {
                continue;
            }
            let one = pictures.get(n, self.judge.target);
            let two = seconds.map_or(one, |seconds| seconds.get(n, self.judge.target));
            match self.judge.violation([one, two], setting, uniforms) {
                None => self.held += 1,
                Some(violation) => {
                    self.broken += 1;
                    self.leave(&one);
                    self.first.get_or_insert_with(|| (index, setting.clone(), violation));
                }
            }
        }
    }

    /// Pictures for a person beside the reference; that they cannot be written changes no verdict.
    fn leave(&self, observed: &picture::Pixels<'_>) {
        let Some((path, expected, observed)) = self.judge.reference(observed) else { return };
        if let Err(wrong) = picture::leave(path, expected, &observed) {
            eprintln!("bv-gpu: cannot leave the pictures that differ: {}: {wrong}", path.display());
        }
    }
}

/// Writes the references that were asked for.
fn bless(
    case: &Case<'_>,
    blessed: &Blessed<'_>,
    flipped: bool,
    drawing: &mut Drawing<'_>,
    uniforms: &Uniforms,
    source: &Source,
) -> Result<(), Stop> {
    for (rule, file) in blessed {
        let setting = source.get(rule.vector.unwrap_or(0), uniforms);
        let picture: Picture = match drawing.pictures(&[setting], uniforms)? {
            Ok(pictures) => pictures.get(0, 0).picture(flipped),
            Err(_) => return Err(bad(format!("rule `{}`: there is no picture to bless", rule.id))),
        };
        let path = case.file.folder().join(file);
        picture.write(&path).map_err(|wrong| io::Error::other(format!("{}: {wrong}", path.display())))?;
        eprintln!("bv-gpu: wrote {}; nothing was compared with it", path.display());
    }
    Ok(())
}

/// Tells why there are no pictures.
fn halted(
    told: &Told<'_>,
    halt: Halt,
    uniforms: &Uniforms,
    report: &mut Report<impl Write>,
) -> Result<(), Stop> {
    let failure = match halt {
        Halt::Trouble(Trouble::Unsupported(feature)) => {
            return Err(Stop::Refused(
                Reason::UnsupportedFeature,
                format!("{}: {feature}", told.adapter.name),
            ));
        }
        Halt::Trouble(trouble) => {
            let death = Death::Crashed { how: "device error".into(), words: trouble.to_string() };
            died(told.case.file, &death, "drawing")
        }
        Halt::Death(death, setting) => told.while_drawing(&death, setting.as_ref(), uniforms),
    };
    report.failure(failure, 1)?;
    Err(Stop::Told)
}
