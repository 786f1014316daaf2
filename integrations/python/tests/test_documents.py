"""The Python blocks of the pages run as they are, in the order of the page, with the address of a sidecar."""
from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from world import REPOSITORY

PAGES = [path for path in (REPOSITORY / "docs/clients/python.md", *sorted((REPOSITORY / "docs/adapters").glob("*.md")))]
BLOCKS = [(page, number, code) for page in PAGES
          for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S), 1)]


@pytest.mark.parametrize(("page", "number", "code"), BLOCKS, ids=[f"{page.stem}-{number}" for page, number, _ in BLOCKS])
def test_example_runs(page: Path, number: int, code: str, sidecar: Any, tmp_path: Path) -> None:
    if page.stem == "crewai" and importlib.util.find_spec("crewai") is None:
        pytest.skip("crewai has 1 GB: run_tests.py crewai")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=120, check=False,
                          env={"OPENAI_AGENTS_DISABLE_TRACING": "1", "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "HOME": str(tmp_path), "PYTHONPATH": str(REPOSITORY / "integrations/python/src"), "AGENT_MEMORY_URL": "http://" + sidecar.api})
    assert done.returncode == 0, f"block {number} of {page.name}:\n{done.stderr}"


def test_the_quickstart_has_ten_lines() -> None:
    assert BLOCKS[0][2].count("\n") <= 10
