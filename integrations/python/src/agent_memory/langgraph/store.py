"""AgentMemoryStore: LangGraph's store in shared memory, with an index of items for searches by meaning."""
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from langgraph.store.base import (BaseStore, GetOp, Item, ListNamespacesOp, Op, PutOp, Result, SearchItem, SearchOp, TTLConfig,
                                  get_text_at_path, tokenize_path)

from .. import calls
from ..adapters import Clients
from ..errors import NotFound, PreconditionFailed
from ..wire import Flow, ask, with_headers
from .store_rows import Row, listed_namespaces, matches, name_of, now, project_of

MOST_FOUND = 100  # items that a query of the server returns at most
ATTEMPTS = 8
MINUTE_NS = 60_000_000_000


class AgentMemoryStore(BaseStore):
    """`agent` is under whose name values are shared: through a sidecar and on Kubernetes the Agent's own. `fields` are the paths
    whose texts a search by meaning finds ("$": all of the value); `ttl` has default_ttl and refresh_on_read, in minutes. The
    other options are those of agent_memory.Client."""

    supports_ttl = True
    __slots__ = ("agent", "clients", "fields", "ttl_config")

    def __init__(self, url: str | None = None, *, agent: str = "langgraph", fields: Iterable[str] = ("$",),
                 ttl: TTLConfig | None = None, **options: Any) -> None:
        self.clients, self.agent, self.fields, self.ttl_config = Clients(url, options), agent, list(fields), ttl

    def __enter__(self) -> AgentMemoryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.clients.close()

    async def __aenter__(self) -> AgentMemoryStore:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.clients.aclose()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self.clients.run(self.doing(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self.clients.arun(self.doing(list(ops)))

    def doing(self, ops: list[Op]) -> Flow[list[Result]]:
        """Reads see what was there before the writes of the batch; of writes to one key the last counts."""
        results: list[Result] = []
        writes: dict[str, PutOp] = {}
        rows: list[Row] | None = None
        for op in ops:
            result: Result = None
            if isinstance(op, GetOp):
                result = yield from self.getting(op)
            elif isinstance(op, PutOp):
                writes[name_of(op.namespace, op.key)] = op
            elif isinstance(op, (SearchOp, ListNamespacesOp)):
                rows = (yield from self.all_rows()) if rows is None else rows
                if isinstance(op, SearchOp):
                    result = yield from self.searching(op, rows)
                else:
                    result = listed_namespaces(op, {row.namespace for row in rows})
            else:
                raise ValueError(f"unknown operation {op!r}")
            results.append(result)
        for op in writes.values():
            yield from self.putting(op)
        return results

    def reading(self, name: str) -> Flow[tuple[Row, str] | None]:
        """→ a row and its version."""
        try:
            value, headers = yield from ask(with_headers(calls.get_shared(self.agent, name, as_=self.agent)))
        except NotFound:
            return None
        return Row.of(value), headers["etag"]

    def writing(self, name: str, row: Row, version: str | None) -> Flow[None]:
        yield from ask(calls.put_shared(
            self.agent, name, row.stored(), as_=self.agent, ttl=None if row.ttl is None else str(int(row.ttl * MINUTE_NS)),
            if_match=version, if_none_match=None if version else "*"))

    def getting(self, op: GetOp) -> Flow[Item | None]:
        found = yield from self.reading(name_of(op.namespace, op.key))
        if found is None:
            return None
        if op.refresh_ttl:
            yield from self.living_on(*found)
        return found[0].item()

    def living_on(self, row: Row, version: str) -> Flow[None]:
        """Begins the life of a row with a TTL again, unless another writer did."""
        if row.ttl is None:
            return
        try:
            yield from self.writing(row.name, row, version)
        except PreconditionFailed:
            return
        yield from self.indexing(row)

    def putting(self, op: PutOp) -> Flow[None]:
        name = name_of(op.namespace, op.key)
        for attempt in range(1, ATTEMPTS + 1):
            before = yield from self.reading(name)
            try:
                if op.value is None:
                    if before:
                        yield from ask(calls.delete_shared(self.agent, name, as_=self.agent, if_match=before[1]))
                        yield from self.unindexing(before[0])
                    return
                time = now()
                texts = self.fields if op.index is None else op.index
                row = Row(tuple(op.namespace), op.key, dict(op.value), before[0].created if before else time, time, op.ttl,
                          list(texts) if texts else [])
                yield from self.writing(name, row, before[1] if before else None)
                yield from self.indexing(row)
                return
            except PreconditionFailed:
                if attempt == ATTEMPTS:
                    raise
            except NotFound:  # deleted meanwhile
                return

    def indexing(self, row: Row) -> Flow[None]:
        """What a search by meaning finds of a row. Without it the row is found all the same, after those with a score."""
        texts: Any = row.value if "$" in row.fields else [
            text for path in row.fields for text in get_text_at_path(row.value, tokenize_path(path))]
        if not texts:
            yield from self.unindexing(row)
            return
        yield from ask(calls.put_item(row.name, value=texts, ttl=0 if row.ttl is None else int(row.ttl * MINUTE_NS),
                                      project=project_of(row.namespace)))

    def unindexing(self, row: Row) -> Flow[None]:
        try:
            yield from ask(calls.delete_item(row.name, project=project_of(row.namespace)))
        except NotFound:
            pass

    def all_rows(self) -> Flow[list[Row]]:
        """Those changed last first."""
        rows: list[Row] = []
        call = calls.list_shared(agent=self.agent, as_=self.agent)
        while True:
            values, headers = yield from ask(with_headers(call))
            rows += [Row.of(value) for name, value in values.items() if Row.is_one(name, value)]
            if "x-next-cursor" not in headers:
                return sorted(rows, key=lambda row: row.updated, reverse=True)
            call = call.after(headers["x-next-cursor"])

    def searching(self, op: SearchOp, rows: list[Row]) -> Flow[list[SearchItem]]:
        depth = len(op.namespace_prefix)
        there = [row for row in rows if row.namespace[:depth] == tuple(op.namespace_prefix) and matches(row.value, op.filter)]
        scores: Mapping[str, float] = (yield from self.scores(op.query, there)) if op.query else {}
        there.sort(key=lambda row: -scores.get(row.name, -1.0))
        page = there[op.offset:op.offset + op.limit]
        if op.refresh_ttl:
            for row in page:
                found = (yield from self.reading(row.name)) if row.ttl is not None else None
                if found:
                    yield from self.living_on(*found)
        return [row.found(scores.get(row.name)) for row in page]

    def scores(self, query: str, rows: list[Row]) -> Flow[dict[str, float]]:
        """How near the rows are to the query: each namespace is asked for its best, since a score means the same in all."""
        found: dict[str, float] = {}
        for namespace in sorted({row.namespace for row in rows}):
            answer = yield from ask(calls.find_items(query=query, limit=MOST_FOUND, project=project_of(namespace)))
            found |= {item["key"]: float(item["score"]) for item in answer["items"]}
        return found


