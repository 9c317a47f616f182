//! The shader front end by itself: what compiles, what does not and where, what a program is given.
//!
//! `shaders/` holds a pair of files for each kind of feature, `shaders/bad/` what every WebGL2 refuses. No device is
//! asked for anything here.

use bv_gpu::front::{Diagnostic, Language, Program, Rejection, Rule, Source, compile};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn shaders() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("gpu/shaders")
}

fn source(name: &str, line_offset: u32) -> Source {
    let text = fs::read_to_string(shaders().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    Source { file: name.to_owned(), text, line_offset }
}

fn written(file: &str, text: String) -> Source {
    Source { file: file.to_owned(), text, line_offset: 0 }
}

fn language(name: &str) -> Language {
    if name.ends_with(".wgsl") { Language::Wgsl } else { Language::GlslEs300 }
}

fn compiled(vertex: &str, fragment: &str) -> Result<Program, Rejection> {
    compile(language(fragment), &source(vertex, 0), &source(fragment, 0))
}

#[test]
fn every_pair_compiles() {
    let mut names: Vec<String> = fs::read_dir(shaders())
        .expect("the folder of shaders")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".vert") || name.ends_with(".wgsl"))
        .collect();
    names.sort();
    assert!(names.len() >= 24, "{names:?}");
    for vertex in &names {
        let fragment = vertex.replace(".vert", ".frag");
        if let Err(rejection) = compiled(vertex, &fragment) {
            panic!("{vertex}: {rejection:?}");
        }
    }
}

/// What a bad program gives: rule, file, line, token and function of its first error.
type Expected = (Rule, &'static str, Option<u32>, &'static str, &'static str);

#[test]
fn bad_shaders_are_told_at_their_lines() {
    let plain = "03_shadertoy.vert";
    let check = |vertex: &str, fragment: &str, expected: Expected| {
        let Err(Rejection::Errors(errors)) = compiled(vertex, fragment) else {
            panic!("{fragment}: no error");
        };
        let Diagnostic { rule, file, line, token, function, .. } = &errors[0];
        let token = token.as_deref().unwrap_or_default();
        let function = function.as_deref().unwrap_or_default();
        let found = (*rule, file.as_str(), *line, token, function);
        let (rule, file, line, token, function) = expected;
        assert_eq!(found, (rule, &*format!("bad/{file}"), line, token, function), "{errors:?}");
    };
    let fragment = |file: &'static str, rule, line, token, function| {
        check(plain, &format!("bad/{file}"), (rule, file, Some(line), token, function));
    };
    let pair = |name: &str, file: &'static str, rule, line, token| {
        let [vertex, fragment] = ["vert", "frag"].map(|stage| format!("bad/{name}.{stage}"));
        check(&vertex, &fragment, (rule, file, Some(line), token, ""));
    };
    fragment("b1_undef.frag", Rule::Compile, 6, "y", "main");
    fragment("b2_type.frag", Rule::Compile, 5, "=", "main");
    fragment("b3_semi.frag", Rule::Compile, 6, "", "main");
    fragment("b4_noprec.frag", Rule::Compile, 2, "float", "");
    fragment("b5_intfloat.frag", Rule::Compile, 5, "=", "main");
    fragment("b6_es310.frag", Rule::Compile, 3, "binding", "");
    fragment("b7_builtin.frag", Rule::Compile, 5, "gl_FragColor", "main");
    fragment("b8_samplers.frag", Rule::Limits, 3, "t", "");
    fragment("b9_dynsampler.frag", Rule::Compile, 6, "variable indexing sampler array", "main");
    fragment("b10_uniforms.frag", Rule::Limits, 3, "u", "");
    pair("c01_link_type", "c01_link_type.frag", Rule::Link, 4, "v_a");
    fragment("c02_link_missing.frag", Rule::Link, 4, "v_nowhere", "");
    pair("c03_link_flat", "c03_link_flat.frag", Rule::Link, 3, "v_a");
    pair("c04_link_uniform", "c04_link_uniform.frag", Rule::Link, 4, "u_a");
    check(plain, "bad/c05_no_main.frag", (Rule::Link, "c05_no_main.frag", None, "", ""));
    fragment("c06_no_body.frag", Rule::Link, 4, "color", "");
    fragment("c07_recursion.frag", Rule::Link, 4, "f", "f");
    pair("c08_varyings", "c08_varyings.frag", Rule::Limits, 4, "v_m");
    check(
        "bad/c09_attributes.vert",
        "03_shadertoy.frag",
        (Rule::Limits, "c09_attributes.vert", Some(3), "a_5", ""),
    );
    fragment("c10_block.frag", Rule::Limits, 4, "Large", "");
    fragment("c11_webgl_name.frag", Rule::Compile, 4, "webgl_x", "");
    fragment("c12_gl_name.frag", Rule::Compile, 4, "gl_x", "");
    fragment("c13_extension.frag", Rule::Compile, 2, "#error", "");
    check(plain, "bad/c14_version.frag", (Rule::Compile, "c14_version.frag", None, "", ""));
    fragment("c15_mixed.frag", Rule::Link, 1, "#version", "");
    fragment("c16_line.frag", Rule::Compile, 101, "missing", "main");
    fragment("c17_several.frag", Rule::Compile, 5, "two", "half_of");
    fragment("c18_macro.frag", Rule::Compile, 8, "constructor", "main");
    fragment("c19_bits.frag", Rule::Compile, 5, "bitCount", "main");
    fragment("c20_include.frag", Rule::Compile, 3, "#include", "");
    fragment("c21_draw_buffers.frag", Rule::Compile, 3, "location", "");
    fragment("c22_outputs.frag", Rule::Compile, 3, "o_one", "");
    check(
        "19_es100.vert",
        "bad/c23_essl1_loop.frag",
        (Rule::Compile, "c23_essl1_loop.frag", Some(5), "limitations", "main"),
    );
    let wgsl = "bad/c24_type.wgsl";
    check(wgsl, wgsl, (Rule::Compile, "c24_type.wgsl", Some(3), "n", "half_of"));
}

#[test]
fn all_errors_are_kept() {
    let Err(Rejection::Errors(errors)) = compiled("03_shadertoy.vert", "bad/c17_several.frag") else {
        panic!("no error");
    };
    let found: Vec<_> = errors.iter().map(|error| (error.line, error.function.as_deref())).collect();
    assert_eq!(found, [(Some(5), Some("half_of")), (Some(10), Some("main"))]);
}

#[test]
fn lines_are_the_users_own() {
    let prefix = "#version 300 es\nprecision highp float;\n#define A 1.0\n";
    let vertex = source("03_shadertoy.vert", 0);
    let check = |text: &str, line_offset: u32, expected: Option<u32>| {
        let fragment = Source { line_offset, ..written("x.frag", format!("{prefix}{text}")) };
        let Err(Rejection::Errors(errors)) = compile(Language::GlslEs300, &vertex, &fragment) else {
            panic!("{text}: no error");
        };
        assert_eq!(errors[0].line, expected, "{text} {errors:?}");
    };
    check("out vec4 o;\nvoid main() { o = x; }", 0, Some(5));
    check("out vec4 o;\nvoid main() { o = x; }", 3, Some(2));
    check("out vec4 o;\r\nvoid main() { o = x; }", 3, Some(2));
    check("out vec4 o; /*\n\n*/ void main() { o = x; }", 3, Some(3));
    check("out vec4 o; \\\n void main() { o = x; }", 3, Some(2));
    // A line that the user numbers is the user's own already.
    check("#line 1\nout vec4 o;\nvoid main() { o = x; }", 3, Some(2));
    check("#line 40 7\nout vec4 o;\nvoid main() { o = x; }", 3, Some(41));
    // Within what stands before the file there is no line of the user's.
    check("out vec4 o; void main() { o = x; }", 9, None);
}

#[test]
fn limits_hold_exactly() {
    let vertex = |head: &str, body: &str| {
        written(
            "x.vert",
            format!("#version 300 es\n{head}\nvoid main() {{ gl_Position = vec4(0.0); {body} }}"),
        )
    };
    let fragment = |head: &str, body: &str| {
        let prefix = "#version 300 es\nprecision highp float; out vec4 o;";
        written("x.frag", format!("{prefix}\n{head}\nvoid main() {{ o = vec4(1.0); {body} }}"))
    };
    let check = |vertex: &Source, fragment: &Source, expected: bool| {
        let found = compile(Language::GlslEs300, vertex, fragment);
        match (&found, expected) {
            (Ok(_), true) => {}
            (Err(Rejection::Errors(errors)), false) if errors.iter().all(|e| e.rule == Rule::Limits) => {}
            _ => panic!("{}\n{}\n{:?}", vertex.text, fragment.text, found.err()),
        }
    };
    let (no_vertex, no_fragment) = (vertex("", ""), fragment("", ""));
    for over in [0, 1] {
        let n = 224 + over;
        let own = fragment(&format!("uniform vec4 u[{n}];"), "o = u[3];");
        check(&no_vertex, &own, over == 0);
        // Four scalars a vector, packed beside a vec3 too.
        let scalars = fragment(
            &format!("uniform float a[{n}], b[224]; uniform vec2 c[224];"),
            "o = vec4(a[0], b[0], c[0]);",
        );
        check(&no_vertex, &scalars, over == 0);
        let own = vertex(&format!("uniform mat4 u[{}];", 64 + over), "gl_Position = u[1][0];");
        check(&own, &no_fragment, over == 0);
        let n = 16 + over;
        let own = vertex(&format!("uniform sampler2D t[{n}];"), "gl_Position = texture(t[2], vec2(0.0));");
        check(&own, &no_fragment, over == 0);
        let mut head = String::new();
        let mut body = String::new();
        for at in 0..12 + over {
            let _ = write!(head, "layout(std140) uniform B{at} {{ vec4 m{at}; }}; ");
            let _ = write!(body, "o += m{at}; ");
        }
        check(&no_vertex, &fragment(&head, &body), over == 0);
        let n = 15 + over;
        let out = vertex(&format!("out vec4 v[{n}];"), "v[0] = vec4(1.0);");
        check(&out, &fragment(&format!("in vec4 v[{n}];"), "o = v[1];"), over == 0);
        let n = 60 + over;
        let (mut outs, mut ins, mut body) = (String::new(), String::new(), String::new());
        for at in 0..n {
            let _ = write!(outs, "out float v{at}; ");
            let _ = write!(ins, "in float v{at}; ");
            let _ = write!(body, "o.x += v{at}; ");
        }
        check(&vertex(&outs, ""), &fragment(&ins, &body), over == 0);
        let n = 1024 + over;
        let block = format!("layout(std140) uniform B {{ vec4 m[{n}]; }};");
        check(&no_vertex, &fragment(&block, "o = m[1];"), over == 0);
    }
    // What is not used does not count.
    check(&no_vertex, &fragment("uniform vec4 u[300]; uniform sampler2D t[17];", ""), true);
    check(&no_vertex, &fragment("uniform vec4 u[1000000000];", "o = u[0];"), false);
}

#[test]
fn a_program_tells_what_it_is_given() {
    let check = |name: &str, expected: &[&str]| {
        let fragment = name.replace(".vert", ".frag");
        let program = compiled(name, &fragment).unwrap_or_else(|rejection| panic!("{rejection:?}"));
        let mut found = Vec::new();
        for u in &program.uniforms {
            let block = program.blocks[u.block].name.as_deref().unwrap_or("-");
            let array = u.array.map_or(String::new(), |length| format!("[{length}]"));
            let ty = format!("{:?}{}x{}{array}", u.ty.scalar, u.ty.columns, u.ty.rows);
            let strides =
                format!("{}/{}{}", u.array_stride, u.matrix_stride, if u.row_major { "r" } else { "" });
            found.push(format!("{} {ty} {block}+{} {strides}", u.name, u.offset));
        }
        for s in &program.samplers {
            let shadow = if s.shadow { " shadow" } else { "" };
            found.push(format!("{} {:?} {:?}{shadow}", s.name, s.dimension, s.scalar));
        }
        for a in &program.attributes {
            found.push(format!(
                "in {} {:?}{}x{} @{}",
                a.name, a.ty.scalar, a.ty.columns, a.ty.rows, a.location
            ));
        }
        for o in &program.outputs {
            found.push(format!("out {} {:?}{} @{}", o.name, o.ty.scalar, o.ty.rows, o.location));
        }
        assert_eq!(found, expected, "{name}: {found:#?}");
    };
    check(
        "10_structs.vert",
        &[
            "bones Float4x4[16] -+0 64/16",
            "lights[0].position Float1x3 -+1024 0/0",
            "lights[0].color Float1x3 -+1040 0/0",
            "lights[0].intensity Float1x1 -+1052 0/0",
            "lights[1].position Float1x3 -+1056 0/0",
            "lights[1].color Float1x3 -+1072 0/0",
            "lights[1].intensity Float1x1 -+1084 0/0",
            "lights[2].position Float1x3 -+1088 0/0",
            "lights[2].color Float1x3 -+1104 0/0",
            "lights[2].intensity Float1x1 -+1116 0/0",
            "lights[3].position Float1x3 -+1120 0/0",
            "lights[3].color Float1x3 -+1136 0/0",
            "lights[3].intensity Float1x1 -+1148 0/0",
            "u_uvm Float3x2 -+1152 0/16",
            "u_flip Bool1x1 -+1200 0/0",
            "u_sel Bool1x2 -+1208 0/0",
            "u_maps[0] D2 Float",
            "u_maps[1] D2 Float",
            "in a_weights Float1x4 @0",
            "in a_joints Uint1x4 @1",
            "in a_instance Float4x4 @2",
            "in a_position Float1x4 @6",
            "out o_color Float4 @0",
        ],
    );
    check(
        "13_blocks.vert",
        &[
            "u_i Int1x1 -+0 0/0",
            "bones[0].pose Float4x4 Bones+0 0/16r",
            "bones[0].uv Float3x2 Bones+64 0/16r",
            "bones[0].on Bool1x1 Bones+96 0/0",
            "bones[1].pose Float4x4 Bones+112 0/16r",
            "bones[1].uv Float3x2 Bones+176 0/16r",
            "bones[1].on Bool1x1 Bones+208 0/0",
            "spin Float2x2 Bones+224 0/16r",
            "lean Float2x3 Bones+256 0/16",
            "mask Bool1x3 Bones+288 0/0",
            "Part[0].center Float1x3 Part[0]+0 0/0",
            "Part[0].radius Float1x1 Part[0]+12 0/0",
            "Part[0].m Float4x2 Part[0]+16 0/16r",
            "Part[1].center Float1x3 Part[1]+0 0/0",
            "Part[1].radius Float1x1 Part[1]+12 0/0",
            "Part[1].m Float4x2 Part[1]+16 0/16r",
            "Shared.view Float4x4 Shared+0 0/16r",
            "Shared.ages Float1x1[3] Shared+64 16/0",
            "Rows.m Float4x4 Rows+0 0/16r",
            "Rows.n Float3x3 Rows+64 0/16r",
            "Rows.k Float2x2 Rows+112 0/16r",
            "Rows.pair Float1x2[3] Rows+144 16/0",
            "in a_part Int1x1 @0",
            "in a_pos Float1x4 @1",
            "out o_color Float4 @0",
        ],
    );
    check(
        "16_outputs.vert",
        &[
            "in a_pos Float1x2 @3",
            "in a_w Float1x1 @0",
            "out o_pair[0] Float3 @1",
            "out o_pair[1] Float3 @2",
            "out o_ids Uint2 @0",
            "out o_last Float1 @3",
        ],
    );
    check(
        "22_lookups.vert",
        &[
            "u_far Bool1x1 -+0 0/0",
            "u_layers D2Array Uint",
            "u_shadows D2Array Float shadow",
            "u_ids D2 Int",
            "out o_ids Int4 @0",
        ],
    );
    check(
        "21_wgsl.wgsl",
        &[
            "camera.view Float4x4 camera+0 0/16",
            "camera.lights Float1x4[2] camera+64 16/0",
            "camera.gain Float1x1 camera+96 0/0",
            "tex D2 Float",
            "in pos Float1x2 @0",
            "out location 0 Float4 @0",
        ],
    );
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let check = |body: &str, expected: &str| {
        let head = "#version 300 es\nprecision highp float; precision highp isampler3D; \
                    uniform highp sampler2DShadow s; uniform isampler3D i; out vec4 o;";
        let fragment = written("x.frag", format!("{head} void main() {{ o = vec4({body}); }}"));
        let found = compile(Language::GlslEs300, &source("03_shadertoy.vert", 0), &fragment);
        let Err(Rejection::Unsupported(what)) = found else { panic!("{body}: not refused") };
        assert_eq!(what, expected, "{body}");
    };
    check("textureLod(s, vec3(0.5), 1.0)", "a shadow lookup at a level other than 0");
    check("texture(s, vec3(0.5), 0.5)", "a shadow lookup with bias or gradients");
    check("texture(i, vec3(0.5))", "texture() of an integer sampler that is not 2D");
}

#[test]
fn any_text_has_an_answer() {
    let deep = |open: &str, close: &str, times: usize| {
        format!("void main() {{ float x = {}1.0{}; }}", open.repeat(times), close.repeat(times))
    };
    let head = "#version 300 es\nprecision highp float;\n";
    let texts = [
        String::new(),
        "\0".to_owned(),
        "#version 300 es\n\0void main() {}".to_owned(),
        format!("{head}{}", deep("(", ")", 100_000)),
        format!("{head}{}", deep("-", "", 5_000)),
        format!("{head}void main() {{ float x = 1.0{}; }}", " + 1.0".repeat(5_000)),
        format!("{head}void main() {{ {} }}", "if (true) {} else ".repeat(500) + "{}"),
        format!("{head}{}", "{".repeat(100_000)),
        format!("{head}{}", "#if 1\n".repeat(10_000)),
        format!("{head}#define A A A\nvoid main() {{ A; }}"),
        format!("{head}#line 99999999999999\n x"),
        (1..40).fold(format!("{head}#define A0 a a\n"), |text, n| {
            text + &format!("#define A{n} A{0} A{0}\n", n - 1)
        }) + "void main() { A39; }",
        "é \u{202e} void".to_owned(),
        "/*".to_owned(),
        "x".repeat(2 << 20),
    ];
    for text in texts {
        let sample: String = text.chars().take(80).collect();
        let fragment = written("x.frag", text);
        let found = compile(Language::GlslEs300, &source("03_shadertoy.vert", 0), &fragment);
        if let Err(Rejection::Errors(errors)) = &found {
            assert!(!errors.is_empty() && errors.len() <= 64, "{sample}");
        }
        let _ = compile(Language::Wgsl, &fragment, &fragment);
    }
}

#[test]
fn mutated_shaders_have_an_answer() {
    let names =
        ["07_ints", "09_deriv", "10_structs", "13_blocks", "14_samplers", "15_varyings", "17_control"];
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below.max(1) as u64) as usize
    };
    let words =
        ["(", ")", "[", "]", "{", "}", ";", "0", "-1", "mat2", "sampler2D", "u", "#if 1", "\n", "//", "/*"];
    for round in 0..105 {
        let name = names[round % names.len()];
        let mut texts = ["vert", "frag"].map(|stage| source(&format!("{name}.{stage}"), 0).text);
        for _ in 0..1 + next(3) {
            let text = &mut texts[next(2)];
            let at = (0..=next(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let end = (at + next(12)).min(text.len());
            text.replace_range(at..end, words[next(words.len())]);
        }
        let [vertex, fragment] = texts;
        let found = compile(Language::GlslEs300, &written("x.vert", vertex), &written("x.frag", fragment));
        if let Err(Rejection::Errors(errors)) = found {
            assert!(!errors.is_empty(), "{name}, round {round}");
        }
    }
}
