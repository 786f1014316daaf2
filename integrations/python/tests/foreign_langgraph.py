"""langgraph-checkpoint-conformance, base and extended, on a server and through a sidecar, with the async and (in threads) the
sync methods of the saver. The last line is 'N passed, M failed'."""
from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.report import ProgressCallbacks

from agent_memory.langgraph import AgentMemorySaver
from world import a_server, a_sidecar


class InThreads(AgentMemorySaver):
    """The sync methods behind the async ones, which the suite calls."""

    async def aput(self, *arguments: Any) -> Any:
        return await asyncio.to_thread(self.put, *arguments)

    async def aput_writes(self, *arguments: Any, **named: Any) -> None:
        await asyncio.to_thread(self.put_writes, *arguments, **named)

    async def aget_tuple(self, config: Any) -> Any:
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(self, config: Any, **named: Any) -> AsyncIterator[Any]:
        for one in await asyncio.to_thread(lambda: list(self.list(config, **named))):
            yield one

    async def adelete_thread(self, thread_id: str) -> None:
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Any) -> None:
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Any, *, strategy: str = "keep_latest") -> None:
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))


async def run(name: str, kind: type[AgentMemorySaver], url: str) -> tuple[int, int, int]:
    @checkpointer_test(name=name)
    async def saver() -> AsyncGenerator[BaseCheckpointSaver[str], None]:
        async with kind(url) as one:
            yield one

    def told(capability: str, test: str, passed: bool, error: str | None) -> None:
        if not passed:
            print(f"FAILED {name} {capability} {test}\n{error}")
    report = await validate(saver, progress=ProgressCallbacks(on_test_result=told))
    results = report.results.values()
    counts = sum(r.tests_passed for r in results), sum(r.tests_failed for r in results), sum(r.tests_skipped for r in results)
    print(f"{name}: {report.conformance_level()}, {counts[0]} passed, {counts[1]} failed, {counts[2]} not detected", flush=True)
    return counts


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="agent-memory-conformance-") as path:
        server = a_server(Path(path))
        sidecar = a_sidecar(Path(path), server)
        try:
            counts = [asyncio.run(run(f"{where}, {how}", kind, "http://" + program.api))
                      for where, program in (("server", server), ("sidecar", sidecar))
                      for how, kind in (("async", AgentMemorySaver), ("sync", InThreads))]
        finally:
            sidecar.kill()
            server.kill()
    passed, failed, missing = map(sum, zip(*counts))
    print(f"{passed} passed, {failed + missing} failed")
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
