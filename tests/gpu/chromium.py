#!/usr/bin/env python3
"""Draws the pairs of tests/gpu/pairs in headless Chromium's WebGL2 and in bv-gpu, and compares every channel.

usage: tests/gpu/chromium.py [BIN_DIR] [--bless]

Each check file is drawn by Chromium as a page would do it, by WebGL's own calls, and by `bv-gpu eval` with each
driver that `bv-gpu adapters` finds. 8-bit channels may differ by one level, integers not at all, 32-bit floats by
1e-4. With --bless Chromium's pictures become the references beside the check files, with which the tests compare.
"""
import json, pathlib, re, shutil, struct, subprocess, sys, tempfile, zlib

HERE = pathlib.Path(__file__).resolve().parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PAGE = r"""<!doctype html><pre id=o></pre><script>
const CASES = %s;
const HINT = {linear: {0: 'LINEAR', 1: 'LINEAR_MIPMAP_LINEAR'}, nearest: {0: 'NEAREST', 1: 'NEAREST_MIPMAP_NEAREST'}};
const WRAP = {repeat: 'REPEAT', clamp: 'CLAMP_TO_EDGE', mirror: 'MIRRORED_REPEAT'};
function flat(v) { return Array.isArray(v) ? v.flatMap(flat) : [v === true ? 1 : v === false ? 0 : v]; }

function texels(data, [w, h, d], channels, whole) {
  if (Array.isArray(data)) return data;
  const part = (n, of) => of > 1 ? n / (of - 1) : 0, out = [];
  for (let z = 0; z < d; z++) for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
    const level = (x + y + z) %% 2;
    const texel = data == 'checker' ? [level, level, level, 1]
      : whole ? [x, y, z, 1] : [part(x, w), part(y, h), part(z, d), 1];
    out.push(...texel.slice(0, channels));
  }
  return out;
}

function texture(gl, type, t) {
  const kind = {[gl.SAMPLER_2D]: 2, [gl.INT_SAMPLER_2D]: 2, [gl.UNSIGNED_INT_SAMPLER_2D]: 2, [gl.SAMPLER_2D_SHADOW]: 2,
    [gl.SAMPLER_CUBE]: 6, [gl.SAMPLER_2D_ARRAY]: 5, [gl.SAMPLER_3D]: 3}[type];
  const target = {2: gl.TEXTURE_2D, 6: gl.TEXTURE_CUBE_MAP, 5: gl.TEXTURE_2D_ARRAY, 3: gl.TEXTURE_3D}[kind];
  const shadow = type == gl.SAMPLER_2D_SHADOW;
  const [internal, format, of, array, channels, scale] =
    shadow ? [gl.DEPTH_COMPONENT32F, gl.DEPTH_COMPONENT, gl.FLOAT, Float32Array, 1, 0]
    : type == gl.INT_SAMPLER_2D ? [gl.RGBA32I, gl.RGBA_INTEGER, gl.INT, Int32Array, 4, 1]
    : type == gl.UNSIGNED_INT_SAMPLER_2D ? [gl.RGBA32UI, gl.RGBA_INTEGER, gl.UNSIGNED_INT, Uint32Array, 4, 1]
    : [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, Uint8Array, 4, 255];
  const [w, h, d] = [t.size[0], t.size[1], kind == 6 ? 6 : t.size[2] || 1];
  const data = new array(texels(t.data, [w, h, d], channels, scale == 1).map(v => scale ? Math.round(v * scale) : v));
  const o = gl.createTexture();
  gl.bindTexture(target, o);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  if (kind == 2) gl.texImage2D(target, 0, internal, w, h, 0, format, of, data);
  else if (kind == 6) for (let f = 0; f < 6; f++)
    gl.texImage2D(gl.TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, internal, w, h, 0, format, of, data.slice(f * w * h * 4, (f + 1) * w * h * 4));
  else gl.texImage3D(target, 0, internal, w, h, d, 0, format, of, data);
  if (t.mipmaps) gl.generateMipmap(target);
  const filter = t.filter || 'nearest', wrap = gl[WRAP[t.wrap || 'repeat']];
  gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl[HINT[filter][0]]);
  gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl[HINT[filter][t.mipmaps ? 1 : 0]]);
  for (const axis of ['S', 'T', 'R']) gl.texParameteri(target, gl['TEXTURE_WRAP_' + axis], wrap);
  if (shadow) {
    gl.texParameteri(target, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(target, gl.TEXTURE_COMPARE_FUNC, gl[(t.compare || 'lequal').toUpperCase()]);
  }
  return [target, o];
}

function uniforms(gl, p, c) {
  const buffers = {}, samplers = [];
  for (let i = 0; i < gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS); i++) {
    const u = gl.getActiveUniform(p, i), name = u.name.replace(/\[0\]$/, '');
    const get = k => gl.getActiveUniforms(p, [i], gl[k])[0];
    const block = get('UNIFORM_BLOCK_INDEX');
    if (u.type in {[gl.SAMPLER_2D]: 1, [gl.INT_SAMPLER_2D]: 1, [gl.UNSIGNED_INT_SAMPLER_2D]: 1, [gl.SAMPLER_2D_SHADOW]: 1,
                   [gl.SAMPLER_CUBE]: 1, [gl.SAMPLER_2D_ARRAY]: 1, [gl.SAMPLER_3D]: 1}) {
      for (let e = 0; e < u.size; e++) {
        const one = u.size > 1 || u.name.endsWith('[0]') ? name + '[' + e + ']' : name;
        samplers.push([gl.getUniformLocation(p, one), u.type, c.textures[one] || c.textures[name]]);
      }
      continue;
    }
    const value = flat((c.uniforms || {})[name] ?? []);
    if (!value.length) continue;
    const T = {[gl.FLOAT]: [1, 1, 'f'], [gl.FLOAT_VEC2]: [1, 2, 'f'], [gl.FLOAT_VEC3]: [1, 3, 'f'], [gl.FLOAT_VEC4]: [1, 4, 'f'],
      [gl.INT]: [1, 1, 'i'], [gl.INT_VEC2]: [1, 2, 'i'], [gl.BOOL]: [1, 1, 'i'], [gl.BOOL_VEC2]: [1, 2, 'i'],
      [gl.UNSIGNED_INT]: [1, 1, 'ui'], [gl.FLOAT_MAT3]: [3, 3, 'f'], [gl.FLOAT_MAT4]: [4, 4, 'f'], [gl.FLOAT_MAT3x2]: [3, 2, 'f']}[u.type];
    const [columns, rows, kind] = T;
    if (block < 0) {
      const at = gl.getUniformLocation(p, u.name);
      if (columns > 1) gl['uniformMatrix' + (columns == rows ? columns : columns + 'x' + rows) + 'fv'](at, false, value);
      else gl['uniform' + rows + kind + 'v'](at, value);
      continue;
    }
    const bytes = buffers[block] ??= new DataView(new ArrayBuffer(gl.getActiveUniformBlockParameter(p, block, gl.UNIFORM_BLOCK_DATA_SIZE)));
    const offset = get('UNIFORM_OFFSET'), stride = get('UNIFORM_ARRAY_STRIDE'), across = get('UNIFORM_MATRIX_STRIDE');
    value.forEach((v, n) => {
      const at = offset + Math.floor(n / (columns * rows)) * Math.max(stride, 0) + Math.floor(n / rows) %% columns * Math.max(across, 0) + n %% rows * 4;
      kind == 'f' ? bytes.setFloat32(at, v, true) : bytes.setInt32(at, v, true);
    });
  }
  for (const [block, bytes] of Object.entries(buffers)) {
    gl.uniformBlockBinding(p, block, block);
    const b = gl.createBuffer();
    gl.bindBufferBase(gl.UNIFORM_BUFFER, block, b);
    gl.bufferData(gl.UNIFORM_BUFFER, bytes.buffer, gl.STATIC_DRAW);
  }
  samplers.forEach(([at, type, t], unit) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    const [target, o] = texture(gl, type, t);
    gl.bindTexture(target, o);
    gl.uniform1i(at, unit);
  });
}

function attributes(gl, p, c) {
  let vertices = 3, instances = 1;
  for (let i = 0; i < gl.getProgramParameter(p, gl.ACTIVE_ATTRIBUTES); i++) {
    const a = gl.getActiveAttrib(p, i);
    if (a.name.startsWith('gl_')) continue;
    const at = gl.getAttribLocation(p, a.name);
    const [columns, rows, kind] = {[gl.FLOAT]: [1, 1, 'f'], [gl.FLOAT_VEC2]: [1, 2, 'f'], [gl.FLOAT_VEC3]: [1, 3, 'f'], [gl.FLOAT_VEC4]: [1, 4, 'f'],
      [gl.INT]: [1, 1, 'i'], [gl.UNSIGNED_INT_VEC4]: [1, 4, 'ui'], [gl.FLOAT_MAT4]: [4, 4, 'f']}[a.type];
    let given = (c.attributes || {})[a.name] ?? 'fullscreen', divisor = 0;
    if (given == 'fullscreen') given = [[-1, -1, 0, 1], [3, -1, 0, 1], [-1, 3, 0, 1]].map(v => v.slice(0, rows));
    if (given == 'fullscreen_uv') given = [[0, 0], [2, 0], [0, 2]];
    if (given.perInstance) { given = given.perInstance; divisor = 1; }
    if (given.value) { given = given.value; divisor = 1 << 20; }
    const values = flat(given);
    if (divisor == 0) vertices = values.length / (columns * rows);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new {f: Float32Array, i: Int32Array, ui: Uint32Array}[kind](values), gl.STATIC_DRAW);
    for (let column = 0; column < columns; column++) {
      gl.enableVertexAttribArray(at + column);
      if (kind == 'f') gl.vertexAttribPointer(at + column, rows, gl.FLOAT, false, columns * rows * 4, column * rows * 4);
      else gl.vertexAttribIPointer(at + column, rows, kind == 'i' ? gl.INT : gl.UNSIGNED_INT, 0, 0);
      gl.vertexAttribDivisor(at + column, divisor);
    }
  }
  return vertices;
}

function draw(c) {
  const [w, h] = c.target.size;
  const gl = new OffscreenCanvas(w, h).getContext('webgl2');
  if (!gl) throw 'no WebGL2';
  gl.getExtension('EXT_color_buffer_float');
  const p = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, c.vertex], [gl.FRAGMENT_SHADER, c.fragment]]) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, text);
    gl.compileShader(s);
    if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw gl.getShaderInfoLog(s);
    gl.attachShader(p, s);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw gl.getProgramInfoLog(p);
  gl.useProgram(p);
  gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
  const F = {rgba8: [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, Uint8Array], rgba32f: [gl.RGBA32F, gl.RGBA, gl.FLOAT, Float32Array],
    rgba32i: [gl.RGBA32I, gl.RGBA_INTEGER, gl.INT, Int32Array], rgba32ui: [gl.RGBA32UI, gl.RGBA_INTEGER, gl.UNSIGNED_INT, Uint32Array]};
  const names = Object.keys(c.outputs);
  names.forEach(name => {
    const n = gl.getFragDataLocation(p, name), t = gl.createTexture(), [internal, format, of] = F[c.outputs[name]];
    gl.bindTexture(gl.TEXTURE_2D, t);
    gl.texImage2D(gl.TEXTURE_2D, 0, internal, w, h, 0, format, of, null);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0 + n, gl.TEXTURE_2D, t, 0);
  });
  if (c.target.depth) {
    const b = gl.createRenderbuffer();
    gl.bindRenderbuffer(gl.RENDERBUFFER, b);
    gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT32F, w, h);
    gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, b);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl[(c.target.depth.test || 'less').toUpperCase()]);
  }
  gl.drawBuffers(names.map((_, n) => gl.COLOR_ATTACHMENT0 + n));
  gl.viewport(0, 0, w, h);
  const clear = c.target.clear || [0, 0, 0, 0];
  names.forEach(name => {
    const n = gl.getFragDataLocation(p, name), f = c.outputs[name];
    if (f == 'rgba32i') gl.clearBufferiv(gl.COLOR, n, clear);
    else if (f == 'rgba32ui') gl.clearBufferuiv(gl.COLOR, n, clear);
    else gl.clearBufferfv(gl.COLOR, n, clear);
  });
  if (c.target.depth) gl.clearBufferfv(gl.DEPTH, 0, [c.target.depth.clear ?? 1]);
  uniforms(gl, p, c);
  const vertices = attributes(gl, p, c), d = c.draw || {};
  if (d.cull && d.cull != 'none') { gl.enable(gl.CULL_FACE); gl.cullFace(gl[d.cull.toUpperCase()]); }
  if (d.indices) {
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(d.indices), gl.STATIC_DRAW);
    gl.drawElementsInstanced(gl.TRIANGLES, d.indices.length, gl.UNSIGNED_INT, 0, 1);
  } else gl.drawArraysInstanced(gl.TRIANGLES, 0, vertices, 1);
  const pixels = {};
  names.forEach(name => {
    const n = gl.getFragDataLocation(p, name), [, format, of, array] = F[c.outputs[name]];
    gl.readBuffer(gl.COLOR_ATTACHMENT0 + n);
    const px = new array(w * h * 4);
    gl.readPixels(0, 0, w, h, format, of, px);
    pixels[name] = Array.from(px);
  });
  const error = gl.getError();
  if (error) throw 'GL error ' + error;
  return pixels;
}
const told = {};
for (const [name, c] of Object.entries(CASES)) { try { told[name] = draw(c); } catch (e) { told[name] = String(e); } }
document.getElementById('o').textContent = 'BEGIN' + JSON.stringify(told) + 'END';
</script>"""


def outputs(fragment, formats):
    """-> {output name: format} of a fragment shader's own text, in the order in which it declares them"""
    kinds = {"ivec4": "rgba32i", "uvec4": "rgba32ui", "vec4": "rgba8"}
    text = re.sub(r"#define\s+\w+\s+\w+", "", fragment)
    found = re.findall(r"^\s*(?:layout\s*\([^)]*\)\s*)?out\s+(?:\w+p\s+)?(\w+)\s+(\w+)\s*;", text, re.M)
    return {name: formats.get(name, kinds[kind]) for kind, name in found}


def cases():
    """-> {name: check file with its shaders' texts}"""
    read = {}
    for path in sorted((HERE / "pairs").glob("*.json")):
        check = json.loads(path.read_text())
        for stage in ("vertex", "fragment"):
            check[stage] = (path.parent / check["program"][stage]).read_text()
        check["outputs"] = outputs(check["fragment"], check["target"].get("formats", {}))
        read[path.stem] = check
    return read


def by_chromium(browser, checks):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_text(PAGE % json.dumps(checks))
        flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--dump-dom"]
        flags += [f"--user-data-dir={folder}/profile", "--timeout=120000", page.as_uri()]
        told = subprocess.run([browser, *flags], capture_output=True, text=True, timeout=300)
    found = re.search(r"BEGIN(\{.*\})END", told.stdout, re.S)
    if not found:
        sys.exit(f"chromium.py: {browser} drew nothing: {told.stderr[-500:]}")
    unescape = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
    return json.loads(re.sub("&(lt|gt|amp);", lambda m: unescape[m[0]], found[1]))


def by_bv_gpu(tool, backend, path, check):
    """-> {output name: flat channels} in WebGL's own encoding"""
    command = [tool, "eval", "--backend", backend, path]
    told = subprocess.run(command, input="{}\n", capture_output=True, text=True)
    if told.returncode:
        return told.stderr.strip()
    answer = json.loads(told.stdout)
    if "output" not in answer:
        return str(answer)
    drawn = answer["output"] if len(check["outputs"]) > 1 else {next(iter(check["outputs"])): answer["output"]}

    def channels(name, rows):
        flat = [float(c) for row in rows for pixel in row for c in pixel]
        return [round(c * 255) for c in flat] if check["outputs"][name] == "rgba8" else flat

    return {name: channels(name, rows) for name, rows in drawn.items()}


def png(path, width, height, rgba):
    """Writes `rgba`, whose first row is the lowest."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = [bytes(rgba[y * width * 4 : (y + 1) * width * 4]) for y in range(height)]
    data = zlib.compress(b"".join(b"\0" + row for row in reversed(rows)), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def compared(check, ours, theirs):
    """-> words, whether all is well"""
    if isinstance(ours, str) or isinstance(theirs, str):
        return f"not drawn: {ours if isinstance(ours, str) else theirs}", False
    words, well = [], True
    for name, kind in check["outputs"].items():
        differ = [abs(a - b) for a, b in zip(ours[name], theirs[name], strict=True)]
        most = max(differ)
        allowed = {"rgba8": 1, "rgba32f": 1e-4}.get(kind, 0)
        well &= most <= allowed
        colours = len({tuple(theirs[name][n : n + 4]) for n in range(0, len(theirs[name]), 4)})
        words.append(f"{name}: {sum(d > 0 for d in differ)} of {len(differ)} channels differ, most {most:g} ({colours} colours)")
    return "; ".join(words), well


def main():
    arguments = [a for a in sys.argv[1:] if a != "--bless"]
    tool = str(pathlib.Path(arguments[0] if arguments else "target/release").resolve() / "bv-gpu")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("chromium.py: no Chromium here")
    checks = cases()
    theirs = by_chromium(browser, checks)
    if "--bless" in sys.argv:
        for name, check in checks.items():
            first = next(iter(check["outputs"]))
            if isinstance(theirs[name], str):
                sys.exit(f"chromium.py: {name}: {theirs[name]}")
            if check["outputs"][first] == "rgba8":
                png(HERE / "pairs" / f"{name}.png", *check["target"]["size"], theirs[name][first])
    well = True
    for backend in ("vulkan", "egl", "swiftshader"):
        for name, check in checks.items():
            ours = by_bv_gpu(tool, backend, HERE / "pairs" / f"{name}.json", check)
            words, fits = compared(check, ours, theirs[name])
            well &= fits
            print(f"{'ok ' if fits else 'BAD'} {backend:11} {name:15} {words}")
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
