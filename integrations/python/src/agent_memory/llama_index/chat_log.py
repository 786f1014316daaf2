"""What the records of a chat of LlamaIndex say. Pure."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..json_log import JsonLog

ACTIVE, ARCHIVED = "active", "archived"


@dataclass
class Row:
    status: str
    message: str  # as JSON


class ChatLog(JsonLog):
    """Of two that take the oldest messages at once, each gets others."""

    def clear(self) -> None:
        self.key: str | None = None
        self.rows: list[Row] = []

    def is_empty(self) -> bool:
        return not self.rows

    def apply_json(self, record: dict[str, Any]) -> list[str]:
        """→ the messages that were deleted or archived."""
        kind, self.key = record["kind"], record["key"]
        if kind in ("add", "set"):
            self.rows = (self.rows if kind == "add" else []) + [Row(record["status"], message) for message in record["messages"]]
            return []
        if kind == "delete":
            gone = [row for row in self.rows if record["status"] in (None, row.status)]
        elif kind == "delete one":
            gone = self.rows[record["at"]:record["at"] + 1]
        else:
            gone = [row for row in self.rows if row.status == ACTIVE][:record["count"]]
        if kind == "archive":
            for row in gone:
                row.status = ARCHIVED
        else:
            ids = {id(row) for row in gone}
            self.rows = [row for row in self.rows if id(row) not in ids]
        return [row.message for row in gone]

    def of_status(self, status: str | None) -> list[str]:
        return [row.message for row in self.rows if status in (None, row.status)]
