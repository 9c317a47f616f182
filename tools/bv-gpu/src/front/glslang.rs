//! The one place that calls glslang, Khronos's reference compiler, in this process.
//!
//! In: the texts of both stages. Out: each stage's log, the preprocessed text, and, where both compile and link,
//! SPIR-V for each. All rules are those of GLSL ES 3.00; nothing is parsed under another version.

#![expect(unsafe_code, reason = "glslang has a C interface only")]

use super::Stage;
use glslang_sys as sys;
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;
use std::sync::{Mutex, OnceLock};

/// What one stage came to.
#[derive(Debug, Default)]
pub struct Parsed {
    /// Whether it has no error.
    pub ok: bool,
    /// The text after preprocessing, lines kept; empty where that failed.
    pub preprocessed: String,
    /// Errors and warnings, one a line.
    pub log: String,
}

/// What both stages came to.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The vertex and the fragment shader.
    pub stages: [Parsed; 2],
    /// The linker's log; absent where nothing was linked.
    pub link_log: Option<String>,
    /// SPIR-V of vertex and fragment shader; absent where anything failed.
    pub spirv: Option<[Vec<u32>; 2]>,
}

/// Parses both stages by the rules of GLSL ES 3.00, links them and generates SPIR-V.
///
/// A text is given with its version, 300 or 100. It holds no NUL; what stands behind one would not be read. `forgive` says of a link log that nothing in it is
/// an error to WebGL2.
pub fn compile(vertex: (&str, u32), fragment: (&str, u32), forgive: impl Fn(&str) -> bool) -> Compiled {
    // The symbol tables that glslang shares between compilations are guarded by itself, yet a compiler of one
    // program at a time is all that is needed, and leaves nothing to its guards.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    initialize();
    let mut compiled = Compiled::default();
    let vertex = Shader::parse(vertex, Stage::Vertex);
    let fragment = Shader::parse(fragment, Stage::Fragment);
    compiled.stages = [vertex.outcome(), fragment.outcome()];
    if compiled.stages.iter().all(|stage| stage.ok) {
        let program = Linked::new(&vertex, &fragment);
        let log = program.log();
        if program.ok || forgive(&log) {
            compiled.spirv = Some(program.spirv());
        }
        compiled.link_log = Some(log);
    }
    compiled
}

/// Makes glslang's own tables, once; they live as long as the process.
fn initialize() {
    static DONE: OnceLock<()> = OnceLock::new();
    DONE.get_or_init(|| {
        // SAFETY: called once, before any other function of the library.
        unsafe { sys::glslang_initialize_process() };
    });
}

/// One parsed shader, freed with it.
struct Shader {
    handle: *mut sys::glslang_shader_t,
    ok: bool,
}

impl Shader {
    fn parse((text, version): (&str, u32), stage: Stage) -> Self {
        let end = text.find('\0').unwrap_or(text.len());
        let code = CString::new(&text[..end]).unwrap_or_default();
        let resource = limits(version, stage);
        let input = input(&code, &resource, stage);
        // SAFETY: `input`, `code` and `resource` outlive all three calls; after them glslang keeps no pointer to the
        // code, since parsing reads the preprocessed copy that it owns. `handle` is freed once, in `drop`.
        unsafe {
            let handle = sys::glslang_shader_create(&input);
            let ok = !handle.is_null()
                && sys::glslang_shader_preprocess(handle, &input) != 0
                && sys::glslang_shader_parse(handle, &input) != 0;
            Self { handle, ok }
        }
    }

    fn outcome(&self) -> Parsed {
        if self.handle.is_null() {
            return Parsed { log: "ERROR: 0:0: '' : out of memory".to_owned(), ..Parsed::default() };
        }
        // SAFETY: the handle is live, and so are the strings until the shader is used again.
        unsafe {
            Parsed {
                ok: self.ok,
                preprocessed: text(sys::glslang_shader_get_preprocessed_code(self.handle)),
                log: text(sys::glslang_shader_get_info_log(self.handle)),
            }
        }
    }
}

impl Drop for Shader {
    fn drop(&mut self) {
        // SAFETY: made by `glslang_shader_create` (or null, which is allowed), freed once.
        unsafe { sys::glslang_shader_delete(self.handle) };
    }
}

/// A program of both stages, freed with it; its shaders live longer.
struct Linked<'s> {
    handle: *mut sys::glslang_program_t,
    ok: bool,
    _shaders: [&'s Shader; 2],
}

impl<'s> Linked<'s> {
    fn new(vertex: &'s Shader, fragment: &'s Shader) -> Self {
        let messages =
            sys::glslang_messages_t::CASCADING_ERRORS | sys::glslang_messages_t::VALIDATE_CROSS_STAGE_IO;
        // SAFETY: both shaders parsed, so their handles are live, and they outlive `Self` by its lifetime.
        unsafe {
            let handle = sys::glslang_program_create();
            sys::glslang_program_add_shader(handle, vertex.handle);
            sys::glslang_program_add_shader(handle, fragment.handle);
            let ok = sys::glslang_program_link(handle, messages.0) != 0;
            Self { handle, ok, _shaders: [vertex, fragment] }
        }
    }

    fn log(&self) -> String {
        // SAFETY: the handle is live.
        unsafe { text(sys::glslang_program_get_info_log(self.handle)) }
    }

    fn spirv(&self) -> [Vec<u32>; 2] {
        let words = |stage| {
            // SAFETY: the program is linked; `get` writes exactly `get_size` words.
            unsafe {
                sys::glslang_program_SPIRV_generate(self.handle, stage);
                let mut words = vec![0; sys::glslang_program_SPIRV_get_size(self.handle)];
                sys::glslang_program_SPIRV_get(self.handle, words.as_mut_ptr());
                words
            }
        };
        [words(sys::glslang_stage_t::Vertex), words(sys::glslang_stage_t::Fragment)]
    }
}

impl Drop for Linked<'_> {
    fn drop(&mut self) {
        // SAFETY: made by `glslang_program_create`, freed once; it does not free its shaders.
        unsafe { sys::glslang_program_delete(self.handle) };
    }
}

fn input(code: &CStr, resource: &sys::glslang_resource_t, stage: Stage) -> sys::glslang_input_t {
    sys::glslang_input_t {
        language: sys::glslang_source_t::GLSL,
        stage: match stage {
            Stage::Vertex => sys::glslang_stage_t::Vertex,
            Stage::Fragment => sys::glslang_stage_t::Fragment,
        },
        client: sys::glslang_client_t::None,
        client_version: sys::glslang_target_client_version_t::OpenGL450,
        target_language: sys::glslang_target_language_t::None,
        target_language_version: sys::glslang_target_language_version_t::SPIRV1_0,
        code: code.as_ptr(),
        default_version: 100,
        default_profile: sys::glslang_profile_t::ES,
        force_default_version_and_profile: 0,
        forward_compatible: 0,
        messages: sys::glslang_messages_t::CASCADING_ERRORS,
        resource,
        // No file is ever included: without these, glslang would read what `#include` names.
        callbacks: sys::glsl_include_callbacks_s {
            include_system: Some(include_nothing),
            include_local: Some(include_nothing),
            free_include_result: Some(free_nothing),
        },
        callbacks_ctx: ptr::null_mut(),
    }
}

unsafe extern "C" fn include_nothing(
    _: *mut c_void,
    _: *const c_char,
    _: *const c_char,
    _: usize,
) -> *mut sys::glsl_include_result_t {
    ptr::null_mut()
}

unsafe extern "C" fn free_nothing(_: *mut c_void, _: *mut sys::glsl_include_result_t) -> std::ffi::c_int {
    0
}

/// What every WebGL2 implementation must offer (OpenGL ES 3.0.6, tables 6.29 to 6.34), as constants like
/// `gl_MaxDrawBuffers` tell it to the shader; and what GLSL ES 1.00 leaves to implementations, which WebGL forbids
/// (WebGL 1.0, section 4.3.1).
fn limits(version: u32, stage: Stage) -> sys::glslang_resource_t {
    // SAFETY: a struct of integers and booleans, for which zero is a value.
    let mut limits: sys::glslang_resource_t = unsafe { std::mem::zeroed() };
    limits.max_vertex_attribs = 16;
    limits.max_vertex_uniform_components = 1024;
    limits.max_vertex_uniform_vectors = 256;
    limits.max_vertex_output_components = 64;
    limits.max_vertex_output_vectors = 16;
    limits.max_vertex_texture_image_units = 16;
    limits.max_varying_components = 60;
    limits.max_varying_vectors = 15;
    limits.max_fragment_input_components = 60;
    limits.max_fragment_input_vectors = 15;
    limits.max_fragment_uniform_components = 896;
    limits.max_fragment_uniform_vectors = 224;
    limits.max_texture_image_units = 16;
    limits.max_combined_texture_image_units = 32;
    limits.max_draw_buffers = 4;
    // No WebGL2 limit: glslang sizes an array of its own by it.
    limits.__bindgen_anon_1.maxDualSourceDrawBuffersEXT = 1;
    limits.min_program_texel_offset = -8;
    limits.max_program_texel_offset = 7;
    let all = version != 100;
    limits.limits.non_inductive_for_loops = all;
    limits.limits.while_loops = all;
    limits.limits.do_while_loops = all;
    limits.limits.general_uniform_indexing = all || stage == Stage::Vertex;
    limits.limits.general_sampler_indexing = all;
    limits.limits.general_attribute_matrix_vector_indexing = true;
    limits.limits.general_varying_indexing = true;
    limits.limits.general_variable_indexing = true;
    limits.limits.general_constant_matrix_vector_indexing = true;
    limits
}

/// # Safety
/// `pointer` is null or points to a C string.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
