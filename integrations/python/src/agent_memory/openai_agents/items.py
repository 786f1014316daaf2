"""The items of a session as its records say them. Pure."""
from __future__ import annotations

import hashlib
import json
from typing import Any

from ..record_log import Log

PREFIX = "openai-agents:"


def conversation_of(session: str) -> str:
    """The id of the conversation that keeps a session; ids have at most 200 bytes."""
    plain = PREFIX + session
    return plain if session and len(plain.encode()) <= 200 else PREFIX + "sha256:" + hashlib.sha256(session.encode()).hexdigest()


def encoded(record: dict[str, Any]) -> bytes:
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


class Items(Log):
    """Items in order. `taken` says which removal got which item: of two that want the same one, the first."""

    def __init__(self) -> None:
        super().__init__()
        self.clear()

    def clear(self) -> None:
        self.items: list[Any] = []
        self.taken: dict[str, Any] = {}

    def apply(self, content: bytes) -> None:
        record = json.loads(content.decode("utf-8", "surrogatepass"))
        if record["kind"] == "add":
            self.items += record["items"]
        elif record["kind"] == "pop" and self.items:
            self.taken[record["id"]] = self.items.pop()
        elif record["kind"] == "clear":
            self.items = []
