"""AgentMemoryRetriever: memories that fit a query, as LangChain's documents."""
from __future__ import annotations

from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr

from .. import calls, models
from ..adapters import Clients
from ..wire import Call

METADATA = ("title", "type", "tags", "project", "scope", "session_id", "topic_key", "created_at", "trust", "rank", "method")


class AgentMemoryRetriever(BaseRetriever):
    """The `k` best memories; `project` and `type` narrow. `options` and `url` are those of agent_memory.Client. Memories are what
    others wrote: a prompt should mark them as data."""

    url: str | None = None
    k: int = 4
    project: str | None = None
    type: str | None = None
    options: dict[str, Any] = Field(default_factory=dict)
    _clients: Clients = PrivateAttr()

    def model_post_init(self, context: Any) -> None:
        self._clients = Clients(self.url, self.options)

    def asked(self, query: str, k: int | None) -> Call[list[models.Hit]]:
        return calls.search(q=query, project=self.project, type=self.type, limit=self.k if k is None else k)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None,
                                **_: Any) -> list[Document]:
        return [document_of(hit) for hit in self._clients.run(one(self.asked(query, k)))]

    async def _aget_relevant_documents(self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, k: int | None = None,
                                       **_: Any) -> list[Document]:
        return [document_of(hit) for hit in await self._clients.arun(one(self.asked(query, k)))]


def one(call: Call[Any]) -> Any:
    """A flow of one call."""
    return (yield call)


def document_of(hit: models.Hit) -> Document:
    row = cast(dict[str, Any], hit)
    return Document(id=str(row["id"]), page_content=row["content"], metadata={name: row[name] for name in METADATA if name in row})
