"""How the state of a LangGraph thread is written down: its records, and what a thread is once they were read. Pure: no
requests, no clocks."""
from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import ormsgpack

from ..record_log import Log

PREFIX = "langgraph:"
BLOBS = "#blobs"
BATCH = 6 << 20  # of a body with at most 8 MiB
INLINE = 4 << 10  # smaller values stand in their record

Ref = bytes  # the digest of a stored value
Key = tuple[str, str]  # namespace, checkpoint id
Range = tuple[int, int]  # numbers of messages: first, count
Place = bytes | list[Range]


def conversation_of(thread: str) -> str:
    """The id of the conversation that keeps a thread; ids have at most 200 bytes, with BLOBS behind."""
    plain = PREFIX + thread
    if len(plain.encode()) <= 180 and thread and BLOBS not in thread:
        return plain
    return PREFIX + "sha256:" + hashlib.sha256(thread.encode()).hexdigest()


def digest(content: bytes) -> Ref:
    return hashlib.sha256(content).digest()


@dataclass(frozen=True)
class Head:
    """A checkpoint without its values."""

    parent: str | None
    body: Ref
    metadata: Ref
    values: Mapping[str, Ref]


@dataclass(frozen=True)
class Write:
    channel: str
    value: Ref
    path: str


class Thread(Log):
    """What the records of a thread say."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.checkpoints: dict[Key, Head] = {}
        self.writes: dict[Key, dict[tuple[str, int], Write]] = {}
        self.places: dict[Ref, Place] = {}
        self.versions: dict[tuple[str, str, Any], Ref] = {}

    def clear(self) -> None:
        self.checkpoints, self.writes, self.places, self.versions = {}, {}, {}, {}

    def learn(self, content: bytes) -> None:
        self.learn_values(ormsgpack.unpackb(content))

    def learn_values(self, record: Mapping[str, Any]) -> None:
        """Its values, which later records may name."""
        for ref, content in record.get("inline", ()):
            self.places[ref] = content
        for ref, ranges in record.get("stored", ()):
            self.places[ref] = [(first, count) for first, count in ranges]
        for channel, version, ref in record.get("versions", ()):
            self.versions[record["ns"], channel, version] = ref

    def apply(self, content: bytes) -> None:
        record = ormsgpack.unpackb(content)
        self.learn_values(record)
        kind = record["kind"]
        if kind == "checkpoint":
            self.name = record["thread"]
            self.checkpoints[record["ns"], record["id"]] = Head(
                record["parent"], record["body"], record["metadata"], dict(record["values"]))
        elif kind == "writes":
            stored = self.writes.setdefault((record["ns"], record["id"]), {})
            for index, channel, ref in record["writes"]:
                # A task that runs again writes the same; errors, interrupts and resumes replace each other.
                if index < 0 or (record["task"], index) not in stored:
                    stored[record["task"], index] = Write(channel, ref, record["path"])
        elif kind == "removed":
            for ns, id in record["checkpoints"]:
                self.checkpoints.pop((ns, id), None)
                self.writes.pop((ns, id), None)
        elif kind == "deleted":
            self.checkpoints.clear()
            self.writes.clear()

    def latest(self, ns: str) -> str | None:
        return max((id for space, id in self.checkpoints if space == ns), default=None)

    def ordered_writes(self, key: Key) -> list[tuple[str, Write]]:
        """In the order in which a live run applies them: path, task, index."""
        stored = self.writes.get(key, {})
        return [(task, stored[task, index]) for task, index in sorted(stored, key=lambda at: (stored[at].path, *at))]

    def ancestors(self, key: Key) -> list[Key]:
        """From the parent to the root, as far as it is there."""
        found: list[Key] = []
        head = self.checkpoints.get(key)
        while head and head.parent and (key[0], head.parent) in self.checkpoints and (key[0], head.parent) not in found:
            found.append((key[0], head.parent))
            head = self.checkpoints[found[-1]]
        return found
