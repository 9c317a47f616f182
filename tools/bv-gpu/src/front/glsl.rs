//! A WebGL2 program from its two GLSL sources.

use super::diagnose::{Entry, Place, errors, is_no_link_error, link_errors};
use super::glslang::{self, Compiled};
use super::interface::{self, Interface, Stage as Linked};
use super::places::Places;
use super::source::{Prepared, SOURCE_BYTES_MAX, prepare, without_line_directives};
use super::spirv::shader::Shader;
use super::spirv::{entry, infinite, lookups, operations, specialize, switches};
use super::survey::survey;
use super::{Diagnostic, Program, Rejection, Rule, Source, Stage, expansion, limits, module};

/// See [`super::compile`].
pub fn compile(vertex: &Source, fragment: &Source) -> Result<Program, Rejection> {
    for source in [vertex, fragment] {
        if source.text.len() > SOURCE_BYTES_MAX {
            return Err(Rejection::Unsupported(format!("a source of more than {SOURCE_BYTES_MAX} bytes")));
        }
    }
    if [vertex, fragment].into_iter().any(|source| expansion::words(&source.text) > expansion::WORDS_MAX) {
        let most = expansion::WORDS_MAX;
        return Err(Rejection::Unsupported(format!("macros that expand to more than {most} words")));
    }
    let prepared = [prepare(&vertex.text), prepare(&fragment.text)];
    // What is nested too deeply reaches no compiler.
    let faults: Vec<Diagnostic> = [(vertex, Stage::Vertex), (fragment, Stage::Fragment)]
        .into_iter()
        .zip(&prepared)
        .flat_map(|((source, stage), prepared)| {
            let place = Place { stage, source, places: Places::read(&prepared.text) };
            prepared.faults.iter().map(|fault| place.fault(fault)).collect::<Vec<_>>()
        })
        .collect();
    if !faults.is_empty() {
        return Err(Rejection::Errors(faults));
    }
    let compiled = glslang::compile(
        (&prepared[0].text, prepared[0].version),
        (&prepared[1].text, prepared[1].version),
        is_no_link_error,
    );
    let physical = physical_lines(&prepared, &compiled);
    let lines = physical.as_ref().unwrap_or(&compiled);
    let places = [(vertex, Stage::Vertex), (fragment, Stage::Fragment)].map(|(source, stage)| {
        let at = usize::from(stage == Stage::Fragment);
        let preprocessed = without_line_directives(&lines.stages[at].preprocessed);
        let text = if preprocessed.is_empty() { &prepared[at].text } else { &preprocessed };
        Place { stage, source, places: Places::read(text) }
    });
    let [vertex_place, fragment_place] = &places;
    let mut found = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let stage = &compiled.stages[at];
        let mut entries = errors(&stage.log);
        if !stage.ok && entries.is_empty() {
            entries = errors("ERROR: the compiler failed without a word");
        }
        found.extend(place.compile_errors(entries, &errors(&lines.stages[at].log)));
    }
    if found.is_empty() {
        let log = compiled.link_log.as_deref().unwrap_or_default();
        found = link_errors(log, vertex_place, fragment_place);
        if prepared[0].version != prepared[1].version {
            let message = "versions of the vertex and the fragment shader differ".to_owned();
            found.push(fragment_place.error(Rule::Link, Some(1), None, Entry::new("#version", message)));
        }
    }
    if !found.is_empty() {
        return Err(Rejection::Errors(found));
    }
    let Some([vertex_words, fragment_words]) = &compiled.spirv else {
        return Err(Rejection::Unsupported("a program that glslang gives no code for".to_owned()));
    };
    let unsupported = Rejection::Unsupported;
    let mut vertex = stage(vertex_words, wgpu::ShaderStages::VERTEX).map_err(unsupported)?;
    let mut fragment = stage(fragment_words, wgpu::ShaderStages::FRAGMENT).map_err(unsupported)?;
    vertex.shader.set_booleans(vertex_place.places.booleans());
    fragment.shader.set_booleans(fragment_place.places.booleans());
    found = mismatches(&vertex, &fragment, fragment_place);
    found.extend(limits::check(&vertex, &fragment, vertex_place, fragment_place));
    if !found.is_empty() {
        return Err(Rejection::Errors(found));
    }
    let interface = interface::join(&mut vertex, &mut fragment).map_err(unsupported)?;
    program(vertex, fragment, interface).map_err(unsupported)
}

/// The same compilation by physical lines, where an error has to be found in a text that renumbers its lines.
fn physical_lines(prepared: &[Prepared; 2], compiled: &Compiled) -> Option<Compiled> {
    if !prepared.iter().any(|prepared| prepared.renumbered) {
        return None;
    }
    if compiled.spirv.is_some() && compiled.stages.iter().all(|stage| stage.ok) {
        return None;
    }
    let [vertex, fragment] = [0, 1].map(|at| without_line_directives(&prepared[at].text));
    let [of_vertex, of_fragment] = [0, 1].map(|at| prepared[at].version);
    Some(glslang::compile((&vertex, of_vertex), (&fragment, of_fragment), is_no_link_error))
}

/// A stage whose operations and parameters are those that naga has, and what it uses.
fn stage(words: &[u32], visibility: wgpu::ShaderStages) -> Result<Linked, String> {
    let mut shader = Shader::load(words).ok_or("a program that glslang gives no code for")?;
    specialize::specialize(&mut shader)?;
    switches::rewrite(&mut shader)?;
    infinite::rewrite(&mut shader);
    operations::rewrite(&mut shader);
    lookups::rewrite(&mut shader)?;
    let survey = survey(&mut shader)?;
    Ok(Linked { shader, survey, visibility })
}

/// What glslang's linker lets pass: varyings that are flat in one shader only.
fn mismatches(vertex: &Linked, fragment: &Linked, place: &Place<'_>) -> Vec<Diagnostic> {
    let flat = |stage: &Linked, variable| {
        entry::interpolation(&stage.shader, variable) == entry::Interpolation::Flat
    };
    fragment
        .survey
        .inputs
        .iter()
        .filter(|input| {
            let output = vertex.survey.outputs.iter().find(|output| output.name == input.name);
            output.is_some_and(|output| flat(vertex, output) != flat(fragment, input))
        })
        .map(|input| {
            let message = "interpolation differs between vertex and fragment shader".to_owned();
            place.about(Rule::Link, &input.name, message)
        })
        .collect()
}

fn program(mut vertex: Linked, mut fragment: Linked, interface: Interface) -> Result<Program, String> {
    let vertex = module::read(&vertex.shader.assemble())?;
    let fragment = module::read(&fragment.shader.assemble())?;
    let needs = module::needs(&vertex) | module::needs(&fragment);
    Ok(Program {
        vertex,
        vertex_entry: "main".to_owned(),
        fragment,
        fragment_entry: "main".to_owned(),
        uniforms: interface.uniforms,
        blocks: interface.blocks,
        samplers: interface.samplers,
        attributes: interface.attributes,
        outputs: interface.outputs,
        front_face: wgpu::FrontFace::Cw,
        point_size: interface.point_size,
        point_coord: interface.point_coord,
        needs,
    })
}
