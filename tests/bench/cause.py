#!/usr/bin/env python3
"""Measures how often a receipt names the function that is broken, in JavaScript and in Rust.

usage: tests/bench/cause.py [BIN_DIR] [--each N] [--keep DIR] [--only js|rust] [--misses]

Packages whose sources ship their tests are fetched, one expression of one function is changed (never of a test), and
the package's own tests are run. Each run that fails, and fails again, goes through `bv-parse | bv-receipt`. A receipt
hits where `ast_location` names file and function, and its lines hold the change. Beside it stands the share in which
the printed place alone would have hit. With --keep the broken trees stay
for the next call.

Then the same runs with their trees in git and edits that change nothing in ten other functions, so that the diff
names eleven suspects.
"""
import argparse, json, os, pathlib, random, re, shutil, subprocess, sys, tempfile, time

JS = ["qs@6.11.0", "minimist@1.2.8", "shell-quote@1.8.1"]
JS_NEEDS = ["tape@5.7.0", "object-inspect@1.13.1", "safer-buffer@2.1.2", "iconv-lite@0.6.3", "side-channel@1.0.4", "has-symbols@1.0.3",
            "qs-iconv@1.0.4", "es-value-fixtures@1.4.2", "has-override-mistake@1.0.1", "mock-property@1.0.3", "for-each@0.3.3"]
RUST = ["strsim@0.11.1", "semver@1.0.22"]
SWAPS = [(" === ", " !== "), (" !== ", " === "), (" == ", " != "), (" != ", " == "), (" <= ", " < "), (" >= ", " > "), (" < ", " <= "),
         (" > ", " >= "), (" && ", " || "), (" || ", " && "), (" + ", " - "), (" - ", " + ")]
NUMBER = re.compile(r"(?<![\w.\"'])(\d{1,3})(?![\w.\"'])")
FUNCTION = {
    "js": re.compile(r"(?:function\s*\*?\s+(\w+)|(?:var|let|const)\s+(\w+)\s*=\s*(?:async\s+)?(?:function|\([^()]*\)\s*=>)|([\w.]+)\s*=\s*function\s*\*?\s*\()"),
    "rust": re.compile(r"\bfn\s+(\w+)"),
}


def run(command, cwd, **more):
    return subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=240, **more)


def fetched(language, spec, cache):
    """-> the unpacked sources of a package, fetched once"""
    home = cache / language / spec.replace("@", "-")
    if home.exists():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    if language == "js":
        needs = home.parent / "package.json"
        if not needs.exists():
            needs.write_text("{}")
            run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *JS_NEEDS], home.parent, check=True)
        name = run(["npm", "pack", spec, "--silent"], home.parent, check=True).stdout.decode().split()[-1]
        shutil.unpack_archive(home.parent / name, home.parent / "unpacked")
        (home.parent / "unpacked" / "package").rename(home)
    else:
        name, version = spec.split("@")
        probe = home.parent / "probe"
        (probe / "src").mkdir(parents=True, exist_ok=True)
        (probe / "src" / "lib.rs").write_text("")
        (probe / "Cargo.toml").write_text(f'[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n{name} = "={version}"\n[workspace]\n')
        run(["cargo", "vendor", "--quiet", str(probe / "vendor")], probe, check=True)
        shutil.copytree(probe / "vendor" / name, home)
        (home / ".cargo-checksum.json").unlink(missing_ok=True)
        manifest = home / "Cargo.toml"
        manifest.write_text(manifest.read_text() + "\n[workspace]\n")
    return home


def suite(language, root, cache):
    """-> exit status, output of the package's own tests"""
    if language == "js":
        tests = sorted(str(test.relative_to(root)) for test in (root / "test").rglob("*.js"))
        env = dict(os.environ, NO_COLOR="1", NODE_PATH=str(cache / "js" / "node_modules"))
        done = run(["node", str(cache / "js" / "node_modules" / "tape" / "bin" / "tape"), *tests], root, env=env)
    else:
        env = dict(os.environ, NO_COLOR="1", CARGO_TARGET_DIR=str(cache / "rust" / "target"), CARGO_TERM_COLOR="never")
        done = run(["cargo", "test", "--quiet", "--offline", "--lib", "--tests"], root, env=env)
    return done.returncode, done.stdout


def functions(language, text):
    """-> name, first and last line of each function that holds its own body in braces"""
    found = []
    for match in FUNCTION[language].finditer(text):
        name = next(group for group in match.groups() if group).split(".")[-1]
        open_at = text.find("{", match.end())
        semicolon = text.find(";", match.end())
        if open_at < 0 or (language == "rust" and 0 <= semicolon < open_at):
            continue
        depth, at = 0, open_at
        while at < len(text):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if depth == 0:
                break
            at += 1
        found.append((name, text.count("\n", 0, match.start()) + 1, text.count("\n", 0, at) + 1))
    return found


def sites(language, root):
    """every expression that can be swapped: file, function, line, start, old, new"""
    found = []
    for path in sorted(root.rglob("*.js" if language == "js" else "*.rs")):
        inside = path.relative_to(root)
        if any(part in ("test", "tests", "benches", "examples", "node_modules", "dist", "example", "vendor", "target") for part in inside.parts):
            continue
        text = path.read_text(errors="replace")
        product = text.split("#[cfg(test)]")[0] if language == "rust" else text
        known = functions(language, product)
        at = 0
        for number, line in enumerate(product.splitlines(keepends=True), 1):
            code = line.split("//")[0]
            around = [f for f in known if f[1] < number <= f[2]]
            if around and not code.lstrip().startswith(("*", "/*", "#[")):
                name = min(around, key=lambda f: f[2] - f[1])[0]
                for old, new in SWAPS:
                    place = code.find(old)
                    if place >= 0:
                        found.append((str(inside), name, number, at + place, old, new))
                for match in NUMBER.finditer(code):
                    found.append((str(inside), name, number, at + match.start(), match[1], str(int(match[1]) + 1)))
            at += len(line)
    return found


def make(language, spec, out, each, cache):
    """breaks a package `each` times; -> the folders of the cases"""
    home = fetched(language, spec, cache)
    name = spec.split("@")[0]
    kept = sorted(out.glob(f"{name}-*/case.json"))
    if len(kept) >= each:
        return [case.parent for case in kept[:each]]
    status, output = suite(language, home, cache)
    if status != 0:
        print(f"{spec}: its own tests are not green here: {output[-300:].decode(errors='replace')}", file=sys.stderr)
        return []
    all_sites = sites(language, home)
    random.Random(spec).shuffle(all_sites)
    cases, used = [], set()
    for file, function, line, start, old, new in all_sites:
        if len(cases) >= each:
            break
        if (file, function) in used:
            continue
        tree = out / f"{name}-{len(cases):02}" / "tree"
        shutil.rmtree(tree.parent, ignore_errors=True)
        shutil.copytree(home, tree, ignore=shutil.ignore_patterns("target", "node_modules"))
        text = (tree / file).read_text(errors="replace")
        (tree / file).write_text(text[:start] + new + text[start + len(old):])
        try:
            first, output = suite(language, tree, cache)
            again = suite(language, tree, cache)[0] if first else 0
        except subprocess.TimeoutExpired:
            first = again = 0
        is_build_error = b"could not compile" in output
        if not first or not again or is_build_error:
            shutil.rmtree(tree.parent)
            continue
        used.add((file, function))
        (tree.parent / "output.txt").write_bytes(output + f"\nbv-exit: {first}\n".encode())
        case = {"spec": spec, "file": file, "function": function, "line": line, "old": old, "new": new}
        (tree.parent / "case.json").write_text(json.dumps(case, indent=1))
        cases.append(tree.parent)
    return cases


def receipt(bins, case, root, *flags):
    raw = (case / "output.txt").read_bytes()
    records = subprocess.run([bins / "bv-parse"], input=raw, cwd=case, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    began = time.perf_counter()
    done = subprocess.run([bins / "bv-receipt", "--root", root, *flags], input=records, cwd=case, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout), time.perf_counter() - began


def hits(got, wanted):
    place = got.get("ast_location") or {}
    same = os.path.normpath(place.get("file") or ".") == os.path.normpath(wanted["file"])
    first, last = place.get("lines") or [0, -1]
    symbol = re.split(r"::|[.#]", str(place.get("symbol") or ""))[-1]
    return same and first <= wanted["line"] <= last and symbol == wanted["function"], same


def with_edits(language, case, wanted):
    """puts the tree into git as it was, then breaks it again with ten edits that change nothing"""
    tree = case / "tree"
    path = tree / wanted["file"]
    broken = path.read_text(errors="replace")
    lines = broken.splitlines(keepends=True)
    line = lines[wanted["line"] - 1]
    mended = line.replace(wanted["new"], wanted["old"], 1)
    path.write_text("".join(lines[: wanted["line"] - 1] + [mended] + lines[wanted["line"]:]))
    shutil.rmtree(tree / ".git", ignore_errors=True)
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "whole"]):
        run([*git, *command], tree, check=True)
    path.write_text(broken)
    others = []
    for source in sorted({site[0] for site in sites(language, tree)}):
        others += [(source, f) for f in functions(language, (tree / source).read_text(errors="replace")) if f[0] != wanted["function"]]
    random.Random(case.name).shuffle(others)
    touched = {}
    for source, (_, first, last) in others[:10]:
        if last > first:
            touched.setdefault(source, set()).add(last)
    for source, at in touched.items():
        lines = (tree / source).read_text(errors="replace").splitlines(keepends=True)
        for number in at:
            # A remark at the end of the last line changes no line's number.
            lines[number - 1] = lines[number - 1].rstrip("\n") + " // seen\n"
        (tree / source).write_text("".join(lines))


def main():
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("bins", nargs="?", default="target/release", type=pathlib.Path)
    ask.add_argument("--each", type=int, default=8)
    ask.add_argument("--keep", type=pathlib.Path)
    ask.add_argument("--only", choices=["js", "rust"])
    ask.add_argument("--misses", action="store_true")
    args = ask.parse_args()
    bins = args.bins.resolve()
    cache = (args.keep or pathlib.Path(tempfile.mkdtemp(prefix="bv-cause-"))).resolve()
    empty = cache / "empty"
    empty.mkdir(parents=True, exist_ok=True)
    for language, specs in (("js", JS), ("rust", RUST)):
        if args.only not in (None, language):
            continue
        cases = [case for spec in specs for case in make(language, spec, cache / language / "broken", args.each, cache)]
        count = named = files = printed = diffed = 0
        took = []
        for case in cases:
            wanted = json.loads((case / "case.json").read_text())
            got, seconds = receipt(bins, case, case / "tree", "--no-diff")
            hit, same = hits(got, wanted)
            count, named, files = count + 1, named + hit, files + same
            took.append(seconds)
            bare, _ = receipt(bins, case, empty, "--no-diff")
            place = bare.get("ast_location") or {}
            printed += (place.get("file") or "").endswith(wanted["file"]) and str(place.get("symbol") or "").endswith(wanted["function"])
            if args.misses and not hit:
                print(f"MISS {case.name}: {wanted['file']}:{wanted['line']} {wanted['function']}; receipt {got.get('ast_location')} {got.get('suspects', '')}")
            with_edits(language, case, wanted)
            touched, _ = receipt(bins, case, case / "tree")
            diff_hit, _ = hits(touched, wanted)
            diffed += diff_hit
            if args.misses and not diff_hit:
                print(f"DIFF {case.name}: {wanted['file']}:{wanted['line']} {wanted['function']}; receipt {touched.get('ast_location')}")
            shutil.rmtree(case / "tree" / ".git", ignore_errors=True)
        if not count:
            continue
        took.sort()
        share = lambda n: f"{n} of {count} ({100 * n / count:.1f} %)"
        print(f"{language}: function named in {share(named)}, file in {share(files)}, printed alone {share(printed)}; with the diff {share(diffed)}; "
              f"median {1000 * took[count // 2]:.0f} ms, worst {1000 * took[-1]:.0f} ms")
    if not args.keep:
        shutil.rmtree(cache)


if __name__ == "__main__":
    main()
