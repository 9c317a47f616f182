#!/usr/bin/env python3
"""How far functions of GLSL are off the CPU's 64-bit ones, for each driver that is found.

usage: tests/gpu/precision.py [BIN_DIR]

20,000 values from -100 to 100: the largest absolute error of sin and cos, the largest relative one of exp2(x / 10) and
of 1 / sqrt(|x| + 1).
"""
import json, math, pathlib, struct, subprocess, sys, tempfile

SHADER = """#version 300 es
precision highp float;
uniform float u_x;
out vec4 o;
void main() { o = vec4(sin(u_x), cos(u_x), exp2(u_x * 0.1), 1.0 / sqrt(abs(u_x) + 1.0)); }
"""
COUNT = 20_000


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def main():
    tool = str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release").resolve() / "bv-gpu")
    values = [single(-100 + 200 * n / (COUNT - 1)) for n in range(COUNT)]
    lines = "".join(json.dumps({"u_x": x}) + "\n" for x in values)
    with tempfile.TemporaryDirectory() as folder:
        shader = pathlib.Path(folder) / "a.frag"
        shader.write_text(SHADER)
        for sort in ("vulkan", "egl", "swiftshader"):
            told = subprocess.run([tool, "eval", "--backend", sort, shader], input=lines, capture_output=True, text=True)
            if told.returncode:
                print(f"{sort}: {told.stderr.strip()}")
                continue
            most = [0.0] * 4
            for x, line in zip(values, told.stdout.splitlines(), strict=True):
                want = [math.sin(x), math.cos(x), 2 ** (x * 0.1), 1 / math.sqrt(abs(x) + 1)]
                for n, (seen, right) in enumerate(zip(json.loads(line)["output"], want, strict=True)):
                    most[n] = max(most[n], abs(seen - right) / (right if n > 1 else 1))
            print("{}: sin {:.1e}, cos {:.1e}, exp2 {:.1e}, inversesqrt {:.1e}".format(sort, *most))


if __name__ == "__main__":
    main()
