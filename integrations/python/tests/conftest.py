"""A server and a sidecar on ports of their own, in a temporary folder, for all tests of a run."""
from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_memory import Client
from world import a_server, a_sidecar


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="agent-memory-python-") as path:
        yield Path(path)


@pytest.fixture(scope="session")
def server(folder: Path) -> Iterator[Any]:
    program = a_server(folder)
    yield program
    program.kill()


@pytest.fixture(scope="session")
def sidecar(folder: Path, server: Any) -> Iterator[Any]:
    program = a_sidecar(folder, server)
    yield program
    program.kill()


@pytest.fixture
def client(server: Any) -> Iterator[Client]:
    with Client(server.api) as one:
        yield one
