"""AgentMemoryService: what was said in ADK's sessions, as memories that other agents, people and the console find too."""
from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai import types

from .. import calls, models
from ..adapters import Clients
from ..wire import Call, Flow, ask

REMEMBERED = 10_000  # events that are not sent again
LONGEST = 50_000  # characters of an episode
WITHOUT_SESSION = "memories"


class AgentMemoryService(BaseMemoryService):
    """A search returns the `k` nearest memories, none below `min_similarity` (0 to 1). `project` is where they are; a sidecar puts
    its policy's in its place. The other options are those of agent_memory.AsyncClient."""

    def __init__(self, url: str | None = None, *, k: int = 10, min_similarity: float = 0.05, project: str | None = None,
                 **options: Any) -> None:
        self.clients, self.k, self.min_similarity, self.project = Clients(url, options), k, min_similarity, project
        self.sent: OrderedDict[tuple[str, ...], None] = OrderedDict()
        self.lock = threading.Lock()

    async def __aenter__(self) -> AgentMemoryService:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.clients.aclose()

    async def add_session_to_memory(self, session: Session) -> None:
        await self.add_events_to_memory(app_name=session.app_name, user_id=session.user_id, events=session.events,
                                        session_id=session.id)

    async def add_events_to_memory(self, *, app_name: str, user_id: str, events: Sequence[Event], session_id: str | None = None,
                                   custom_metadata: Mapping[str, object] | None = None) -> None:
        """Texts only; an event that was added before changes nothing."""
        for event in events:
            key = (app_name, user_id, session_id or "", event.id)
            text = text_of(event.content)
            if text and not self.was_sent(key):
                await self.clients.arun(one(self.storing(
                    app_name, user_id, session_id, text, event.timestamp,
                    {"author": event.author, "role": event.content.role if event.content else None,
                     **({"custom": dict(custom_metadata)} if custom_metadata else {})})))
                self.mark(key)

    async def add_memory(self, *, app_name: str, user_id: str, memories: Sequence[MemoryEntry],
                         custom_metadata: Mapping[str, object] | None = None) -> None:
        for memory in memories:
            text = text_of(memory.content)
            if not text:
                raise ValueError("a memory needs a text")
            custom = {**memory.custom_metadata, **(custom_metadata or {})}
            time = datetime.fromisoformat(memory.timestamp).timestamp() if memory.timestamp else None
            await self.clients.arun(one(self.storing(app_name, user_id, None, text, time, {
                "author": memory.author, "role": memory.content.role, **({"custom": custom} if custom else {})})))

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        found = await self.clients.arun(searching(calls.search_episodes(
            agent_id=app_name, user_id=user_id, query=query,
            top_k=self.k, min_similarity=self.min_similarity, project=self.project)))
        return SearchMemoryResponse(memories=[entry_of(episode) for episode in found["results"]])

    def storing(self, app: str, user: str, session: str | None, text: str, time: float | None,
                metadata: dict[str, Any]) -> Call[models.SavedEpisode]:
        created = datetime.fromtimestamp(time, timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z") if time else None
        return calls.store_episode(agent_id=app, user_id=user, conversation_id=session or WITHOUT_SESSION, summary=text[:LONGEST],
                                   created_at=created, project=self.project,
                                   metadata={name: value for name, value in metadata.items() if value is not None})

    def was_sent(self, key: tuple[str, ...]) -> bool:
        with self.lock:
            return key in self.sent

    def mark(self, key: tuple[str, ...]) -> None:
        with self.lock:
            self.sent[key] = None
            if len(self.sent) > REMEMBERED:
                self.sent.popitem(last=False)


def one(call: Call[Any]) -> Flow[Any]:
    return (yield from ask(call))


def searching(call: Call[models.FoundEpisodes]) -> Flow[models.FoundEpisodes]:
    return (yield from ask(call))


def text_of(content: types.Content | None) -> str:
    parts = content.parts if content and content.parts else []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()


def entry_of(episode: models.FoundEpisode) -> MemoryEntry:
    metadata = episode["metadata"]
    return MemoryEntry(
        content=types.Content(role=metadata.get("role"), parts=[types.Part(text=episode["summary"])]), id=str(episode["id"]),
        author=metadata.get("author"), timestamp=episode["created_at"], custom_metadata=metadata.get("custom", {}))
