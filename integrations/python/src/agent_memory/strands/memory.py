"""AgentMemoryStore: memories for a MemoryManager of Strands, which puts those that fit in front of a prompt."""
from __future__ import annotations

import uuid
from typing import Any, cast

from strands.memory import MemoryEntry, MemoryStore, SearchOptions

from .. import calls, models
from ..adapters import Clients
from ..wire import Call, Flow, ask

METADATA = ("id", "title", "type", "tags", "project", "created_at", "trust", "rank", "method")
MOST_TITLE = 100


class AgentMemoryStore(MemoryStore):
    """`project` is where memories are found and saved; a sidecar puts its policy's in its place. `session` and `type` are those
    of what is saved; a session is of one project, and without one each object has its own. The other options are those of agent_memory.AsyncClient."""

    def __init__(self, url: str | None = None, *, name: str = "agent-memory", description: str | None = "What was learned before",
                 project: str = "default", session: str | None = None, type: str = "note", max_search_results: int | None = 5,
                 writable: bool = False, extraction: Any = None, **options: Any) -> None:
        self.name, self.description, self.max_search_results = name, description, max_search_results
        self.writable, self.extraction = writable, extraction
        self.clients, self.project, self.type = Clients(url, options), project, type
        self.session = session or "strands-" + uuid.uuid4().hex

    async def close(self) -> None:
        await self.clients.aclose()

    async def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        if not query.strip():
            return []
        most = (options or {}).get("max_search_results") or self.max_search_results
        hits = await self.clients.arun(one(calls.search(q=query, project=self.project, limit=most)))
        return [entry_of(hit) for hit in hits]

    async def add(self, content: str, metadata: dict[str, Any] | None = None) -> models.SavedObservation:
        """The same content again is counted, and not stored twice."""
        title = str((metadata or {}).get("title") or content.strip().split("\n")[0][:MOST_TITLE])
        return await self.clients.arun(saving(calls.save_observation(
            content=content, title=title, project=self.project, session_id=self.session, type=self.type,
            tags=[str(tag) for tag in (metadata or {}).get("tags", [])])))

    async def initialize(self) -> None:
        """Nothing: a memory server needs no setup."""

    def get_tools(self) -> list[Any]:
        return []


def one(call: Call[list[models.Hit]]) -> Flow[list[models.Hit]]:
    return (yield from ask(call))


def saving(call: Call[models.SavedObservation]) -> Flow[models.SavedObservation]:
    return (yield from ask(call))


def entry_of(hit: models.Hit) -> MemoryEntry:
    row = cast("dict[str, Any]", hit)
    return MemoryEntry(content=row["content"], metadata={name: row[name] for name in METADATA if name in row})
