"""AgentMemorySessionManager: a session of Strands in the memory server or a sidecar."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from strands.session.repository_session_manager import RepositorySessionManager
from strands.session.session_repository import SessionRepository
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionMessage

from ..adapters import Clients
from ..json_log import Logs, encoded
from .session_log import DONE, SessionLog

if TYPE_CHECKING:
    from strands.multiagent.base import MultiAgentBase


class AgentMemorySessionRepository(SessionRepository):
    """`url` and the other options are those of agent_memory.Client. One object serves threads alike."""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        self.clients = Clients(url, options)
        self.logs = Logs("strands", SessionLog)

    def close(self) -> None:
        self.clients.close()

    def log(self, session: str) -> SessionLog:
        return self.clients.run(self.logs.read(session))

    def write(self, session: str, kind: str, value: Any, **record: Any) -> None:
        """On disk when it returns; raises SessionException if the log refused it."""
        said = self.clients.run(self.logs.deciding((session,), {"kind": kind, "value": encoded(value), **record}))
        if said != DONE:
            raise SessionException(f"{kind} {record.get('message', record.get('agent', ''))} of session {session}: {said}")

    def create_session(self, session: Session, **kwargs: Any) -> Session:
        self.write(session.session_id, "session", session.to_dict())
        return session

    def read_session(self, session_id: str, **kwargs: Any) -> Session | None:
        stored = self.log(session_id).session
        return Session.from_dict(json.loads(stored)) if stored else None

    def delete_session(self, session_id: str, **kwargs: Any) -> None:
        self.clients.run(self.logs.deleting(session_id))

    def create_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        self.write(session_id, "agent", session_agent.to_dict(), agent=session_agent.agent_id, new=True)

    def read_agent(self, session_id: str, agent_id: str, **kwargs: Any) -> SessionAgent | None:
        stored = self.log(session_id).agents.get(agent_id)
        return SessionAgent.from_dict(json.loads(stored)) if stored else None

    def update_agent(self, session_id: str, session_agent: SessionAgent, **kwargs: Any) -> None:
        """Keeps the time of creation."""
        before = self.read_agent(session_id, session_agent.agent_id)
        if before:
            session_agent.created_at = before.created_at
        self.write(session_id, "agent", session_agent.to_dict(), agent=session_agent.agent_id, new=False)

    def create_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Of two writers of one number the second is refused."""
        self.write(session_id, "message", session_message.to_dict(), agent=agent_id, message=session_message.message_id, new=True)

    def read_message(self, session_id: str, agent_id: str, message_id: int, **kwargs: Any) -> SessionMessage | None:
        stored = self.log(session_id).messages.get(agent_id, {}).get(message_id)
        return SessionMessage.from_dict(json.loads(stored)) if stored else None

    def update_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **kwargs: Any) -> None:
        """Keeps the time of creation. The text before it stays in the log until the session is deleted."""
        before = self.read_message(session_id, agent_id, session_message.message_id)
        if before:
            session_message.created_at = before.created_at
        self.write(session_id, "message", session_message.to_dict(), agent=agent_id, message=session_message.message_id, new=False)

    def list_messages(self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0,
                      **kwargs: Any) -> list[SessionMessage]:
        log = self.log(session_id)
        with log.lock:
            stored = [value for _, value in sorted(log.messages.get(agent_id, {}).items())]
        page = stored[offset:] if limit is None else stored[offset:offset + limit]
        return [SessionMessage.from_dict(json.loads(value)) for value in page]

    def create_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        self.write(session_id, "several", multi_agent.serialize_state(), agent=multi_agent.id, new=True)

    def read_multi_agent(self, session_id: str, multi_agent_id: str, **kwargs: Any) -> dict[str, Any] | None:
        stored = self.log(session_id).several.get(multi_agent_id)
        return cast("dict[str, Any]", json.loads(stored)) if stored else None

    def update_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **kwargs: Any) -> None:
        self.write(session_id, "several", multi_agent.serialize_state(), agent=multi_agent.id, new=False)


class AgentMemorySessionManager(RepositorySessionManager):
    """For Agent(session_manager=…): `session_id` names the session; the other options are those of the repository."""

    def __init__(self, session_id: str, url: str | None = None, **options: Any) -> None:
        self.repository = AgentMemorySessionRepository(url, **options)
        super().__init__(session_id=session_id, session_repository=self.repository)

    def close(self) -> None:
        self.repository.close()
