#!/usr/bin/env python3
"""Compiles the package with its tests and the examples of the pages, and runs the tests and the frameworks' own suites, with the
packages of package-lock.json, cached by their digest beside other tools of this project. Programs: build/release/bin, or
$AGENT_MEMORY_BIN.

The last line is 'N passed, M failed, K skipped'."""
from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
INSTALL_S, STEP_S = 1500, 600
NODE_WANTED = 20  # of an older machine, such as Debian 12, the package below is used instead
NODE_NEWER = 22  # these frameworks ask for it; their tests and pages run with the package below on a machine that is older
NEED_NEWER = ("ai_sdk", "mastra")
NODE_PACKAGE = f"node-linux-{'arm64' if platform.machine() == 'aarch64' else 'x64'}"
PAGES = (REPOSITORY / "docs/clients/typescript.md", *sorted((REPOSITORY / "docs/adapters").glob("*.md")))
Counts = tuple[int, int, int]  # passed, failed, skipped


def npm(*argv: str, folder: Path) -> None:
    subprocess.run(["npm", *argv, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], cwd=folder, check=True, timeout=INSTALL_S)


def installed() -> tuple[str, str, Path]:
    """→ the program node, a newer one, and a folder node_modules; made once for each lock file and Node."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agent-memory"
    cache.mkdir(parents=True, exist_ok=True)
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    major = int(node[1:].split(".")[0])
    lock = (HERE / "package-lock.json").read_bytes()
    folder = cache / f"integrations-typescript-{hashlib.sha256(lock + node.encode()).hexdigest()[:16]}"
    with open(cache / "integrations-typescript.lock", "w", encoding="utf-8") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            print("installing the packages of package-lock.json (a minute the first time)", flush=True)
            for name in ("package.json", "package-lock.json"):
                shutil.copy(HERE / name, folder)
            npm("ci", folder=folder)
            if major < NODE_NEWER:
                (folder / "node").mkdir()
                npm("install", "--prefix", "node", f"{NODE_PACKAGE}@22.23.3", folder=folder)
            (folder / "installed").touch()
    newer = str(folder / f"node/node_modules/{NODE_PACKAGE}/bin/node") if major < NODE_NEWER else "node"
    return newer if major < NODE_WANTED else "node", newer, folder / "node_modules"


def laid_out(place: Path, node_modules: Path) -> None:
    """The package in a folder of its own, with the blocks of the pages as programs: page-number.ts."""
    for name in ("src", "tests"):
        shutil.copytree(HERE / name, place / name)
    for name in ("package.json", "tsconfig.json"):
        shutil.copy(HERE / name, place)
    (place / "node_modules").symlink_to(node_modules)
    (place / "examples").mkdir()
    for page in PAGES:
        for number, code in enumerate(re.findall(r"^```ts\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S), 1):
            (place / f"examples/{page.stem}-{number}.ts").write_text(code, encoding="utf-8")


def step(what: str, argv: list[str], place: Path, **more: str) -> tuple[str, int]:
    """→ what it said, and its exit code."""
    print(f"{what}:", flush=True)
    variables = {**more, "TMPDIR": str(place / "tmp"), "AGENT_MEMORY_REPOSITORY": str(REPOSITORY), "OPENAI_AGENTS_DISABLE_TRACING": "1",
                 "NO_COLOR": "1", "AGENT_MEMORY_BIN": os.environ.get("AGENT_MEMORY_BIN", str(REPOSITORY / "build/release/bin"))}
    done = subprocess.run(argv, cwd=place, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=STEP_S, check=False)
    print("".join("  " + line + "\n" for line in done.stdout.rstrip().split("\n")), end="", flush=True)
    return done.stdout, done.returncode


def own_tests(node: str, newer: str, place: Path) -> list[Counts]:
    files = sorted(str(path.relative_to(place)) for path in place.glob("dist/tests/*.test.js"))
    need = [file for file in files if Path(file).name.startswith(NEED_NEWER)]
    return [run_own("tests", node, [file for file in files if file not in need], place, AGENT_MEMORY_NEWER_NODE=newer),
            run_own(f"tests that need Node {NODE_NEWER}", newer, need, place)]


def run_own(what: str, node: str, files: list[str], place: Path, **more: str) -> Counts:
    said, code = step(what, [node, "--test", "--test-reporter=spec", *files], place, **more)
    passed, failed, skipped = (int(match[1]) if (match := re.search(rf"^\S* ?{word} (\d+)$", said, re.M)) else 0 for word in ("pass", "fail", "skipped"))
    return passed, failed or int(code != 0), skipped


def foreign_tests(node: str, suite: Path, place: Path) -> Counts:
    """A suite of a framework, which are written for vitest."""
    report = place / "tmp" / (suite.name + ".json")
    said, code = step(suite.name.split(".")[0].replace("_", " "), [
        node, "node_modules/vitest/vitest.mjs", "run", "--globals", "--testTimeout=120000", "--hookTimeout=120000", "--reporter=dot", "--reporter=json", f"--outputFile.json={report}",
        str(suite.relative_to(place))], place)
    if not report.exists():
        return 0, 1, 0
    told = json.loads(report.read_text(encoding="utf-8"))
    return told["numPassedTests"], told["numFailedTests"] or int(code != 0), told["numPendingTests"]


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="agent-memory-typescript-") as name:
        place = Path(name)
        (place / "tmp").mkdir()
        node, newer, node_modules = installed()
        laid_out(place, node_modules)
        _, code = step("tsc --strict", [node, "node_modules/typescript/bin/tsc"], place)
        results: list[Counts] = [(int(code == 0), int(code != 0), 0)]
        if not code:
            results += own_tests(node, newer, place)
            foreign = [foreign_tests(node, suite, place) for suite in sorted(place.glob("dist/tests/foreign_*.spec.js"))]
            print(f"the frameworks' own suites: {sum(count[0] for count in foreign)} passed, {sum(count[1] for count in foreign)} failed")
            results += foreign
    passed, failed, skipped = map(sum, zip(*results))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
