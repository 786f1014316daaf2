"""What adapters have in common: they run flows on a client of their own, or in asyncio on one for each event loop, and say at
import if the framework's version was not tested."""
from __future__ import annotations

import asyncio
import importlib.metadata
import threading
import warnings
import weakref
from collections.abc import Mapping
from typing import Any, TypeVar

from .client import AsyncClient, Client
from .wire import Flow

T = TypeVar("T")


def said_if_untested(package: str, first: tuple[int, int], before: tuple[int, int]) -> None:
    found = importlib.metadata.version(package)
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if not first <= numbers < before:
        warnings.warn(f"agent_memory is not tested with {package} {found}", stacklevel=3)


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
