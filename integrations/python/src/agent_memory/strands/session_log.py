"""What the records of a session of Strands say. Pure."""
from __future__ import annotations

from typing import Any

from ..json_log import JsonLog

DONE = "done"
EXISTS, NO_SESSION, NO_AGENT, NO_MESSAGE, NO_MULTI = (
    "it already exists", "the session does not exist", "the agent does not exist", "the message does not exist",
    "the state of several agents does not exist")


class SessionLog(JsonLog):
    """All values are JSON. What is created twice is refused the second time, and so is a change of what is not there."""

    def clear(self) -> None:
        self.session: str | None = None
        self.agents: dict[str, str] = {}
        self.messages: dict[str, dict[int, str]] = {}
        self.several: dict[str, str] = {}

    def is_empty(self) -> bool:
        return self.session is None

    def apply_json(self, record: dict[str, Any]) -> str:
        kind, value = record["kind"], record["value"]
        if kind == "session":
            if self.session is not None:
                return EXISTS
            self.session = value
            return DONE
        if self.session is None:
            return NO_SESSION
        if kind == "several":
            if record["new"] is False and record["agent"] not in self.several:
                return NO_MULTI
            self.several[record["agent"]] = value
            return DONE
        agent, known = record["agent"], self.agents
        if kind == "agent":
            if (agent in known) == record["new"]:
                return EXISTS if record["new"] else NO_AGENT
            known[agent] = value
            self.messages.setdefault(agent, {})
            return DONE
        if agent not in known:
            return NO_AGENT
        number, messages = record["message"], self.messages[agent]
        if (number in messages) == record["new"]:
            return EXISTS if record["new"] else NO_MESSAGE
        messages[number] = value
        return DONE
