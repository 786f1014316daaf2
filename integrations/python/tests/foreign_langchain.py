"""langchain-tests for the retriever and the key-value store, on a server and through a sidecar. The last line has the counts of
pytest."""
from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Generator
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from langchain_core.stores import BaseStore
from langchain_tests.integration_tests import BaseStoreAsyncTests, BaseStoreSyncTests, RetrieversIntegrationTests

from agent_memory.langchain import AgentMemoryRetriever
from langchain_world import lamps, store_of


class OnAServer:
    where = "server"

    @pytest.fixture
    def three_values(self) -> tuple[bytes, bytes, bytes]:
        return b"", bytes(range(256)), b"x" * 100_000


class ThroughASidecar(OnAServer):
    where = "sidecar"


class SyncStore(BaseStoreSyncTests[bytes]):
    @pytest.fixture
    def kv_store(self, server: Any, sidecar: Any) -> Generator[BaseStore[str, bytes], None, None]:
        yield store_of(self.where, server, sidecar)  # type: ignore[attr-defined]


class AsyncStore(BaseStoreAsyncTests[bytes]):
    @pytest.fixture
    async def kv_store(self, server: Any, sidecar: Any) -> AsyncGenerator[BaseStore[str, bytes], None]:
        yield store_of(self.where, server, sidecar)  # type: ignore[attr-defined]


class TestStoreOnServer(OnAServer, SyncStore):
    pass


class TestStoreThroughSidecar(ThroughASidecar, SyncStore):
    pass


class TestAsyncStoreOnServer(OnAServer, AsyncStore):
    pass


class TestAsyncStoreThroughSidecar(ThroughASidecar, AsyncStore):
    pass


class Retriever(RetrieversIntegrationTests):
    where = "server"

    @pytest.fixture(autouse=True)
    def memories(self, server: Any, sidecar: Any) -> None:
        type(self).url = (server if self.where == "server" else sidecar).api
        lamps(server)

    url = ""

    @property
    def retriever_constructor(self) -> type[BaseRetriever]:
        return AgentMemoryRetriever

    @property
    def retriever_constructor_params(self) -> dict[str, Any]:
        return {"url": self.url, "project": "billing"}

    @property
    def retriever_query_example(self) -> str:
        return "which lamp is broken?"


class TestRetrieverOnServer(Retriever):
    pass


class TestRetrieverThroughSidecar(Retriever):
    where = "sidecar"


del Retriever, SyncStore, AsyncStore

if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-c", "pyproject.toml", "-W", "ignore::pytest.PytestAssertRewriteWarning"]))
