//! A program in WGSL, taken as it is: naga reads it, and its bindings, groups and coordinates stay the user's own.

use super::diagnose::{Entry, Place};
use super::places::Places;
use super::source::SOURCE_BYTES_MAX;
use super::wgsl_interface;
use super::{Diagnostic, Program, Rejection, Rule, Source, Stage, module};
use naga::{Module, ShaderStage};

/// See [`super::compile`].
pub fn compile(vertex: &Source, fragment: &Source) -> Result<Program, Rejection> {
    for source in [vertex, fragment] {
        if source.text.len() > SOURCE_BYTES_MAX {
            return Err(Rejection::Unsupported(format!("a source of more than {SOURCE_BYTES_MAX} bytes")));
        }
    }
    let vertex_place = place(vertex, Stage::Vertex);
    let fragment_place = place(fragment, Stage::Fragment);
    // One file may hold both entry points; its errors are told once.
    let same = vertex.file == fragment.file && vertex.text == fragment.text;
    let read_vertex = read(&vertex_place);
    let read_fragment = if same { read_vertex.clone() } else { read(&fragment_place) };
    let (vertex_module, fragment_module) = match (read_vertex, read_fragment) {
        (Ok(vertex), Ok(fragment)) => (vertex, fragment),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => return Err(Rejection::Errors(vec![error])),
        (Err(one), Err(_)) if same => return Err(Rejection::Errors(vec![one])),
        (Err(one), Err(other)) => return Err(Rejection::Errors(vec![one, other])),
    };
    let entry = |module: &Module, stage, place: &Place<'_>| {
        let found = module.entry_points.iter().find(|entry| entry.stage == stage);
        found.map(|entry| entry.name.clone()).ok_or_else(|| {
            let message = format!("no entry point for the {} stage", stage_name(place.stage));
            place.error(Rule::Link, None, None, Entry { at: None, token: None, message })
        })
    };
    let vertex_entry = entry(&vertex_module, ShaderStage::Vertex, &vertex_place);
    let fragment_entry = entry(&fragment_module, ShaderStage::Fragment, &fragment_place);
    let (vertex_entry, fragment_entry) = match (vertex_entry, fragment_entry) {
        (Ok(vertex), Ok(fragment)) => (vertex, fragment),
        (one, other) => return Err(Rejection::Errors(one.err().into_iter().chain(other.err()).collect())),
    };
    let needs = module::needs(&vertex_module) | module::needs(&fragment_module);
    let program = Program {
        vertex: vertex_module,
        vertex_entry,
        fragment: fragment_module,
        fragment_entry,
        uniforms: vec![],
        blocks: vec![],
        samplers: vec![],
        attributes: vec![],
        outputs: vec![],
        front_face: wgpu::FrontFace::Ccw,
        point_size: false,
        point_coord: false,
        needs,
    };
    wgsl_interface::describe(program, &vertex_place, &fragment_place)
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Vertex => "vertex",
        Stage::Fragment => "fragment",
    }
}

fn place(source: &Source, stage: Stage) -> Place<'_> {
    Place { stage, source, places: Places::read(&source.text) }
}

fn read(place: &Place<'_>) -> Result<Module, Diagnostic> {
    let text = &place.source.text;
    let told = |span: Option<naga::Span>, message: String| {
        let span = span.filter(|span| span.is_defined());
        let line = span.map(|span| span.location(text).line_number);
        let token = span
            .and_then(|span| text.get(span.to_range()?))
            .filter(|token| !token.is_empty() && token.len() <= 64 && !token.contains('\n'));
        let entry = Entry { at: None, token: token.map(str::to_owned), message };
        place.error(Rule::Compile, line, None, entry)
    };
    let module = naga::front::wgsl::parse_str(text).map_err(|error| {
        let span = error.labels().next().map(|(span, _)| span);
        told(span, error.message().to_owned())
    })?;
    module::validate(&module).map_err(|(span, message)| told(span, message))?;
    Ok(module)
}
