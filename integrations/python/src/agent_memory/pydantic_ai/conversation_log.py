"""What the records of a conversation of Pydantic AI say. Pure."""
from __future__ import annotations

from typing import Any, NamedTuple

from ..json_log import JsonLog

CONFLICT, DONE = "conflict", "done"


class Entry(NamedTuple):
    id: str
    parent: str | None
    message: str  # JSON of a list with it


class ConversationLog(JsonLog):
    """A log has all entries of its conversation, also those that a fork shares with another. A write or a deletion counts if
    the revision that it expects is the stored one."""

    def clear(self) -> None:
        self.id = ""
        self.record: str | None = None  # as JSON
        self.revision: str | None = None
        self.entries: dict[str, Entry] = {}

    def is_empty(self) -> bool:
        return self.record is None

    def apply_json(self, record: dict[str, Any]) -> str:
        if record["expected"] != self.revision:
            return CONFLICT
        if record["kind"] == "delete":
            self.clear()
            return DONE
        new = {id: Entry(id, parent, message) for id, parent, message in record["entries"]}
        if record["head"] is not None and record["head"] not in new and record["head"] not in self.entries:
            return CONFLICT
        self.id, self.record, self.revision = record["conversation"], record["record"], record["revision"]
        self.entries |= new
        return DONE

    def history(self, head: str | None, limit: int | None = None) -> list[Entry]:
        """From the first one; raises LookupError if one is not there."""
        found: list[Entry] = []
        while head is not None and (limit is None or len(found) < limit):
            found.append(self.entries[head])
            head = found[-1].parent
        return found[::-1]
