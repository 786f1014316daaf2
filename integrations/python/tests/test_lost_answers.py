"""Adapters over a connection that loses the answer of each write once: nothing is missing, nothing is there twice."""
from __future__ import annotations

import asyncio
import uuid
from typing import Any

import httpx

from agent_memory import Retries
from agent_memory.langgraph import AgentMemorySaver
from agent_memory.openai_agents import AgentMemorySession
from test_langgraph import config_of, put

QUICK = Retries(first_s=0.001)


class Losing(httpx.HTTPTransport):
    def __init__(self) -> None:
        super().__init__()
        self.lost: set[bytes] = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        response = super().handle_request(request)
        if request.method == "POST" and request.content not in self.lost:
            self.lost.add(request.content)
            response.read()
            raise httpx.ReadError("lost", request=request)
        return response


class AsyncLosing(httpx.AsyncHTTPTransport):
    def __init__(self) -> None:
        super().__init__()
        self.lost: set[bytes] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await super().handle_async_request(request)
        if request.method == "POST" and request.content not in self.lost:
            self.lost.add(request.content)
            await response.aread()
            raise httpx.ReadError("lost", request=request)
        return response


def test_a_checkpoint_and_writes(server: Any) -> None:
    thread, transport = uuid.uuid4().hex, Losing()
    with AgentMemorySaver(server.api, transport=transport, retries=QUICK) as saver:
        first = put(saver, thread, {"a": "x" * 50_000})
        saver.put_writes(first, [("a", 1), ("__error__", 2)], "task")
        second = put(saver, thread, {"a": "y" * 50_000}, first)
        assert len(transport.lost) == 5, "two values, two checkpoints, writes"
    with AgentMemorySaver(server.api) as other:
        assert [one.config for one in other.list(config_of(thread))] == [second, first]
        found = other.get_tuple(first)
        assert found and found.checkpoint["channel_values"] == {"a": "x" * 50_000} and len(found.pending_writes or ()) == 2


def test_items_of_a_session(server: Any) -> None:
    async def run() -> None:
        name, items = uuid.uuid4().hex, [{"role": "user", "content": text} for text in "abcd"]
        async with AgentMemorySession(name, server.api, transport=AsyncLosing(), retries=QUICK) as session:
            await session.add_items(items[:2])  # type: ignore[arg-type]
            await session.add_items(items[2:])  # type: ignore[arg-type]
            assert await session.pop_item() == items[3]
            assert await session.get_items() == items[:3]
        async with AgentMemorySession(name, server.api) as other:
            assert await other.get_items() == items[:3]
    asyncio.run(run())
