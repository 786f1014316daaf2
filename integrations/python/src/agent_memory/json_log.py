"""Conversations as logs of JSON records, for adapters that keep histories. What a record does to a log is a rule of its kind of
log, so of writers that disagree every reader knows who was first; `deciding` tells a writer what became of its record."""
from __future__ import annotations

import hashlib
import json
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar
from urllib.parse import quote

from . import calls
from .errors import NotFound
from .record_log import Log, append_to, read_log
from .wire import Flow, ask

KEPT_LOGS = 256
MOST_ID = 200  # bytes of a conversation's id
GONE = "gone"  # what became of a record whose log another writer deleted at the same time


def encoded(value: Any) -> str:
    """As JSON; what JSON has no form for, as its text."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str)


class JsonLog(Log):
    """`apply_json` says what a record does, and what its writer is told."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[str] = set()
        self.outcomes: dict[str, Any] = {}
        self.clear()

    def apply_json(self, record: dict[str, Any]) -> Any:
        raise NotImplementedError

    def is_empty(self) -> bool:
        """Whether there is nothing to delete."""
        raise NotImplementedError

    def apply(self, content: bytes) -> None:
        record = json.loads(content.decode("utf-8", "surrogatepass"))
        if record["kind"] == "deleted":
            self.clear()
            return
        outcome = self.apply_json(record)
        if record["id"] in self.asked:
            self.outcomes[record["id"]] = outcome


L = TypeVar("L", bound=JsonLog)


class Logs(Generic[L]):
    """The logs of a kind, each by the parts of its name; those used last are kept in memory. Any thread."""

    def __init__(self, prefix: str, kind: Callable[[], L]) -> None:
        self.prefix, self.kind, self.lock = prefix + ":", kind, threading.Lock()
        self.kept: OrderedDict[str, L] = OrderedDict()

    def conversation(self, *parts: str) -> str:
        plain = self.prefix + "/".join(quote(part, safe="") for part in parts)
        if len(plain) <= MOST_ID and any(parts):
            return plain
        return self.prefix + "sha256:" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def log(self, conversation: str) -> L:
        with self.lock:
            found = self.kept.setdefault(conversation, self.kind()) if conversation not in self.kept else self.kept[conversation]
            self.kept.move_to_end(conversation)
            if len(self.kept) > KEPT_LOGS:
                self.kept.popitem(last=False)
            return found

    def read(self, *parts: str) -> Flow[L]:
        return self.reading(self.conversation(*parts))

    def reading(self, conversation: str) -> Flow[L]:
        log = self.log(conversation)
        yield from read_log(log, conversation)
        return log

    def deciding(self, parts: tuple[str, ...], record: dict[str, Any]) -> Flow[Any]:
        """Writes a record, in one commit → what its log said to it."""
        conversation = self.conversation(*parts)
        log, id = self.log(conversation), record.get("id") or uuid.uuid4().hex
        log.asked.add(id)
        try:
            yield from append_to(log, conversation, encoded({**record, "id": id}).encode("utf-8", "surrogatepass"))
            if id not in log.outcomes:
                yield from read_log(log, conversation)
            return log.outcomes.pop(id, GONE)
        finally:
            log.asked.discard(id)
            log.outcomes.pop(id, None)

    def deleting(self, *parts: str) -> Flow[None]:
        """A sidecar does not delete conversations: there a record says that all before it is gone."""
        conversation = self.conversation(*parts)
        try:
            yield from ask(calls.delete_conversation(conversation))
        except NotFound:
            pass
        log = self.log(conversation)
        if (yield from read_log(log, conversation)) and not log.is_empty():
            yield from append_to(log, conversation, encoded({"kind": "deleted"}).encode())

    def all(self, beginning: str = "") -> Flow[list[L]]:
        """Each log whose name begins so, or may do so; a log knows its name. Reads every page of the caller's conversations:
        there is no list of them by the beginning of their ids."""
        wanted, found = (self.prefix + beginning, self.prefix + "sha256:"), []
        call = calls.list_conversations(limit=1000)
        while True:
            page = yield from ask(call)
            for row in page["conversations"]:
                if row["id"].startswith(wanted):
                    found.append((yield from self.reading(row["id"])))
            if not page.get("next_cursor"):
                return [log for log in found if not log.is_empty()]
            call = call.after(str(page["next_cursor"]))
