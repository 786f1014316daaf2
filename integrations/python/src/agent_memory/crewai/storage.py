"""AgentMemoryStorage: the records of CrewAI's Memory in the memory server or a sidecar."""
from __future__ import annotations

from datetime import datetime
from typing import Any

from crewai.memory.storage.backend import EmbeddingDimensionMismatchError
from crewai.memory.types import MemoryRecord, ScopeInfo

from ..adapters import Clients
from ..json_log import GONE, Logs
from .memory_log import MemoryLog, Row, nearness, unit


class AgentMemoryStorage:
    """For Memory(storage=…), a StorageBackend. `name` is which memory: all that give the same one share it. The other options are
    those of agent_memory.Client. One object serves threads and event loops alike."""

    def __init__(self, url: str | None = None, *, name: str = "default", **options: Any) -> None:
        self.clients, self.name = Clients(url, options), name
        self.logs = Logs("crewai", MemoryLog)

    def close(self) -> None:
        self.clients.close()

    def rows(self, scope: str | None = None) -> list[Row]:
        return within(self.clients.run(self.logs.read(self.name)), scope)

    def save(self, records: list[MemoryRecord]) -> None:
        """One commit; a record with the id of another replaces it."""
        if records:
            self.clients.run(self.logs.deciding((self.name,), saving(records)))

    def update(self, record: MemoryRecord) -> None:
        self.save([record])

    def search(self, query_embedding: list[float], scope_prefix: str | None = None, categories: list[str] | None = None,
               metadata_filter: dict[str, Any] | None = None, limit: int = 10,
               min_score: float = 0.0) -> list[tuple[MemoryRecord, float]]:
        return found(self.rows(scope_prefix), query_embedding, categories, metadata_filter, limit, min_score)

    def delete(self, scope_prefix: str | None = None, categories: list[str] | None = None, record_ids: list[str] | None = None,
               older_than: datetime | None = None, metadata_filter: dict[str, Any] | None = None) -> int:
        """What fits all that is given; without anything, all."""
        return self.removing([row.id for row in self.rows(scope_prefix) if is_meant(
            row, categories, record_ids, older_than, metadata_filter)])

    def removing(self, ids: list[str]) -> int:
        said = self.clients.run(self.logs.deciding((self.name,), {"kind": "delete", "ids": ids})) if ids else 0
        return 0 if said == GONE else int(said)

    def get_record(self, record_id: str) -> MemoryRecord | None:
        row = self.clients.run(self.logs.read(self.name)).rows.get(record_id)
        return record_of(row) if row else None

    def list_records(self, scope_prefix: str | None = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        rows = sorted(self.rows(scope_prefix), key=lambda row: row.created, reverse=True)
        return [record_of(row) for row in rows[offset:offset + limit]] if limit > 0 <= offset else []

    def get_scope_info(self, scope: str) -> ScopeInfo:
        rows = self.rows(scope)
        times = sorted(record_of(row).created_at for row in rows)
        return ScopeInfo(path=scope.rstrip("/") or "/", record_count=len(rows), categories=sorted({one for row in rows for one in row.categories}),
                         oldest_record=times[0] if times else None, newest_record=times[-1] if times else None,
                         child_scopes=children(rows, scope))

    def list_scopes(self, parent: str = "/") -> list[str]:
        return children(self.rows(parent), parent)

    def list_categories(self, scope_prefix: str | None = None) -> dict[str, int]:
        names = [one for row in self.rows(scope_prefix) for one in row.categories]
        return {name: names.count(name) for name in dict.fromkeys(names)}

    def count(self, scope_prefix: str | None = None) -> int:
        return len(self.rows(scope_prefix))

    def reset(self, scope_prefix: str | None = None) -> None:
        if (scope_prefix or "").strip("/"):
            self.removing([row.id for row in self.rows(scope_prefix)])
        else:
            self.clients.run(self.logs.deleting(self.name))

    async def asave(self, records: list[MemoryRecord]) -> None:
        if records:
            await self.clients.arun(self.logs.deciding((self.name,), saving(records)))

    async def asearch(self, query_embedding: list[float], scope_prefix: str | None = None, categories: list[str] | None = None,
                      metadata_filter: dict[str, Any] | None = None, limit: int = 10,
                      min_score: float = 0.0) -> list[tuple[MemoryRecord, float]]:
        log = await self.clients.arun(self.logs.read(self.name))
        return found(within(log, scope_prefix), query_embedding, categories, metadata_filter, limit, min_score)

    async def adelete(self, scope_prefix: str | None = None, categories: list[str] | None = None, record_ids: list[str] | None = None,
                      older_than: datetime | None = None, metadata_filter: dict[str, Any] | None = None) -> int:
        log = await self.clients.arun(self.logs.read(self.name))
        ids = [row.id for row in within(log, scope_prefix) if is_meant(row, categories, record_ids, older_than, metadata_filter)]
        said = await self.clients.arun(self.logs.deciding((self.name,), {"kind": "delete", "ids": ids})) if ids else 0
        return 0 if said == GONE else int(said)


def within(log: MemoryLog, scope: str | None) -> list[Row]:
    with log.lock:
        return [row for row in log.rows.values() if row.is_in(scope)]


def saving(records: list[MemoryRecord]) -> dict[str, Any]:
    return {"kind": "save", "rows": [row_of(record).stored() for record in records]}


def row_of(record: MemoryRecord) -> Row:
    return Row(record.id, "/" + record.scope.strip("/"), tuple(record.categories), record.metadata, record.created_at.isoformat(),
               record.model_dump_json(), unit(record.embedding))


def record_of(row: Row) -> MemoryRecord:
    record = MemoryRecord.model_validate_json(row.record)
    record.embedding = list(row.vector) or None
    return record


def found(rows: list[Row], query: list[float], categories: list[str] | None, metadata: dict[str, Any] | None, limit: int,
          least: float) -> list[tuple[MemoryRecord, float]]:
    """Best first, by the cosine of the vectors."""
    asked = unit(query)
    other = next((len(row.vector) for row in rows if row.vector and len(row.vector) != len(query)), None)
    if other is not None:
        raise EmbeddingDimensionMismatchError(other, len(query))
    scored = [(nearness(asked, row.vector), row) for row in rows if row.vector and row.fits(categories, metadata)]
    best = sorted((one for one in scored if one[0] >= least), key=lambda one: -one[0])[:limit]
    return [(record_of(row), score) for score, row in best]


def is_meant(row: Row, categories: list[str] | None, ids: list[str] | None, older_than: datetime | None,
             metadata: dict[str, Any] | None) -> bool:
    return (ids is None or row.id in ids) and row.fits(categories, metadata) and (
        older_than is None or record_of(row).created_at < older_than)


def children(rows: list[Row], parent: str) -> list[str]:
    prefix = ("/" + parent.strip("/")).rstrip("/") + "/"
    return sorted({prefix + row.scope[len(prefix):].split("/", 1)[0] for row in rows if row.scope.startswith(prefix) and row.scope != prefix})
