"""What the records of a memory of CrewAI say, and which of its rows a question means. Pure."""
from __future__ import annotations

import base64
import math
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..json_log import JsonLog


@dataclass(frozen=True)
class Row:
    id: str
    scope: str
    categories: tuple[str, ...]
    metadata: Mapping[str, Any]
    created: str  # ISO 8601
    record: str  # as JSON, without its vector
    vector: tuple[float, ...]  # of length 1, or empty

    def stored(self) -> dict[str, Any]:
        return {"id": self.id, "scope": self.scope, "categories": self.categories, "metadata": self.metadata, "created": self.created,
                "record": self.record, "vector": packed(self.vector)}

    @staticmethod
    def of(stored: Mapping[str, Any]) -> Row:
        return Row(stored["id"], stored["scope"], tuple(stored["categories"]), stored["metadata"], stored["created"], stored["record"],
                   unpacked(stored["vector"]))

    def is_in(self, scope: str | None) -> bool:
        prefix = "/" + (scope or "").strip("/")
        return prefix == "/" or self.scope == prefix or self.scope.startswith(prefix + "/")

    def fits(self, categories: Iterable[str] | None, metadata: Mapping[str, Any] | None) -> bool:
        return (not categories or any(one in self.categories for one in categories)) and all(
            self.metadata.get(name) == value for name, value in (metadata or {}).items())


class MemoryLog(JsonLog):
    """The rows by id, in the order in which they were saved first."""

    def clear(self) -> None:
        self.rows: dict[str, Row] = {}

    def is_empty(self) -> bool:
        return not self.rows

    def apply_json(self, record: dict[str, Any]) -> int:
        """→ how many rows it changed."""
        if record["kind"] == "save":
            self.rows |= {stored["id"]: Row.of(stored) for stored in record["rows"]}
            return len(record["rows"])
        return sum(self.rows.pop(id, None) is not None for id in record["ids"])


def unit(vector: Sequence[float] | None) -> tuple[float, ...]:
    length = math.sqrt(sum(value * value for value in vector or ()))
    return tuple(value / length for value in vector or ()) if length else ()


def nearness(left: Sequence[float], right: Sequence[float]) -> float:
    """Of two vectors of length 1: 0 to 1."""
    return max(0.0, sum(map(float.__mul__, left, right)))


def packed(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def unpacked(text: str) -> tuple[float, ...]:
    content = base64.b64decode(text)
    return struct.unpack(f"<{len(content) // 4}f", content)
