"""Stands in the place of the package adk_database_memory: its service is ours. A database is a part of the app's name. That engine
finds whole words only, so memories that are just near are left out."""
from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from google.adk.events.event import Event
from google.adk.memory.base_memory_service import SearchMemoryResponse

from agent_memory.google_adk import AgentMemoryService


class DatabaseMemoryService(AgentMemoryService):
    def __init__(self, db_url: str) -> None:
        super().__init__(min_similarity=0.5)
        self.database = uuid.uuid4().hex if ":memory:" in db_url else db_url

    async def add_events_to_memory(self, *, app_name: str, user_id: str, events: Sequence[Event], session_id: str | None = None,
                                   custom_metadata: Mapping[str, object] | None = None) -> None:
        await super().add_events_to_memory(app_name=self.database + app_name, user_id=user_id, events=events, session_id=session_id,
                                           custom_metadata=custom_metadata)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        return await super().search_memory(app_name=self.database + app_name, user_id=user_id, query=query)
