"""What the records of a session, and of the state that sessions share, say. Pure."""
from __future__ import annotations

from typing import Any

from ..json_log import JsonLog

EXISTS, MISSING, STALE, DONE = "exists", "missing", "stale", "done"
APP, USER, TEMPORARY = "app:", "user:", "temp:"


class SessionLog(JsonLog):
    """`revision` names the record that changed the session last: an event that was made for an earlier one is refused."""

    def clear(self) -> None:
        self.name: tuple[str, str, str] | None = None
        self.state: dict[str, Any] = {}
        self.events: list[str] = []  # as JSON
        self.ids: dict[str, str] = {}
        self.revision, self.time = "", 0.0

    def is_empty(self) -> bool:
        return self.name is None

    def apply_json(self, record: dict[str, Any]) -> str:
        if record["kind"] == "create":
            if self.name is not None:
                return EXISTS
            app, user, session = record["name"]
            self.name, self.state = (app, user, session), record["state"]
        else:
            if self.name is None:
                return MISSING
            if self.ids.get(record["event_id"]) == record["event"]:
                return DONE  # delivered again
            if record["after"] not in (None, self.revision):
                return STALE
            self.events.append(record["event"])
            self.ids[record["event_id"]] = record["event"]
            self.state |= record["state"]
        self.revision, self.time = record["id"], record["time"]
        return DONE


class StateLog(JsonLog):
    """Of an app, or of a user of an app."""

    def clear(self) -> None:
        self.state: dict[str, Any] = {}

    def is_empty(self) -> bool:
        return not self.state

    def apply_json(self, record: dict[str, Any]) -> str:
        self.state |= record["state"]
        return DONE


def parted(state: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """→ what is the app's, the user's, the session's, without prefixes; what is temporary is nobody's."""
    app = {key.removeprefix(APP): value for key, value in state.items() if key.startswith(APP)}
    user = {key.removeprefix(USER): value for key, value in state.items() if key.startswith(USER)}
    session = {key: value for key, value in state.items() if not key.startswith((APP, USER, TEMPORARY))}
    return app, user, session
