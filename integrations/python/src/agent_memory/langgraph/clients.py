"""Runs flows for an adapter: on a client of its own, or in asyncio on one for each event loop."""
from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Mapping
from typing import Any, TypeVar

from ..client import AsyncClient, Client
from ..wire import Flow

T = TypeVar("T")


class Clients:
    def __init__(self, url: str | None, options: Mapping[str, Any]) -> None:
        self.url, self.options, self.lock = url, options, threading.Lock()
        self.sync: Client | None = None
        self.of_loops: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncClient] = weakref.WeakKeyDictionary()

    def run(self, flow: Flow[T]) -> T:
        with self.lock:
            self.sync = self.sync or Client(self.url, **self.options)
        return self.sync.run(flow)

    async def arun(self, flow: Flow[T]) -> T:
        loop = asyncio.get_running_loop()
        with self.lock:
            client = self.of_loops.get(loop)
            if client is None:
                # The address may need a program that starts memory: once, and quickly if it runs.
                client = self.of_loops[loop] = AsyncClient(self.url, **self.options)
        return await client.run(flow)

    def close(self) -> None:
        if self.sync:
            self.sync.close()
            self.sync = None

    async def aclose(self) -> None:
        client = self.of_loops.pop(asyncio.get_running_loop(), None)
        if client:
            await client.close()
        self.close()
