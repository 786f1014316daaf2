"""How the state of a LangGraph thread is written down: records and blobs as texts of messages, and what a thread is once its
records were read. Pure: no requests, no clocks."""
from __future__ import annotations

import base64
import hashlib
import threading
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import ormsgpack

from ..errors import Damaged

PREFIX = "langgraph:"
BLOBS = "#blobs"
FORM = "lg1"
# A sidecar cuts the middle out of strings over 256 KiB, and a body has at most 8 MiB.
CHUNK, BATCH = 96 << 10, 6 << 20
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


def texts_of(content: bytes) -> list[str]:
    """Content as texts of messages. It is compressed, so that redaction takes no part of it for a secret."""
    packed = base64.b64encode(zlib.compress(content, 1)).decode()
    parts = [packed[at:at + CHUNK] for at in range(0, len(packed), CHUNK)] or [""]
    return [f"{FORM} {number}/{len(parts)} {part}" for number, part in enumerate(parts, 1)]


def messages_of(texts: Iterable[str]) -> list[dict[str, Any]]:
    """System messages: they belong to no turn, and a sidecar never removes them from an open conversation."""
    return [{"role": "system", "content": text} for text in texts]


class Joined:
    """Joins texts of messages to contents; takes them in order, ignores what is not ours."""

    def __init__(self) -> None:
        self.parts: list[str] = []

    def take(self, text: str) -> bytes | None:
        head = text.split(" ", 2)
        if len(head) != 3 or head[0] != FORM:
            return None
        number, of = map(int, head[1].split("/"))
        if number != len(self.parts) + 1:
            self.parts = []
            if number != 1:
                return None
        self.parts.append(head[2])
        if number < of:
            return None
        packed, self.parts = "".join(self.parts), []
        try:
            return zlib.decompress(base64.b64decode(packed, validate=True))
        except (ValueError, zlib.error) as error:
            raise Damaged("a record of the thread is not what was saved",
                          remedy="continue from an earlier checkpoint, and see what changes messages on the way") from error


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


@dataclass
class Thread:
    """What the records of a thread say, up to the message `last`."""

    name: str
    last: int = 0
    mark: str = ""
    checkpoints: dict[Key, Head] = field(default_factory=dict)
    writes: dict[Key, dict[tuple[str, int], Write]] = field(default_factory=dict)
    places: dict[Ref, Place] = field(default_factory=dict)
    versions: dict[tuple[str, str, Any], Ref] = field(default_factory=dict)
    joined: Joined = field(default_factory=Joined)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def reset(self) -> None:
        with self.lock:
            self.last, self.mark, self.joined = 0, "", Joined()
            for part in (self.checkpoints, self.writes, self.places, self.versions):
                part.clear()

    def take(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Messages in order → False if they are not those after what was read: the thread was deleted and begun anew. Messages
        that were read before change nothing."""
        with self.lock:
            for row in rows:
                number, text = int(row["sequence"]), str(row.get("content", ""))
                if number == self.last and text != self.mark:
                    return False
                if number > self.last:
                    self.last, self.mark = number, text
                    content = self.joined.take(text)
                    if content is not None:
                        self.apply(ormsgpack.unpackb(content))
            return True

    def wrote(self, record: Mapping[str, Any], texts: Sequence[str], last: int) -> None:
        """A record of our own that is stored. Its values are known at once; the rest now, or when others' records before it are
        read."""
        with self.lock:
            if self.last == last - len(texts):
                self.last, self.mark = last, texts[-1]
                self.apply(record)
            else:
                self.learn(record)

    def learn(self, record: Mapping[str, Any]) -> None:
        for ref, content in record.get("inline", ()):
            self.places[ref] = content
        for ref, ranges in record.get("stored", ()):
            self.places[ref] = [(first, count) for first, count in ranges]
        for channel, version, ref in record.get("versions", ()):
            self.versions[record["ns"], channel, version] = ref

    def apply(self, record: Mapping[str, Any]) -> None:
        self.learn(record)
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
