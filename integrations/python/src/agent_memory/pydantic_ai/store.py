"""AgentMemoryConversationStore: Pydantic AI's conversations in the memory server or a sidecar."""
from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.conversation_store import ConversationConflict, ConversationEntry, ConversationRecord, ConversationStore
from pydantic_ai.messages import ModelMessagesTypeAdapter

from ..adapters import Clients
from ..json_log import Logs
from ..wire import Flow
from .conversation_log import DONE, ConversationLog, Entry

RECORD: TypeAdapter[ConversationRecord] = TypeAdapter(ConversationRecord)
REMEMBERED = 1 << 16  # entries whose conversation is known


class AgentMemoryConversationStore(ConversationStore):
    """`url` and the other options are those of agent_memory.AsyncClient. One object serves several event loops."""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        self.clients = Clients(url, options)
        self.logs = Logs("pydantic-ai", ConversationLog)
        self.places: OrderedDict[str, str] = OrderedDict()  # the conversation of an entry: reads of entries do not say it
        self.lock = threading.Lock()

    async def __aenter__(self) -> AgentMemoryConversationStore:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.clients.aclose()

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        return self.record_of(await self.clients.arun(self.logs.read(conversation_id)))

    async def read_records(self, *, scope: str | None = None, limit: int | None = None) -> Sequence[ConversationRecord]:
        found = [record for log in await self.clients.arun(self.logs.all()) if (record := self.record_of(log))]
        wanted = [record for record in found if scope is None or record.scope == scope]
        return sorted(wanted, key=lambda record: record.updated_at, reverse=True)[:limit]

    async def write_record(self, record: ConversationRecord, *, new_entries: Sequence[ConversationEntry] = (),
                           expected_revision: str | None) -> None:
        """Record and entries are one commit."""
        if await self.clients.arun(self.writing(record, new_entries, expected_revision)) != DONE:
            raise ConversationConflict(record.conversation_id)

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """With all entries of the conversation: a fork has its own."""
        if await self.clients.arun(self.deleting(conversation_id, expected_revision)) != DONE:
            raise ConversationConflict(conversation_id)

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        return (await self.read_history(entry_id, limit=1))[0]

    async def read_history(self, head_id: str | None, *, limit: int | None = None) -> list[ConversationEntry]:
        if head_id is None:
            return []
        with self.lock:
            conversation = self.places[head_id]
        log = await self.clients.arun(self.logs.read(conversation))
        with log.lock:
            return [entry_of(entry) for entry in log.history(head_id, limit)]

    # Flows.

    def writing(self, record: ConversationRecord, new: Sequence[ConversationEntry], expected: str | None) -> Flow[str]:
        entries = [[entry.id, entry.parent_id, ModelMessagesTypeAdapter.dump_json([entry.message]).decode()] for entry in new]
        if record.forked_from and expected is None and record.head_id and not new:
            source = yield from self.logs.read(record.forked_from)
            with source.lock:
                if record.head_id in source.entries:
                    entries = [list(entry) for entry in source.history(record.head_id)]
        said = yield from self.logs.deciding((record.conversation_id,), {
            "kind": "write", "conversation": record.conversation_id, "record": RECORD.dump_json(record, fallback=str).decode(),
            "revision": record.revision, "head": record.head_id, "entries": entries, "expected": expected})
        self.remember(record.conversation_id, (str(entry[0]) for entry in entries))
        return str(said)

    def deleting(self, conversation: str, expected: str) -> Flow[str]:
        said = yield from self.logs.deciding((conversation,), {"kind": "delete", "expected": expected})
        if said == DONE and (yield from self.logs.read(conversation)).is_empty():
            yield from self.logs.deleting(conversation)
        return str(said)

    def record_of(self, log: ConversationLog) -> ConversationRecord | None:
        with log.lock:
            if log.record is None:
                return None
            record = RECORD.validate_json(log.record)
        self.remember(log.id, filter(None, [record.head_id, *record.branches]))
        return record

    def remember(self, conversation: str, entries: Iterable[str]) -> None:
        """A fork's entries are in two conversations: either will do."""
        with self.lock:
            for entry in entries:
                self.places[entry] = conversation
                self.places.move_to_end(entry)
            while len(self.places) > REMEMBERED:
                self.places.popitem(last=False)


def entry_of(entry: Entry) -> ConversationEntry:
    return ConversationEntry(id=entry.id, parent_id=entry.parent, message=ModelMessagesTypeAdapter.validate_json(entry.message)[0])
