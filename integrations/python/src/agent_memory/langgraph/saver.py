"""AgentMemorySaver: LangGraph's checkpoints in the memory server or a sidecar, sync and async. The decisions are flows; each
method runs one."""
from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (WRITES_IDX_MAP, BaseCheckpointSaver, ChannelVersions, Checkpoint, CheckpointMetadata,
                                       CheckpointTuple, DeltaChannelHistory, get_checkpoint_id, get_checkpoint_metadata)
from langgraph.checkpoint.serde.base import SerializerProtocol

from ..adapters import Clients
from ..wire import Flow
from .records import Key, Thread
from .thread_log import Batch, ThreadLog

STRATEGIES = ("keep_latest", "delete")


class AgentMemorySaver(BaseCheckpointSaver[str]):
    """`url` and the other options are those of agent_memory.Client. One object serves threads and event loops alike."""

    def __init__(self, url: str | None = None, *, serde: SerializerProtocol | None = None, **options: Any) -> None:
        super().__init__(serde=serde)
        self.clients = Clients(url, options)
        self.log = ThreadLog(self.serde)

    def __enter__(self) -> AgentMemorySaver:
        return self

    def __exit__(self, *_: object) -> None:
        self.clients.close()

    async def __aenter__(self) -> AgentMemorySaver:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.clients.aclose()

    def with_allowlist(self, extra_allowlist: Any) -> AgentMemorySaver:
        clone = cast(AgentMemorySaver, super().with_allowlist(extra_allowlist))
        if clone is not self:
            clone.log = ThreadLog(clone.serde)
        return clone

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Versions of two branches of a thread differ by their random part."""
        number = int(str(current).split(".")[0]) + 1 if current is not None else 1
        return f"{number:032}.{random.random():016}"

    # Flows.

    def saving(self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata,
               new_versions: ChannelVersions) -> Flow[RunnableConfig]:
        name, ns = str(config["configurable"]["thread_id"]), config["configurable"].get("checkpoint_ns", "")
        thread = self.log.thread(name)
        batch, values, versions = Batch(thread, self.serde), [], []
        for channel, value in checkpoint["channel_values"].items():
            version = checkpoint["channel_versions"].get(channel)
            ref = None if channel in new_versions else thread.versions.get((ns, channel, version))
            if ref is None:
                ref = batch.add(value)
                versions += [] if version is None else [(channel, version, ref)]
            values.append((channel, ref))
        body = {part: value for part, value in checkpoint.items() if part != "channel_values"}
        record = {"kind": "checkpoint", "thread": name, "ns": ns, "id": checkpoint["id"],
                  "parent": config["configurable"].get("checkpoint_id"), "body": batch.add(body),
                  "metadata": batch.add(get_checkpoint_metadata(config, metadata)), "values": values, "versions": versions}
        yield from self.log.append(thread, record, batch)
        return config_of(name, ns, checkpoint["id"])

    def saving_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str) -> Flow[None]:
        at = config["configurable"]
        thread = self.log.thread(str(at["thread_id"]))
        batch = Batch(thread, self.serde)
        rows = [(WRITES_IDX_MAP.get(channel, index), channel, batch.add(value)) for index, (channel, value) in enumerate(writes)]
        yield from self.log.append(thread, {
            "kind": "writes", "ns": at.get("checkpoint_ns", ""), "id": at["checkpoint_id"], "task": task_id, "path": task_path,
            "writes": rows}, batch)

    def finding(self, config: RunnableConfig) -> Flow[CheckpointTuple | None]:
        thread = yield from self.log.read(str(config["configurable"]["thread_id"]))
        ns = config["configurable"].get("checkpoint_ns", "")
        id = get_checkpoint_id(config) or thread.latest(ns)
        if id is None or (ns, id) not in thread.checkpoints:
            return None
        return (yield from self.tuple_of(thread, (ns, id)))

    def tuple_of(self, thread: Thread, key: Key) -> Flow[CheckpointTuple]:
        head = thread.checkpoints[key]
        body = yield from self.log.value(thread, head.body)
        values = {}
        for channel, ref in head.values.items():
            values[channel] = yield from self.log.value(thread, ref)
        pending = []
        for task, write in thread.ordered_writes(key):
            pending.append((task, write.channel, (yield from self.log.value(thread, write.value))))
        metadata = yield from self.log.value(thread, head.metadata)
        return CheckpointTuple(
            config=config_of(thread.name, *key), checkpoint=cast(Checkpoint, {**body, "channel_values": values}), metadata=metadata,
            parent_config=config_of(thread.name, key[0], head.parent) if head.parent else None, pending_writes=pending)

    def matching(self, config: RunnableConfig | None, filter: dict[str, Any] | None, before: RunnableConfig | None,
                 limit: int | None) -> Flow[list[tuple[Thread, Key]]]:
        """The newest first."""
        at = config["configurable"] if config else {}
        names = [str(at["thread_id"])] if "thread_id" in at else (yield from self.log.names())
        id, last = (get_checkpoint_id(config) if config else None), (get_checkpoint_id(before) if before else None)
        found: list[tuple[Thread, Key]] = []
        for name in names:
            thread = yield from self.log.read(name)
            for key in sorted(thread.checkpoints, key=lambda key: key[1], reverse=True):
                if at.get("checkpoint_ns") not in (None, key[0]) or id not in (None, key[1]) or (last and key[1] >= last):
                    continue
                if filter:
                    metadata = yield from self.log.value(thread, thread.checkpoints[key].metadata)
                    if any(metadata.get(name) != value for name, value in filter.items()):
                        continue
                if limit is not None and len(found) >= limit:
                    return found
                found.append((thread, key))
        return found

    def removing_runs(self, run_ids: Sequence[str]) -> Flow[None]:
        runs = set(map(str, run_ids))
        for name in (yield from self.log.names()) if runs else []:
            thread = yield from self.log.read(name)
            gone = []
            for key, head in list(thread.checkpoints.items()):
                metadata = yield from self.log.value(thread, head.metadata)
                if str(metadata.get("run_id")) in runs:
                    gone.append(key)
            yield from self.remove(thread, gone)

    def remove(self, thread: Thread, keys: Sequence[Key]) -> Flow[None]:
        if keys:
            yield from self.log.append(thread, {"kind": "removed", "checkpoints": list(keys)}, Batch(thread, self.serde))

    def copying(self, source: str, target: str) -> Flow[None]:
        """All checkpoints with their writes, the oldest first; each is there as a whole or not at all."""
        thread = yield from self.log.read(source)
        copy = yield from self.log.read(target)
        for key in sorted(thread.checkpoints, key=lambda key: key[1]):
            head, batch = thread.checkpoints[key], Batch(copy, self.serde)
            for ref in (head.body, head.metadata, *head.values.values()):
                batch.add_content((yield from self.log.content(thread, ref)))
            yield from self.log.append(copy, {
                "kind": "checkpoint", "thread": target, "ns": key[0], "id": key[1], "parent": head.parent, "body": head.body,
                "metadata": head.metadata, "values": list(head.values.items())}, batch)
            for (task, index), write in list(thread.writes.get(key, {}).items()):
                batch = Batch(copy, self.serde)
                batch.add_content((yield from self.log.content(thread, write.value)))
                yield from self.log.append(copy, {
                    "kind": "writes", "ns": key[0], "id": key[1], "task": task, "path": write.path,
                    "writes": [(index, write.channel, write.value)]}, batch)

    def pruning(self, thread_ids: Sequence[str], strategy: str) -> Flow[None]:
        if strategy not in STRATEGIES:
            raise ValueError(f"strategy is one of {', '.join(STRATEGIES)}, not {strategy!r}")
        for name in map(str, thread_ids):
            if strategy == "delete":
                yield from self.log.delete(name)
                continue
            thread = yield from self.log.read(name)
            kept: set[Key] = set()
            for ns in {space for space, _ in thread.checkpoints}:
                latest = (ns, cast(str, thread.latest(ns)))
                kept |= {latest, *(yield from self.needed_by(thread, latest))}
            yield from self.remove(thread, [key for key in thread.checkpoints if key not in kept])

    def needed_by(self, thread: Thread, key: Key) -> Flow[list[Key]]:
        """The ancestors up to those with the last snapshots of the checkpoint's delta channels."""
        metadata = yield from self.log.value(thread, thread.checkpoints[key].metadata)
        open_channels = set(metadata.get("counters_since_delta_snapshot") or ()) - set(thread.checkpoints[key].values)
        needed: list[Key] = []
        for ancestor in thread.ancestors(key):
            if not open_channels:
                break
            needed.append(ancestor)
            open_channels -= set(thread.checkpoints[ancestor].values)
        return needed

    def delta_history(self, config: RunnableConfig, channels: Sequence[str]) -> Flow[dict[str, DeltaChannelHistory]]:
        """One read of the thread, then the chain of parents in memory."""
        if not channels:
            return {}
        thread = yield from self.log.read(str(config["configurable"]["thread_id"]))
        ns = config["configurable"].get("checkpoint_ns", "")
        history: dict[str, DeltaChannelHistory] = {channel: {"writes": []} for channel in channels}
        remaining, id = set(channels), get_checkpoint_id(config) or thread.latest(ns)
        for key in thread.ancestors((ns, id or "")):
            head = thread.checkpoints[key]
            for task, write in reversed(thread.ordered_writes(key)):
                if write.channel in remaining:
                    value = yield from self.log.value(thread, write.value)
                    history[write.channel]["writes"].insert(0, (task, write.channel, value))
            for channel in remaining & set(head.values):
                history[channel]["seed"] = yield from self.log.value(thread, head.values[channel])
            remaining -= set(head.values)
            if not remaining:
                break
        return history

    # Methods of LangGraph, sync.

    def put(self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata,
            new_versions: ChannelVersions) -> RunnableConfig:
        return self.clients.run(self.saving(config, checkpoint, metadata, new_versions))

    def put_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        self.clients.run(self.saving_writes(config, writes, task_id, task_path))

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.clients.run(self.finding(config))

    def list(self, config: RunnableConfig | None, *, filter: dict[str, Any] | None = None, before: RunnableConfig | None = None,
             limit: int | None = None) -> Iterator[CheckpointTuple]:
        for thread, key in self.clients.run(self.matching(config, filter, before, limit)):
            yield self.clients.run(self.tuple_of(thread, key))

    def delete_thread(self, thread_id: str) -> None:
        self.clients.run(self.log.delete(str(thread_id)))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        self.clients.run(self.removing_runs(run_ids))

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        self.clients.run(self.copying(str(source_thread_id), str(target_thread_id)))

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        self.clients.run(self.pruning(thread_ids, strategy))

    def get_delta_channel_history(self, *, config: RunnableConfig, channels: Sequence[str]) -> Mapping[str, DeltaChannelHistory]:
        return self.clients.run(self.delta_history(config, channels))

    # The same, async.

    async def aput(self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata,
                   new_versions: ChannelVersions) -> RunnableConfig:
        return await self.clients.arun(self.saving(config, checkpoint, metadata, new_versions))

    async def aput_writes(self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = "") -> None:
        await self.clients.arun(self.saving_writes(config, writes, task_id, task_path))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return await self.clients.arun(self.finding(config))

    async def alist(self, config: RunnableConfig | None, *, filter: dict[str, Any] | None = None,
                    before: RunnableConfig | None = None, limit: int | None = None) -> AsyncIterator[CheckpointTuple]:
        for thread, key in await self.clients.arun(self.matching(config, filter, before, limit)):
            yield await self.clients.arun(self.tuple_of(thread, key))

    async def adelete_thread(self, thread_id: str) -> None:
        await self.clients.arun(self.log.delete(str(thread_id)))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        await self.clients.arun(self.removing_runs(run_ids))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await self.clients.arun(self.copying(str(source_thread_id), str(target_thread_id)))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        await self.clients.arun(self.pruning(thread_ids, strategy))

    async def aget_delta_channel_history(self, *, config: RunnableConfig,
                                         channels: Sequence[str]) -> Mapping[str, DeltaChannelHistory]:
        return await self.clients.arun(self.delta_history(config, channels))


def config_of(thread: str, ns: str, id: str | None) -> RunnableConfig:
    return {"configurable": {"thread_id": thread, "checkpoint_ns": ns, "checkpoint_id": id}}
