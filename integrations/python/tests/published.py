"""Tests that a package has in its source archive, run with an adapter in the place of the package's own storage, on a server and
through a sidecar. The archives are those of sources.txt, unpacked by run_tests.py into $AGENT_MEMORY_FOREIGN_SOURCES."""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from world import REPOSITORY, a_server, a_sidecar

HERE = REPOSITORY / "integrations/python"
COUNTS = {word: re.compile(rf"(\d+) {word}") for word in ("passed", "failed", "error")}


def source(package: str) -> Path:
    """The unpacked archive of a package."""
    folder = os.environ.get("AGENT_MEMORY_FOREIGN_SOURCES")
    found = sorted(Path(folder).glob(package + "-*")) if folder else []
    if not found:
        sys.exit(f"no source of {package}: run integrations/python/run_tests.py, which downloads it")
    return found[0]


def run(copied: dict[Path, str], tests: str, without: tuple[str, ...] = ()) -> int:
    """Runs a file of tests in a folder with `copied` files, twice: AGENT_MEMORY_URL is a server's, then a sidecar's. The last
    line is 'N passed, M failed'."""
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="agent-memory-published-") as path:
        place = Path(path, "tests-of-package")
        for origin, name in copied.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(origin, place / name)
        (place / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\naddopts = -q -p no:cacheprovider\n", encoding="utf-8")
        server = a_server(Path(path))
        sidecar = a_sidecar(Path(path), server)
        try:
            for where, program in (("server", server), ("sidecar", sidecar)):
                left_out = [word for name in without for word in ("--deselect", f"{tests}::{name}")]
                done = subprocess.run(
                    [sys.executable, "-m", "pytest", tests, *left_out], cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    text=True, timeout=500, check=False, env={
                        **os.environ, "AGENT_MEMORY_URL": "http://" + program.api, "PYTHONPATH": f"{place}:{HERE / 'src'}:{HERE / 'tests'}"})
                last = (done.stdout.rstrip().split("\n") or [""])[-1]
                found = {word: int(match[1]) if (match := pattern.search(last)) else 0 for word, pattern in COUNTS.items()}
                missed = found["failed"] + found["error"] or (1 if done.returncode else 0)
                if missed:
                    print(done.stdout)
                print(f"{where}: {found['passed']} passed, {missed} failed", flush=True)
                passed, failed = passed + found["passed"], failed + missed
        finally:
            sidecar.kill()
            server.kill()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
