"""AgentMemorySessionService: ADK's sessions in the memory server or a sidecar."""
from __future__ import annotations

import copy
import json
import time
import uuid
from typing import Any

from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.sessions import Session
from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig, ListSessionsResponse

from ..adapters import Clients
from ..json_log import GONE, Logs, encoded
from ..wire import Flow
from .session_log import APP, DONE, EXISTS, MISSING, USER, SessionLog, StateLog, parted


class AgentMemorySessionService(BaseSessionService):
    """`url` and the other options are those of agent_memory.AsyncClient. One object serves several event loops."""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        self.clients = Clients(url, options)
        self.logs = Logs("google-adk", SessionLog)
        self.states = Logs("google-adk-state", StateLog)

    async def __aenter__(self) -> AgentMemorySessionService:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.clients.aclose()

    async def create_session(self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None,
                             session_id: str | None = None) -> Session:
        id = (session_id or "").strip() or uuid.uuid4().hex
        await self.clients.arun(self.creating((app_name, user_id, id), json.loads(encoded(state or {}))))
        found = await self.get_session(app_name=app_name, user_id=user_id, session_id=id)
        if found is None:
            raise SessionNotFoundError(f"Session {id} not found.")
        return found

    async def get_session(self, *, app_name: str, user_id: str, session_id: str,
                          config: GetSessionConfig | None = None) -> Session | None:
        return await self.clients.arun(self.getting((app_name, user_id, session_id.strip()), config))

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        return ListSessionsResponse(sessions=await self.clients.arun(self.listing(app_name, user_id)))

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        await self.clients.arun(self.logs.deleting(app_name, user_id, session_id.strip()))

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        return copy.deepcopy((await self.clients.arun(self.states.read(app_name, user_id))).state)

    async def append_event(self, session: Session, event: Event) -> Event:
        """On disk when it returns. If another changed the session since it was read: StaleSessionError, and nothing is written."""
        if event.partial:
            return event
        self._apply_temp_state(session, event)
        event = self._trim_temp_delta_state(event)
        revision = await self.clients.arun(self.appending(session, event))
        self._commit_event_to_session(session, event)
        session.last_update_time = event.timestamp
        session._storage_update_marker = revision
        return event

    # Flows.

    def creating(self, name: tuple[str, str, str], state: dict[str, Any]) -> Flow[None]:
        app, user, own = parted(state)
        said = yield from self.logs.deciding(name, {"kind": "create", "name": name, "state": own, "time": time.time()})
        if said == EXISTS:
            raise AlreadyExistsError(f"Session with id {name[2]} already exists.")
        yield from self.sharing(name, app, user)

    def sharing(self, name: tuple[str, str, str], app: dict[str, Any], user: dict[str, Any]) -> Flow[None]:
        if app:
            yield from self.states.deciding(name[:1], {"kind": "state", "state": app})
        if user:
            yield from self.states.deciding(name[:2], {"kind": "state", "state": user})

    def appending(self, session: Session, event: Event) -> Flow[str]:
        """→ the session's revision."""
        name, id = (session.app_name, session.user_id, session.id), uuid.uuid4().hex
        app, user, own = parted(json.loads(encoded(event.actions.state_delta)) if event.actions else {})
        said = yield from self.logs.deciding(name, {
            "kind": "event", "id": id, "after": session._storage_update_marker, "event_id": event.id, "state": own,
            "event": event.model_dump_json(exclude_none=True, fallback=str), "time": event.timestamp})
        if said in (MISSING, GONE):
            raise SessionNotFoundError(f"Session {session.id} not found.")
        if said != DONE:
            raise StaleSessionError(f"Session {session.id} was changed by another writer since it was read: read it again.")
        yield from self.sharing(name, app, user)
        return id

    def getting(self, name: tuple[str, str, str], config: GetSessionConfig | None) -> Flow[Session | None]:
        log = yield from self.logs.read(*name)
        if log.name is None:
            return None
        session = yield from self.session_of(log)
        events = [Event.model_validate_json(event) for event in log.events]
        if config and config.num_recent_events is not None:
            events = events[-config.num_recent_events:] if config.num_recent_events else []
        if config and config.after_timestamp is not None:
            events = [event for event in events if event.timestamp >= config.after_timestamp]
        session.events = events
        return session

    def listing(self, app: str, user: str | None) -> Flow[list[Session]]:
        parts = (app,) if user is None else (app, user)
        found = []
        for log in (yield from self.logs.all(self.logs.conversation(*parts).removeprefix(self.logs.prefix) + "/")):
            if log.name and log.name[:len(parts)] == parts:
                found.append((yield from self.session_of(log)))
        return sorted(found, key=lambda session: (session.last_update_time, session.user_id, session.id))

    def session_of(self, log: SessionLog) -> Flow[Session]:
        """Without its events."""
        assert log.name
        with log.lock:
            (app, user, id), state, revision, updated = log.name, copy.deepcopy(log.state), log.revision, log.time
        for parts, prefix in (((app,), APP), ((app, user), USER)):
            shared = yield from self.states.read(*parts)
            state |= {prefix + key: value for key, value in copy.deepcopy(shared.state).items()}
        session = Session(app_name=app, user_id=user, id=id, state=state, last_update_time=updated)
        session._storage_update_marker = revision
        return session
