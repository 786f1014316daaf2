"""AgentMemoryChatStore: the messages of LlamaIndex' Memory in the memory server or a sidecar."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
from pydantic import PrivateAttr

from ..adapters import Clients
from ..json_log import GONE, Logs
from .chat_log import ChatLog


class AgentMemoryChatStore(AsyncDBChatStore):
    """For Memory.from_defaults(chat_store=…). `url` and the other options are those of agent_memory.AsyncClient. One object serves
    several event loops."""

    _clients: Clients = PrivateAttr()
    _logs: Logs[ChatLog] = PrivateAttr()

    def __init__(self, url: str | None = None, **options: Any) -> None:
        super().__init__()
        self._clients, self._logs = Clients(url, options), Logs("llama-index", ChatLog)

    async def close(self) -> None:
        await self._clients.aclose()

    async def deciding(self, key: str, kind: str, **record: Any) -> list[ChatMessage]:
        """One commit."""
        said = await self._clients.arun(self._logs.deciding((key,), {"kind": kind, "key": key, **record}))
        return [] if said == GONE else [ChatMessage.model_validate_json(message) for message in said]

    async def texts(self, key: str, status: MessageStatus | None) -> list[str]:
        log = await self._clients.arun(self._logs.read(key))
        with log.lock:
            return log.of_status(status.value if status else None)

    async def get_messages(self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE, limit: int | None = None,
                           offset: int | None = None) -> list[ChatMessage]:
        texts = (await self.texts(key, status))[offset or 0:]
        return [ChatMessage.model_validate_json(text) for text in (texts if limit is None else texts[:limit])]

    async def count_messages(self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE) -> int:
        return len(await self.texts(key, status))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE) -> None:
        await self.add_messages(key, [message], status)

    async def add_messages(self, key: str, messages: Sequence[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE) -> None:
        if messages:
            await self.deciding(key, "add", status=status.value, messages=jsons(messages))

    async def set_messages(self, key: str, messages: Sequence[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE) -> None:
        await self.deciding(key, "set", status=status.value, messages=jsons(messages))

    async def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """`idx` counts all messages of the key, from 0."""
        if idx < 0:
            return None
        return next(iter(await self.deciding(key, "delete one", at=idx)), None)

    async def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        if status is None:
            await self._clients.arun(self._logs.deleting(key))
        else:
            await self.deciding(key, "delete", status=status.value)

    async def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Of those that are active."""
        return await self.deciding(key, "delete oldest", count=max(n, 0))

    async def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        return await self.deciding(key, "archive", count=max(n, 0))

    async def get_keys(self) -> list[str]:
        return [log.key for log in await self._clients.arun(self._logs.all()) if log.key is not None]


def jsons(messages: Sequence[ChatMessage]) -> list[str]:
    return [message.model_dump_json() for message in messages]
