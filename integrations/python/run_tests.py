#!/usr/bin/env python3
"""Runs mypy, the tests and the frameworks' own suites in a virtual environment with the packages of requirements.txt, cached
by their digest beside other tools of this project. Suites of sources.txt are source archives, downloaded beside it.
Programs: build/release/bin, or $AGENT_MEMORY_BIN.

    run_tests.py            all but CrewAI
    run_tests.py crewai     CrewAI's adapter, with the packages of requirements-crewai.txt: 1 GB, some minutes to install

The last line is 'N passed, M failed, K skipped'."""
from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LOCK, SOURCES, CREWAI_LOCK = HERE / "requirements.txt", HERE / "sources.txt", HERE / "requirements-crewai.txt"
CREWAI = {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "CREWAI_TRACING_ENABLED": "false"}
INSTALL_S, STEP_S = 1500, 600
COUNTS = {word: re.compile(rf"(\d+) {word}") for word in ("passed", "failed", "error", "skipped")}


def environment(locked: Path = LOCK) -> Path:
    """→ the bin folder of the virtual environment; made once for each lock file and Python."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agent-memory"
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(locked.read_bytes() + SOURCES.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = cache / f"integrations-python-{digest}"
    with open(cache / "integrations-python.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            shutil.rmtree(folder, ignore_errors=True)
            print(f"installing the packages of {locked.name} (some minutes the first time)", flush=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=INSTALL_S)
            subprocess.run([folder / "bin/pip", "install", "--quiet", "--no-deps", "-r", locked], check=True, timeout=INSTALL_S)
            if locked == LOCK:
                download(folder)
            (folder / "installed").touch()
    return folder / "bin"


def download(folder: Path) -> None:
    """The archives of sources.txt, unpacked to the folder `sources`."""
    with tempfile.TemporaryDirectory(prefix="agent-memory-sources-") as place:
        subprocess.run([folder / "bin/pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--require-hashes", "-d", place,
                        "-r", SOURCES], check=True, timeout=INSTALL_S)
        for archive in Path(place).iterdir():
            with tarfile.open(archive) as tar:
                tar.extractall(folder / "sources", filter="data")


def counted(what: str, argv: list[str | Path], variables: dict[str, str]) -> tuple[int, int, int]:
    """Runs a step whose last line has counts → (passed, failed, skipped)."""
    print(f"{what}:", flush=True)
    done = subprocess.run(argv, cwd=HERE, env={**os.environ, **variables}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=STEP_S, check=False)
    print("".join("  " + line + "\n" for line in done.stdout.rstrip().split("\n")), end="", flush=True)
    last = (done.stdout.rstrip().split("\n") or [""])[-1]
    found = {word: int(match[1]) if (match := pattern.search(last)) else 0 for word, pattern in COUNTS.items()}
    failed = found["failed"] + found["error"]
    return found["passed"], failed or (1 if done.returncode else 0), found["skipped"]


def typed(bin_folder: Path, variables: dict[str, str], *files: str) -> tuple[int, int, int]:
    done = subprocess.run([bin_folder / "mypy", *files], cwd=HERE, env={**os.environ, **variables}, capture_output=True, text=True,
                          timeout=STEP_S, check=False)
    print("mypy --strict:\n  " + done.stdout.rstrip().replace("\n", "\n  ") + done.stderr, flush=True)
    return int(done.returncode == 0), int(done.returncode != 0), 0


def main() -> int:
    if sys.argv[1:] not in ([], ["crewai"]):
        sys.exit(f"unknown argument {' '.join(sys.argv[1:])}: nothing, or crewai")
    crewai = sys.argv[1:] == ["crewai"]
    bin_folder = environment(CREWAI_LOCK if crewai else LOCK)
    python = bin_folder / "python"
    foreign: list[tuple[int, int, int]] = []
    with tempfile.TemporaryDirectory(prefix="agent-memory-integrations-") as place:
        variables = {"PYTHONPATH": f"{HERE / 'src'}:{HERE / 'tests'}", "PYTHONDONTWRITEBYTECODE": "1", "MYPY_CACHE_DIR": str(bin_folder.parent / "mypy"),
                     "TMPDIR": place, "OPENAI_AGENTS_DISABLE_TRACING": "1", **CREWAI,
                     "AGENT_MEMORY_FOREIGN_SOURCES": str(bin_folder.parent / "sources")}
        if crewai:
            results = [typed(bin_folder, variables, "src/agent_memory/crewai", "tests/test_crewai.py"),
                       counted("tests of crewai", [python, "-m", "pytest", "tests/test_crewai.py", "tests/test_documents.py", "-k", "crew"],
                               variables)]
        else:
            results = [typed(bin_folder, variables), counted("tests", [python, "-m", "pytest"], variables)]
            foreign = [counted(suite.stem.replace("_", " "), [python, suite], variables) for suite in sorted(HERE.glob("tests/foreign_*.py"))]
            print(f"the frameworks' own suites: {sum(count[0] for count in foreign)} passed, {sum(count[1] for count in foreign)} failed")
    passed, failed, skipped = map(sum, zip(*results, *foreign))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
