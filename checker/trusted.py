"""Prints how much code one has to trust who trusts a verdict: `make trusted`. Builds nothing.

Lines are those that hold code: no comments, no blank lines, no tests.
"""

import ast
import io
import os
import re
import subprocess
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BASE = ("linsep-proof", "linsep-data")
# Comments, and what may look like one: raw strings, strings and characters.
PIECES = r"""(?s)(//[^\n]*|/\*.*?\*/)|\br(\#*)".*?"\2|"(?:\\.|[^"\\])*"|'(?:\\[^\n]{1,9}?|[^\\'\n])'"""
TEST = "#[cfg(test)]"


def without_tests(text):
    """Rust code without comments, with letters for what is in strings, and without items for tests."""
    text = re.sub(PIECES, lambda m: re.sub(".", "" if m[1] else "x", m[0]), text)
    while TEST in text:
        begin = text.index(TEST)
        depth, end = 0, begin + len(TEST)
        # An item ends with a semicolon or a brace outside of all brackets.
        while text[end] not in ";}" or depth > (text[end] == "}"):
            depth += (text[end] in "([{") - (text[end] in ")]}")
            end += 1
        text = text[:begin] + text[end + 1 :]
    return text


def rust_lines(path):
    text = without_tests(path.read_text(encoding="utf-8"))
    return sum(1 for line in text.splitlines() if line.strip())


def python_lines(path):
    """Lines with a token that is neither a comment nor a string that stands alone."""
    text = path.read_text(encoding="utf-8")
    alone = [own for own in ast.walk(ast.parse(text)) if isinstance(own, ast.Expr)]
    alone = [own.value for own in alone if isinstance(own.value, ast.Constant)]
    told = {line for own in alone for line in range(own.lineno, own.end_lineno + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    tokens = [token for token in tokens if token.type != tokenize.COMMENT and token.string.strip()]
    return len({line for t in tokens for line in range(t.start[0], t.end[0] + 1)} - told)


def crates(edges):
    """The crates of others below the checker, on any system, with versions."""
    command = [os.environ.get("CARGO", "cargo"), "tree", "--offline", "--locked", "--package", BASE[0]]
    command += ["--edges", edges, "--target", "all", "--prefix", "none", "--no-dedupe"]
    listed = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    names = {" ".join(line.split()[:2]) for line in listed}
    return sorted(name for name in names if not name.startswith("linsep"))


def main():
    print("Lines of code, without comments, blank lines and tests:")
    total = 0
    for crate in BASE:
        files = sorted((ROOT / "crates" / crate / "src").rglob("*.rs"))
        files = [file for file in files if not re.fullmatch("tests|.*_tests", file.stem)]
        counts = {file.relative_to(ROOT).as_posix(): rust_lines(file) for file in files}
        total += sum(counts.values())
        counts[f"crates/{crate} in all"] = sum(counts.values())
        print(*(f"{count:>8,}  {name}" for name, count in counts.items()), sep="\n")
    print(f"{total:>8,}  both: the base, on which a proof that `linsep verify` accepts rests")
    second = python_lines(ROOT / "checker" / "linsep_check.py")
    print(f"{second:>8,}  checker/linsep_check.py: the second checker, which shares no code with it")
    linked = crates("normal,no-proc-macro")
    print(f"\nCrates of others below linsep-proof ({len(linked)}):", *linked, sep="\n  ")
    building = [name for name in crates("normal") if name not in linked]
    print(f"\nCrates that run only while it is compiled ({len(building)}):", *building, sep="\n  ")


if __name__ == "__main__":
    main()
