"""A conversation as a log of records: each record is one or several messages, written in one commit. What a log is once its
records were read is up to whoever extends Log. For adapters; the reads and writes are flows."""
from __future__ import annotations

import base64
import os
import threading
import zlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import calls, models
from .errors import Damaged, NotFound
from .wire import Call, Flow, ask

FORM = "am1"
# A sidecar cuts the middle out of strings over 256 KiB.
CHUNK = 96 << 10
# Before each record, so that one that was sent again after a lost answer counts once; as many are remembered.
ID, REMEMBERED = 12, 4096


def texts_of(content: bytes) -> list[str]:
    """Content as texts of messages. It is compressed, so that redaction takes no part of it for a secret."""
    packed = base64.b64encode(zlib.compress(content, 1)).decode()
    parts = [packed[at:at + CHUNK] for at in range(0, len(packed), CHUNK)]
    return [f"{FORM} {number}/{len(parts)} {part}" for number, part in enumerate(parts, 1)]


def messages_of(texts: Iterable[str]) -> list[models.Message]:
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
            raise Damaged("a record is not what was saved",
                          remedy="continue from an earlier state, and see what changes messages on the way") from error


class Log:
    """What the records up to the message `last` say. Any thread."""

    def __init__(self) -> None:
        self.last, self.mark, self.joined, self.lock = 0, "", Joined(), threading.RLock()
        self.seen: deque[bytes] = deque(maxlen=REMEMBERED)

    def take_record(self, content: bytes) -> None:
        if content[:ID] not in self.seen:
            self.seen.append(content[:ID])
            self.apply(content[ID:])

    def apply(self, content: bytes) -> None:
        """The next record."""
        raise NotImplementedError

    def learn(self, content: bytes) -> None:
        """A record of our own that has others', unread ones before it: what it says that does not depend on them."""

    def clear(self) -> None:
        raise NotImplementedError

    def reset(self) -> None:
        with self.lock:
            self.last, self.mark, self.joined = 0, "", Joined()
            self.seen.clear()
            self.clear()

    def take(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Messages in order → False if they are not those after what was read: the log was deleted and begun anew. Messages
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
                        self.take_record(content)
            return True

    def wrote(self, content: bytes, texts: Sequence[str], last: int) -> None:
        """A record of our own that is stored: it counts at once, or when others' records before it are read."""
        with self.lock:
            if self.last == last - len(texts):
                self.last, self.mark = last, texts[-1]
                self.take_record(content)
            else:
                self.learn(content[ID:])


def read_log(log: Log, conversation: str) -> Flow[bool]:
    """Reads what was added since the last time → False if there is no such conversation."""
    while True:
        before = log.last
        call = calls.get_messages(conversation, from_=max(before, 1))
        try:
            page = yield from ask(call)
            known = page["last"] >= before and log.take(page["messages"])
            while known and page.get("next_cursor"):
                page = yield from ask(call.after(str(page["next_cursor"])))
                known = log.take(page["messages"])
        except NotFound:
            log.reset()
            return False
        if known:
            return True
        log.reset()


def appending(conversation: str, texts: Sequence[str]) -> Call[models.Appended]:
    """May be sent again: a record counts once, and a value may be there twice."""
    return replace(calls.append_messages(conversation, messages=messages_of(texts)), repeats=True)


def append_to(log: Log, conversation: str, content: bytes) -> Flow[None]:
    """Writes a record; it is on disk when the flow ends."""
    content = os.urandom(ID) + content
    texts = texts_of(content)
    answer = yield from ask(appending(conversation, texts))
    log.wrote(content, texts, answer["last"])
