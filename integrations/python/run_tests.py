#!/usr/bin/env python3
"""Runs mypy, the tests and the frameworks' own suites in a virtual environment with the packages of requirements.txt, cached
by their digest beside other tools of this project. Suites of sources.txt are source archives, downloaded beside it.
Programs: build/release/bin, or $AGENT_MEMORY_BIN.

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
LOCK, SOURCES = HERE / "requirements.txt", HERE / "sources.txt"
INSTALL_S, STEP_S = 1500, 600
COUNTS = {word: re.compile(rf"(\d+) {word}") for word in ("passed", "failed", "error", "skipped")}


def environment() -> Path:
    """→ the bin folder of the virtual environment; made once for each lock file and Python."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "agent-memory"
    cache.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(LOCK.read_bytes() + SOURCES.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = cache / f"integrations-python-{digest}"
    with open(cache / "integrations-python.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "installed").exists():
            shutil.rmtree(folder, ignore_errors=True)
            print("installing the packages of requirements.txt (some minutes the first time)", flush=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=INSTALL_S)
            subprocess.run([folder / "bin/pip", "install", "--quiet", "--no-deps", "-r", LOCK], check=True, timeout=INSTALL_S)
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


def main() -> int:
    bin_folder = environment()
    python = bin_folder / "python"
    with tempfile.TemporaryDirectory(prefix="agent-memory-integrations-") as place:
        variables = {"PYTHONPATH": f"{HERE / 'src'}:{HERE / 'tests'}", "PYTHONDONTWRITEBYTECODE": "1", "MYPY_CACHE_DIR": str(bin_folder.parent / "mypy"),
                     "TMPDIR": place, "OPENAI_AGENTS_DISABLE_TRACING": "1",
                     "AGENT_MEMORY_FOREIGN_SOURCES": str(bin_folder.parent / "sources")}
        typed = subprocess.run([bin_folder / "mypy"], cwd=HERE, env={**os.environ, **variables}, capture_output=True, text=True,
                               timeout=STEP_S, check=False)
        print("mypy --strict:\n  " + typed.stdout.rstrip().replace("\n", "\n  ") + typed.stderr, flush=True)
        results = [(int(typed.returncode == 0), int(typed.returncode != 0), 0)]
        results.append(counted("tests", [python, "-m", "pytest"], variables))
        foreign = [counted(suite.stem.replace("_", " "), [python, suite], variables) for suite in sorted(HERE.glob("tests/foreign_*.py"))]
        print(f"the frameworks' own suites: {sum(count[0] for count in foreign)} passed, {sum(count[1] for count in foreign)} failed")
    passed, failed, skipped = map(sum, zip(*results, *foreign))
    print(f"{passed} passed, {failed} failed, {skipped} skipped", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
