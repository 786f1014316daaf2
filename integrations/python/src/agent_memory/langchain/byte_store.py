"""AgentMemoryByteStore: LangChain's key-value store in shared memory, such as for cached embeddings."""
from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.stores import ByteStore

from .. import calls
from ..adapters import Clients
from ..errors import Damaged, NotFound
from ..wire import Flow, ask, with_headers


class AgentMemoryByteStore(ByteStore):
    """`agent` is under whose name values are shared: through a sidecar and on Kubernetes the Agent's own. Stores with different
    `namespace`s have nothing in common. `ttl` is a duration such as "24h". The other options are those of agent_memory.Client."""

    def __init__(self, url: str | None = None, *, agent: str = "langchain", namespace: str = "", ttl: str | None = None,
                 **options: Any) -> None:
        self.clients, self.agent, self.ttl = Clients(url, options), agent, ttl
        self.prefix = "langchain." + hashlib.sha256(namespace.encode()).hexdigest()[:32] + "."

    def name(self, key: str) -> str:
        return self.prefix + hashlib.sha256(key.encode()).hexdigest()

    def getting(self, keys: Sequence[str]) -> Flow[list[bytes | None]]:
        found: list[bytes | None] = []
        for key in keys:
            try:
                found.append(unpacked((yield from ask(calls.get_shared(self.agent, self.name(key), as_=self.agent)))))
            except NotFound:
                found.append(None)
        return found

    def setting(self, pairs: Sequence[tuple[str, bytes]]) -> Flow[None]:
        for key, value in pairs:
            # Compressed, so that redaction takes no part of it for a secret.
            stored = {"key": key, "value": base64.b64encode(zlib.compress(value, 1)).decode()}
            yield from ask(calls.put_shared(self.agent, self.name(key), stored, as_=self.agent, ttl=self.ttl))

    def deleting(self, keys: Sequence[str]) -> Flow[None]:
        for key in keys:
            try:
                yield from ask(calls.delete_shared(self.agent, self.name(key), as_=self.agent))
            except NotFound:
                pass

    def listing(self, prefix: str | None) -> Flow[list[str]]:
        keys: list[str] = []
        call = calls.list_shared(agent=self.agent, as_=self.agent)
        while True:
            values, headers = yield from ask(with_headers(call))
            keys += [value["key"] for name, value in values.items() if name.rsplit(":", 1)[-1].startswith(self.prefix)]
            if "x-next-cursor" not in headers:
                return sorted(key for key in keys if key.startswith(prefix or ""))
            call = call.after(headers["x-next-cursor"])

    def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        return self.clients.run(self.getting(keys))

    def mset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        self.clients.run(self.setting(key_value_pairs))

    def mdelete(self, keys: Sequence[str]) -> None:
        self.clients.run(self.deleting(keys))

    def yield_keys(self, *, prefix: str | None = None) -> Iterator[str]:
        yield from self.clients.run(self.listing(prefix))

    async def amget(self, keys: Sequence[str]) -> list[bytes | None]:
        return await self.clients.arun(self.getting(keys))

    async def amset(self, key_value_pairs: Sequence[tuple[str, bytes]]) -> None:
        await self.clients.arun(self.setting(key_value_pairs))

    async def amdelete(self, keys: Sequence[str]) -> None:
        await self.clients.arun(self.deleting(keys))

    async def ayield_keys(self, *, prefix: str | None = None) -> AsyncIterator[str]:
        for key in await self.clients.arun(self.listing(prefix)):
            yield key


def unpacked(stored: Mapping[str, Any]) -> bytes:
    try:
        return zlib.decompress(base64.b64decode(stored["value"], validate=True))
    except (ValueError, zlib.error) as error:
        raise Damaged("a value is not what was saved", remedy="store it again") from error
