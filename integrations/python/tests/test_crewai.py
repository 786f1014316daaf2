"""CrewAI's Memory on our storage, on a server and through a sidecar. Only where crewai is installed: `run_tests.py crewai`."""
from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

pytest.importorskip("crewai", reason="crewai has 1 GB: run_tests.py crewai")

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError, StorageBackend  # noqa: E402
from crewai.memory.types import MemoryRecord  # noqa: E402
from crewai.memory.unified_memory import Memory  # noqa: E402

from agent_memory.crewai import AgentMemoryStorage  # noqa: E402


@pytest.fixture(params=["server", "sidecar"])
def url(request: pytest.FixtureRequest, server: Any, sidecar: Any) -> str:
    return str((server if request.param == "server" else sidecar).api)


@pytest.fixture
def storage(url: str) -> Iterator[AgentMemoryStorage]:
    one = AgentMemoryStorage(url, name=uuid.uuid4().hex)
    yield one
    one.close()


def record(content: str, vector: list[float], **more: Any) -> MemoryRecord:
    return MemoryRecord(content=content, embedding=vector, **more)


def contents(found: Any) -> list[str]:
    return [one.content for one, _ in found]


def test_it_is_a_storage_of_crewai(storage: AgentMemoryStorage) -> None:
    assert isinstance(storage, StorageBackend)


def test_crewais_memory_remembers_and_recalls_in_another_process(url: str) -> None:
    def embedder(texts: list[str]) -> list[list[float]]:
        return [[float("cat" in text), float("car" in text), 0.1] for text in texts]
    name = uuid.uuid4().hex
    for turn in ("remember", "recall"):
        storage = AgentMemoryStorage(url, name=name)
        memory: Any = Memory(storage=storage, embedder=embedder)
        if turn == "remember":
            memory.remember("Ann has a cat.", scope="/home", categories=["pets"], importance=0.5)
            memory.remember("The car is blue.", scope="/home", categories=["things"], importance=0.5)
            memory.drain_writes()
        else:
            assert memory.recall("which cat?", depth="shallow", limit=1)[0].record.content == "Ann has a cat."
        memory.close()


def test_records_come_back_as_they_were_and_the_nearest_first(url: str, storage: AgentMemoryStorage) -> None:
    rows = [record("ü 🎲", [1.0, 0.0], scope="/a/b", categories=["x"], metadata={"n": [1.5]}, source="ann", private=True),
            record("both", [0.7, 0.7], scope="/a", categories=["y"]), record("other", [0.0, 1.0], scope="/ab")]
    storage.save(rows)
    storage.save([])
    other = AgentMemoryStorage(url, name=storage.name)
    found = other.search([1.0, 0.0])
    assert contents(found) == ["ü 🎲", "both", "other"] and found[0][0].model_dump() == rows[0].model_dump()
    assert 0.99 < found[0][1] <= 1.01 and 0.7 < found[1][1] < 0.71
    assert contents(other.search([0.0, 1.0], scope_prefix="/a")) == ["both", "ü 🎲"]
    assert contents(other.search([1.0, 0.0], categories=["y", "z"])) == ["both"] and contents(other.search([1.0, 0.0], min_score=0.9)) == ["ü 🎲"]
    assert contents(other.search([1.0, 0.0], metadata_filter={"n": [1.5]}, limit=1)) == ["ü 🎲"] and other.search([1.0, 0.0], limit=0) == []
    with pytest.raises(EmbeddingDimensionMismatchError):
        other.search([1.0, 0.0, 0.0])
    rows[1].content = "changed"
    other.update(rows[1])
    got = storage.get_record(rows[1].id)
    assert got and got.content == "changed" and storage.get_record("none") is None and storage.count() == 3
    other.close()


async def test_async_methods(storage: AgentMemoryStorage) -> None:
    await storage.asave([record("one", [1.0]), record("two", [0.5])])
    assert len(await storage.asearch([1.0])) == 2
    assert await storage.adelete() == 2 and await storage.adelete() == 0
    await storage.clients.aclose()


def test_scopes_categories_deletion(storage: AgentMemoryStorage) -> None:
    begun = datetime(2026, 1, 1)
    for number, scope in enumerate(("/a/b", "/a/c", "/a", "/d")):
        storage.save([record(str(number), [1.0], scope=scope, categories=["even" if number % 2 == 0 else "odd"], created_at=begun + timedelta(days=number))])
    assert storage.list_scopes() == ["/a", "/d"] and storage.list_scopes("/a/") == ["/a/b", "/a/c"]
    info = storage.get_scope_info("/a")
    assert (info.record_count, info.categories, info.child_scopes) == (3, ["even", "odd"], ["/a/b", "/a/c"])
    assert info.oldest_record == begun and info.newest_record == begun + timedelta(days=2)
    assert storage.list_categories() == {"even": 2, "odd": 2} and storage.count("/a") == 3
    assert [one.content for one in storage.list_records(limit=2, offset=1)] == ["2", "1"]
    assert storage.delete(older_than=begun + timedelta(days=1)) == 1 and storage.delete(categories=["odd"], scope_prefix="/d") == 1
    assert storage.delete(record_ids=["none"]) == 0 and storage.count() == 2
    storage.reset("/a/c")
    assert storage.count() == 1
    storage.reset()
    assert storage.count() == 0 and storage.list_scopes() == []
