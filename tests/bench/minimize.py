#!/usr/bin/env python3
"""Shrinks a few inputs with bv-minimize and with every other reducer on PATH (shrinkray, cvise, picire), in one run.

usage: tests/bench/minimize.py [BIN_DIR] [--limit SECONDS]

Each task is an input, the smallest input there can be, and a checker in Python that tells whether a candidate
fails. Calls are counted by the checker itself, the same for every reducer; bytes are those of the result, and a
result that does not fail any more is said. A reducer that the limit ends has what it left behind.
"""
import argparse, json, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, time

CHECKER = """#!{python}
import json, os, sys
path = sys.argv[1] if len(sys.argv) > 1 else {name!r}
with open(os.environ["BENCH_CALLS"], "a") as calls:
    calls.write("x")
data = open(path, "rb").read()
def fails():
{body}
try:
    sys.exit(0 if fails() else 1)
except (ValueError, LookupError, TypeError, AttributeError):
    sys.exit(1)
"""


def tasks():
    """name, file name, input, the smallest input, the body of the checker"""
    rng = random.Random(7)
    words = [f"word{rng.randrange(10**6)}" for _ in range(4000)]

    orders = [{"id": n, "items": [{"sku": rng.choice(words), "qty": rng.randrange(1, 9)} for _ in range(4)], "paid": True} for n in range(40)]
    orders[27] = {"id": 27, "items": [{"sku": "last", "qty": 1250}], "paid": False, "note": "call first"}
    yield (
        "an order among forty", "orders.json", json.dumps({"version": 3, "orders": orders}, indent=1), '{"orders":[{"items":[{"qty":1000}]}]}',
        '    return any(item["qty"] >= 1000 for order in json.loads(data)["orders"] for item in order["items"])',
    )

    cells = [[rng.randrange(100) for _ in range(12)] for _ in range(12)]
    cells[5][8] = -40
    yield (
        "a matrix and its size", "matrix.json", json.dumps({"rows": 12, "cols": 12, "cells": cells}), '{"rows":1,"cols":1,"cells":[[-1]]}',
        '    m = json.loads(data)\n    whole = len(m["cells"]) == m["rows"] and all(len(row) == m["cols"] for row in m["cells"])\n    return whole and any(c < 0 for row in m["cells"] for c in row)',
    )

    log = [f"{n:05d} INFO request {rng.choice(words)} took {rng.randrange(900)} ms" for n in range(3000)]
    log[700] = "00700 WARN begin 4711 by worker 3"
    log[2300] = "02300 WARN end 4711 by worker 8"
    yield (
        "two lines of a log", "service.log", "\n".join(log) + "\n", "begin\nend",
        '    lines = data.decode().split("\\n")\n    first = [n for n, line in enumerate(lines) if "begin" in line]\n    return bool(first) and any("end" in line for line in lines[first[0] + 1:])',
    )

    program = "\n".join(f"def f{n}(x):\n    if x > {n}:\n        return x * {n}\n    return x\n" for n in range(40))
    program += "\ndef total(rows):\n    seen = 0\n    for row in rows:\n        seen = seen + row\n    return seen / len(rows)\n\nprint(f3(4), total([1, 2]))\n"
    yield (
        "a division in a program", "program.py", program, "a/len()",
        '    import ast\n    nodes = ast.walk(ast.parse(data.decode()))\n    return any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and isinstance(n.right, ast.Call) and getattr(n.right.func, "id", "") == "len" for n in nodes)',
    )


def reducers(bin_dir):
    """name, what makes its command line and says where its result lies"""
    ours = bin_dir / "bv-minimize"

    def bv(check, file, work):
        return [ours, "-j", "1", file.name, "-o", "out", "--", check, "@@"], work / "out"

    def shrinkray(check, file, work):
        options = ["--ui", "basic", "--volume", "quiet", "--parallelism", "1", "--seed", "0", "--formatter", "none", "--no-llm"]
        return ["shrinkray", *options, check, file.name], file

    def cvise(check, file, work):
        return ["cvise", "--n", "1", "--not-c", "--tidy", check, file.name], file

    def picire(check, file, work):
        return ["picire", "-i", file.name, "--test", check, "-a", "both", "-o", "found", "-q"], work / "found" / file.name

    yield "bv-minimize", bv
    for name, command in (("shrinkray", shrinkray), ("cvise", cvise), ("picire", picire)):
        if shutil.which(name):
            yield name, command
        else:
            print(f"  {name} is not on PATH", file=sys.stderr)


def measure(command, task, limit):
    name, file_name, given, _, body = task
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / file_name).write_text(given)
        check = work / "check"
        check.write_text(CHECKER.format(python=sys.executable, name=file_name, body=body))
        check.chmod(0o755)
        calls = work / "calls"
        env = dict(os.environ, BENCH_CALLS=str(calls))
        line, result = command(str(check), work / file_name, work)
        began = time.perf_counter()
        child = subprocess.Popen(line, cwd=work, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            child.wait(limit)
            how = "" if child.returncode == 0 else f" (exit {child.returncode})"
        except subprocess.TimeoutExpired:
            how = " (limit)"
            os.killpg(child.pid, signal.SIGINT)
            try:
                child.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        took = time.perf_counter() - began
        count = len(calls.read_bytes()) if calls.exists() else 0
        if not result.exists():
            result = work / file_name
        if subprocess.run([check, result], cwd=work, env=env, stdout=subprocess.DEVNULL).returncode != 0:
            how += " (does not fail any more)"
        return result.stat().st_size, count, took, how


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("bin_dir", nargs="?", default="target/release", type=pathlib.Path)
    options.add_argument("--limit", type=float, default=60)
    options = options.parse_args()
    found = list(reducers(options.bin_dir.resolve()))
    for task in tasks():
        print(f"{task[0]}: {len(task[2].encode())} bytes, the smallest has {len(task[3].encode())}")
        for name, command in found:
            size, calls, took, how = measure(command, task, options.limit)
            print(f"  {name:12} {size:7} bytes  {calls:6} calls  {took:6.1f} s{how}")


main()
