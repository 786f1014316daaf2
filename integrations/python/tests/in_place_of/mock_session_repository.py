"""Stands in the place of the tests' repository in memory: each object has sessions of its own."""
from __future__ import annotations

import uuid
from typing import Any

from strands.types.session import Session

from agent_memory.strands import AgentMemorySessionRepository


class MockedSessionRepository(AgentMemorySessionRepository):
    def __init__(self) -> None:
        super().__init__()
        conversation, mine = self.logs.conversation, uuid.uuid4().hex
        self.logs.conversation = lambda *parts: conversation(mine, *parts)  # type: ignore[method-assign]

    def create_session(self, session: Session, **kwargs: Any) -> Session:
        return super().create_session(session, **kwargs)
