"""Reads and writes threads over the routes of conversations. A thread is a conversation whose messages are its records; values
over 4 KiB are messages of a second one, written once for each content. One POST is one commit, so a record is there as a whole
or not at all. Flows: whoever runs them does the requests."""
from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import ormsgpack
from langgraph.checkpoint.serde.base import SerializerProtocol

from .. import calls
from ..errors import Damaged, NotFound
from ..record_log import Joined, append_to, appending, read_log, texts_of
from ..wire import Flow, ask
from .records import BATCH, BLOBS, INLINE, PREFIX, Range, Ref, Thread, conversation_of, digest

KEPT_THREADS, KEPT_BYTES = 256, 32 << 20


class Values:
    """Contents that were read or written last, up to a number of bytes. Any thread."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self.most, self.bytes, self.kept, self.lock = most, 0, OrderedDict[Ref, bytes](), threading.Lock()

    def get(self, ref: Ref) -> bytes | None:
        with self.lock:
            content = self.kept.get(ref)
            if content is not None:
                self.kept.move_to_end(ref)
            return content

    def put(self, ref: Ref, content: bytes) -> None:
        with self.lock:
            if ref not in self.kept and len(content) <= self.most:
                self.kept[ref] = content
                self.bytes += len(content)
            while self.bytes > self.most:
                self.bytes -= len(self.kept.popitem(last=False)[1])


class Batch:
    """The new values of one record: each content once, small ones within the record."""

    def __init__(self, thread: Thread, serde: SerializerProtocol) -> None:
        self.thread, self.serde = thread, serde
        self.inline: dict[Ref, bytes] = {}
        self.large: dict[Ref, bytes] = {}

    def add(self, value: Any) -> Ref:
        kind, content = self.serde.dumps_typed(value)
        return self.add_content(ormsgpack.packb([kind, content]))

    def add_content(self, packed: bytes) -> Ref:
        ref = digest(packed)
        if ref not in self.thread.places:
            (self.inline if len(packed) <= INLINE else self.large)[ref] = packed
        return ref


class ThreadLog:
    def __init__(self, serde: SerializerProtocol) -> None:
        self.serde = serde
        self.values = Values()
        self.threads: OrderedDict[str, Thread] = OrderedDict()
        self.lock = threading.Lock()

    def thread(self, name: str) -> Thread:
        with self.lock:
            found = self.threads.setdefault(name, Thread(name))
            self.threads.move_to_end(name)
            if len(self.threads) > KEPT_THREADS:
                self.threads.popitem(last=False)
            return found

    def read(self, name: str) -> Flow[Thread]:
        """→ the thread as it is stored now; reads only what was added since the last time."""
        thread = self.thread(name)
        yield from read_log(thread, conversation_of(name))
        return thread

    def store_large(self, thread: Thread, large: Mapping[Ref, bytes]) -> Flow[list[tuple[Ref, list[Range]]]]:
        """Writes contents → where they are. What is stored without its record is only space."""
        todo = [(ref, text) for ref, content in large.items() for text in texts_of(content)]
        ranges: dict[Ref, list[Range]] = {ref: [] for ref in large}
        while todo:
            size, taken = 0, 0
            while taken < len(todo) and (taken == 0 or size + len(todo[taken][1]) <= BATCH):
                size, taken = size + len(todo[taken][1]), taken + 1
            now, todo = todo[:taken], todo[taken:]
            stored = yield from ask(appending(conversation_of(thread.name) + BLOBS, [text for _, text in now]))
            first = stored["last"] - len(now) + 1
            for number, (ref, _) in enumerate(now, first):
                have = ranges[ref]
                if have and sum(have[-1]) == number:
                    have[-1] = (have[-1][0], have[-1][1] + 1)
                else:
                    have.append((number, 1))
        for ref, content in large.items():
            self.values.put(ref, content)
        return list(ranges.items())

    def append(self, thread: Thread, record: dict[str, Any], batch: Batch) -> Flow[None]:
        """Writes a record with its new values; it is on disk when the flow ends."""
        stored = (yield from self.store_large(thread, batch.large)) if batch.large else []
        content = ormsgpack.packb({**record, "inline": list(batch.inline.items()), "stored": stored})
        yield from append_to(thread, conversation_of(thread.name), content)

    def content(self, thread: Thread, ref: Ref) -> Flow[bytes]:
        """A stored value; raises Damaged if it is not what was saved."""
        place = thread.places.get(ref)
        if isinstance(place, bytes):
            return place
        kept = self.values.get(ref)
        if kept is not None:
            return kept
        joined, found = Joined(), None
        for first, count in place or ():
            call = calls.get_messages(conversation_of(thread.name) + BLOBS, from_=first, to=first + count - 1)
            while True:
                try:
                    page = yield from ask(call)
                except NotFound:
                    break
                for row in page["messages"]:
                    found = joined.take(row.get("content", "")) or found
                if not page.get("next_cursor"):
                    break
                call = call.after(str(page["next_cursor"]))
        if found is None or digest(found) != ref:
            raise Damaged(f"a value of thread {thread.name} is not what was saved",
                          remedy="continue from an earlier checkpoint of the thread")
        self.values.put(ref, found)
        return found

    def value(self, thread: Thread, ref: Ref) -> Flow[Any]:
        kind, content = ormsgpack.unpackb((yield from self.content(thread, ref)))
        return self.serde.loads_typed((kind, content))

    def delete(self, name: str) -> Flow[None]:
        """Deletes the thread. A sidecar does not delete conversations: there a last record says that all before it is gone."""
        conversation = conversation_of(name)
        for one in (conversation, conversation + BLOBS):
            try:
                yield from ask(calls.delete_conversation(one))
            except NotFound:
                pass
        thread = yield from self.read(name)
        if thread.checkpoints or thread.writes:
            yield from self.append(thread, {"kind": "deleted"}, Batch(thread, self.serde))

    def names(self) -> Flow[list[str]]:
        """The threads of the caller. There is no list of conversations by the beginning of their ids, so this reads all."""
        found: list[str] = []
        call = calls.list_conversations(limit=1000)
        while True:
            page = yield from ask(call)
            for row in page["conversations"]:
                if row["id"].startswith(PREFIX) and not row["id"].endswith(BLOBS):
                    found.append((yield from self.name_of(row["id"])))
            if not page.get("next_cursor"):
                return list(dict.fromkeys(found))
            call = call.after(str(page["next_cursor"]))

    def name_of(self, conversation: str) -> Flow[str]:
        plain = conversation.removeprefix(PREFIX)
        if not plain.startswith("sha256:"):
            return plain
        thread = Thread("")
        yield from read_log(thread, conversation)
        return thread.name or plain
