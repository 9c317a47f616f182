#!/usr/bin/env python3
"""Measures bv-gpu beside headless Chromium doing the same, in one run, since machines are noisy.

usage: tests/bench/gpu.py [BIN_DIR]

1. A refusal where no driver is found; a check of the compiler alone; the verdict on a probe of a 64x64 target; a
   property over 10,000 vectors. Each is a whole process, cold.
2. The same 10,000 vectors in Chromium's WebGL2 (SwiftShader), uniforms set and one pixel read for each, as a page
   does it. Wall clock and the CPU time of all processes. Left out where there is no Chromium.
Each is repeated; the best of the repeats stands. Where a driver is missing its rows are.
"""
import json, os, pathlib, resource, shutil, subprocess, sys, tempfile, threading, time

REPEATS = 5
VECTORS = 10_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
VERTEX = "#version 300 es\nvoid main() { vec2 p = vec2((gl_VertexID << 1) & 2, gl_VertexID & 2); gl_Position = vec4(p * 2.0 - 1.0, 0.0, 1.0); }\n"
FRAGMENT = "#version 300 es\nprecision highp float;\nuniform float u_x;\nuniform float u_y;\nout vec4 o;\nvoid main() { o = vec4(sin(u_x) + u_y, fract(u_x * 3.7), u_x * u_y, 1.0); }\n"
PAGE = """<!doctype html><pre id=o></pre><script>
const gl = new OffscreenCanvas(1, 1).getContext('webgl2');
gl.getExtension('EXT_color_buffer_float');
const p = gl.createProgram();
for (const [kind, text] of [[gl.VERTEX_SHADER, %s], [gl.FRAGMENT_SHADER, %s]]) {
  const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); gl.attachShader(p, s);
}
gl.linkProgram(p); gl.useProgram(p);
const t = gl.createTexture(); gl.bindTexture(gl.TEXTURE_2D, t);
gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 1, 1, 0, gl.RGBA, gl.FLOAT, null);
gl.bindFramebuffer(gl.FRAMEBUFFER, gl.createFramebuffer());
gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, t, 0);
const x = gl.getUniformLocation(p, 'u_x'), y = gl.getUniformLocation(p, 'u_y'), px = new Float32Array(4);
let bad = 0;
for (let i = 0; i < %d; i++) {
  const ux = Math.fround(Math.sin(i) * 10), uy = Math.fround(i %% 5);
  gl.uniform1f(x, ux); gl.uniform1f(y, uy);
  gl.drawArrays(gl.TRIANGLES, 0, 3); gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.FLOAT, px);
  if (Math.abs(px[0] - (Math.sin(ux) + uy)) > 5e-4) bad++;
}
document.getElementById('o').textContent = 'DONE ' + bad + ' ' + gl.getError() + ' END';
</script>"""


def cpu_of(session, seen):
    """Notes in `seen` the CPU ticks of every process of the session: a browser's zygote waits for none of its own."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        if int(fields[3]) == session:
            seen[stat.parent.name] = int(fields[11]) + int(fields[12])


def measured(command, folder):
    """-> seconds, CPU seconds of all its processes, its stdout"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    child = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
    )
    seen, ended = {}, threading.Event()
    watch = threading.Thread(target=lambda: [cpu_of(child.pid, seen) for _ in iter(lambda: ended.wait(0.05), True)])
    watch.start()
    told = child.communicate()[0]
    took = time.perf_counter() - began
    ended.set()
    watch.join()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    waited = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return took, max(waited, sum(seen.values()) / os.sysconf("SC_CLK_TCK")), told


def best(command, folder, word, repeats=REPEATS):
    """-> best seconds, best CPU seconds; every answer must hold `word`"""
    runs = [measured(command, folder) for _ in range(repeats)]
    for _, _, told in runs:
        if word not in told:
            sys.exit(f"gpu.py: {command[0]}: {word} is not in: {told[-300:]}")
    return min(took for took, _, _ in runs), min(cpu for _, cpu, _ in runs)


def files(folder):
    program = {"fragment": "a.frag"}
    check = {"bvGpu": 1, "program": program}
    drawn = [{"id": "as-on-paper", "every": "r == sin(u_x) + u_y", "tol": {"abs": 5e-4}}]
    vectors = {"count": VECTORS, "uniforms": {"u_x": {"range": [-10, 10]}, "u_y": {"range": [0, 5]}}}
    probe = [{"id": "middle", "probe": [32, 32], "eq": [0, 0, 0, 1]}]
    write = lambda name, value: (folder / name).write_text(json.dumps(value))
    (folder / "a.frag").write_text(FRAGMENT)
    write("none.json", {"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere/none.so", "api_version": "1.1.0"}})
    write("compile.json", {**check, "rules": [{"id": name} for name in ("compile", "link", "limits")]})
    write("probe.json", {**check, "target": {"size": [64, 64]}, "rules": probe})
    write("vectors.json", {**check, "target": {"format": "rgba32f"}, "vectors": vectors, "rules": drawn})
    (folder / "page.html").write_text(PAGE % (json.dumps(VERTEX), json.dumps(FRAGMENT), VECTORS))


def row(name, took, cpu, more=""):
    print(f"{name:44} {took * 1e3:8.1f} ms   CPU {cpu * 1e3:8.1f} ms   {more}")


def main():
    tool = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release").resolve() / "bv-gpu")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        files(folder)
        row("no driver: refused", *best([tool, "--icd", "none.json", "vectors.json"], folder, '"no_adapter"'))
        row("compile, link and limits", *best([tool, "compile.json"], folder, '"outcome":"passed"'))
        ours = None
        for sort in ("vulkan", "egl", "swiftshader"):
            if '"adapter"' not in measured([tool, "adapters", "--backend", sort], folder)[2]:
                print(f"{sort}: no such driver here")
                continue
            row(f"{sort}: probe of 64x64", *best([tool, "--backend", sort, "probe.json"], folder, '"passed"'))
            took, cpu = best([tool, "--backend", sort, "vectors.json"], folder, '"outcome":"passed"')
            row(f"{sort}: {VECTORS:,} vectors", took, cpu, f"{VECTORS / took:,.0f} vectors a second, start-up included")
            ours = ours or cpu
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None or ours is None:
            return print("Chromium beside it: not here")
        flags = ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--dump-dom", "--timeout=120000"]
        command = [browser, *flags, f"--user-data-dir={folder}/profile", (folder / "page.html").as_uri()]
        took, cpu = best(command, folder, "DONE 0 0 END", 2)
        row(f"chromium: {VECTORS:,} vectors", took, cpu, f"{cpu / ours:.1f} times bv-gpu's CPU")


if __name__ == "__main__":
    main()
