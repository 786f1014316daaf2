"""A server and a sidecar on ports of their own, in a temporary folder, for all tests of a run."""
from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(REPOSITORY / "e2e/support")]

import programs  # noqa: E402

from agent_memory import Client  # noqa: E402


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="agent-memory-python-") as path:
        yield Path(path)


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Any]:
    program = programs.server(str(folder / "server")).start()
    yield program
    program.kill()


@pytest.fixture(scope="session")
def sidecar(folder: Path, server: Any) -> Iterator[Any]:
    policy = folder / "policy.json"
    policy.write_text(json.dumps({
        "version": 1, "agent": "coder",
        "memory": {"url": "http://" + server.api, "project": "billing", "contextLimit": 5, "rememberPrompts": True,
                   "allowAdmin": True},
        "toolHooks": {"memorySaveRules": [{"tool": "bash", "matchOutput": "error", "type": "bugfix"}],
                      "blockedCommands": ["rm -rf"]}}), encoding="utf-8")
    program = programs.sidecar(str(folder / "sidecar"), str(policy)).start()
    program.ready()
    yield program
    program.kill()


@pytest.fixture
def client(server: Any) -> Iterator[Client]:
    with Client(server.api) as one:
        yield one
