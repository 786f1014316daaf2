"""Client and AsyncClient: two thin transports over wire.py. The methods of the routes are generated (sync_methods.py,
async_methods.py)."""
from __future__ import annotations

import asyncio
import itertools
import os
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import httpx

from . import models
from .address import address
from .async_methods import AsyncMethods
from .errors import AgentMemoryError, Unreachable
from .sync_methods import SyncMethods
from .turns import Turns, Verdict
from .wire import Answer, Call, Flow, Retries, rows_of

T = TypeVar("T")
TIMEOUT_S = 60.0
CHUNK = 1 << 20
# A sidecar takes 64 connections; more calls at once wait for one.
LIMITS = httpx.Limits(max_connections=32, max_keepalive_connections=32)
LOST = httpx.TransportError
FAILURES = (AgentMemoryError, LOST)
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Settings:
    """What both clients have in common: address, token, headers, retries.

    `url`: else AGENT_MEMORY_URL, else `agent-memory url`. `token_file` is read for each request, since Kubernetes renews
    tokens. `user` and `agent` own traces of a server without a sidecar (X-Memory-User, X-Memory-Agent)."""

    def __init__(self, url: str | None, token: str | None, token_file: str | None, user: str | None, agent: str | None,
                 timeout: float, retries: Retries | None) -> None:
        self.url, self.timeout, self.retries = address(url), timeout, retries or Retries()
        self.token, self.token_file = token or os.environ.get("AGENT_MEMORY_TOKEN"), token_file
        self.always = {name: value for name, value in (("X-Memory-User", user), ("X-Memory-Agent", agent)) if value}

    def headers(self, more: Mapping[str, str]) -> dict[str, str]:
        token = Path(self.token_file).read_text(encoding="utf-8").strip() if self.token_file else self.token
        return {**self.always, **({"Authorization": f"Bearer {token}"} if token else {}), **more}

    def pause(self, call: Call[Any], attempt: int, failure: Exception) -> float:
        """→ seconds until the next attempt; raises the failure if there is none."""
        sent = not isinstance(failure, NOT_SENT)
        error = failure if isinstance(failure, AgentMemoryError) else self.lost(call, failure)
        pause = self.retries.pause(call, attempt, error, sent)
        if pause is None:
            raise error from failure.__cause__ if error is failure else failure
        return pause

    def lost(self, call: Call[Any], error: Exception) -> Unreachable:
        return Unreachable(f"{call.method} {self.url}{call.path}: {type(error).__name__}: {error}")


def answered(response: httpx.Response, content: bytes) -> Answer:
    return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, content)


def export_call(project: str | None, format: str | None, more: Mapping[str, Any]) -> Call[Any]:
    return Call("GET", "/export", query={"project": project, "format": format, **more})


def import_call(project: str | None, format: str | None, more: Mapping[str, Any]) -> Call[models.ImportReport]:
    return Call("POST", "/import", query={"project": project, "format": format, **more})


class Client(SyncMethods):
    """Memory over HTTP. One object for many threads; close it, or use it in a with statement."""

    def __init__(self, url: str | None = None, *, token: str | None = None, token_file: str | None = None,
                 user: str | None = None, agent: str | None = None, timeout: float = TIMEOUT_S,
                 retries: Retries | None = None, transport: httpx.BaseTransport | None = None) -> None:
        self.settings = Settings(url, token, token_file, user, agent, timeout, retries)
        self.http = httpx.Client(base_url=self.settings.url, timeout=timeout, limits=LIMITS, transport=transport, trust_env=False)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.http.close()

    def call(self, call: Call[T]) -> T:
        """Sends one call, again where that is safe → its answer; raises AgentMemoryError."""
        return cast(T, call.result(self.answer(call.ready())))

    def run(self, flow: Flow[T]) -> T:
        """Runs several calls that belong together."""
        try:
            call = next(flow)
            while True:
                try:
                    said = self.call(call)
                except AgentMemoryError as error:
                    call = flow.throw(error)
                else:
                    call = flow.send(said)
        except StopIteration as end:
            return cast(T, end.value)

    def pages(self, call: Call[Any]) -> Iterator[Any]:
        following: Call[Any] | None = call
        while following is not None:
            rows, following = rows_of(following, self.answer(following))
            yield from rows

    def answer(self, call: Call[Any]) -> Answer:
        content = call.content()
        for attempt in itertools.count(1):
            try:
                response = self.http.request(call.method, call.path, params=call.wire_query(), content=content,
                                             headers=self.settings.headers(call.wire_headers()))
                return answered(response, response.content).checked()
            except FAILURES as failure:
                pause = self.settings.pause(call, attempt, failure)
            time.sleep(pause)
        raise AssertionError("unreachable")

    def export(self, *, project: str | None = None, format: str | None = None, **more: Any) -> Iterator[bytes]:
        """All of a project, or of the caller, in pieces as they arrive. An export that breaks off raises Unreachable."""
        call = export_call(project, format, more)
        try:
            with self.http.stream(call.method, call.path, params=call.wire_query(),
                                  headers=self.settings.headers(call.wire_headers())) as response:
                if response.status_code != 200:
                    answered(response, response.read()).value()
                yield from response.iter_bytes(CHUNK)
        except LOST as error:
            raise self.settings.lost(call, error) from error

    def import_(self, content: bytes | Iterator[bytes], *, content_type: str = "application/octet-stream",
                project: str | None = None, format: str | None = None, **more: Any) -> models.ImportReport:
        """Takes in an export of this or another program; to repeat it changes nothing."""
        call = import_call(project, format, more)
        try:
            response = self.http.request(call.method, call.path, params=call.wire_query(), content=content,
                                         headers=self.settings.headers({"Content-Type": content_type}))
        except LOST as error:
            raise self.settings.lost(call, error) from error
        return cast(models.ImportReport, answered(response, response.content).value())

    def conversation(self, id: str | None = None, **fields: Any) -> Conversation:
        """The steps of an agent's loop, through a sidecar. `fields` go with each event, such as cwd=."""
        return Conversation(self, Turns(id or str(uuid.uuid4()), fields))


class Conversation:
    def __init__(self, client: Client, turns: Turns) -> None:
        self.client, self.turns, self.id = client, turns, turns.conversation

    def turn(self, prompt: str) -> str:
        """Before the model is asked → the text to put in front of the prompt, or ""."""
        return self.client.run(self.turns.turn(prompt))

    def allow(self, name: str, arguments: Mapping[str, Any], call_id: str) -> Verdict:
        """Before a tool runs. An exception means that the call was not checked."""
        return self.client.run(self.turns.allow(name, arguments, call_id))

    def tool(self, name: str, arguments: Mapping[str, Any], result: Any = None, *, error: str | None = None,
             call_id: str | None = None) -> None:
        """After a tool ran, or failed with `error`."""
        self.client.run(self.turns.tool(name, arguments, call_id or str(uuid.uuid4()), result, error))

    def answer(self, text: str) -> None:
        """The model's answer to the prompt is complete."""
        self.client.run(self.turns.answer(text))

    def end(self, reason: str = "other") -> None:
        self.client.run(self.turns.end(reason))


class AsyncClient(AsyncMethods):
    """Client for asyncio; the same methods with await. One object belongs to one event loop."""

    def __init__(self, url: str | None = None, *, token: str | None = None, token_file: str | None = None,
                 user: str | None = None, agent: str | None = None, timeout: float = TIMEOUT_S,
                 retries: Retries | None = None, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.settings = Settings(url, token, token_file, user, agent, timeout, retries)
        self.http = httpx.AsyncClient(base_url=self.settings.url, timeout=timeout, limits=LIMITS, transport=transport, trust_env=False)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.http.aclose()

    async def call(self, call: Call[T]) -> T:
        return cast(T, call.result(await self.answer(call.ready())))

    async def run(self, flow: Flow[T]) -> T:
        try:
            call = next(flow)
            while True:
                try:
                    said = await self.call(call)
                except AgentMemoryError as error:
                    call = flow.throw(error)
                else:
                    call = flow.send(said)
        except StopIteration as end:
            return cast(T, end.value)

    async def pages(self, call: Call[Any]) -> AsyncIterator[Any]:
        following: Call[Any] | None = call
        while following is not None:
            rows, following = rows_of(following, await self.answer(following))
            for row in rows:
                yield row

    async def answer(self, call: Call[Any]) -> Answer:
        content = call.content()
        for attempt in itertools.count(1):
            try:
                response = await self.http.request(call.method, call.path, params=call.wire_query(), content=content,
                                                   headers=self.settings.headers(call.wire_headers()))
                return answered(response, response.content).checked()
            except FAILURES as failure:
                pause = self.settings.pause(call, attempt, failure)
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")

    async def export(self, *, project: str | None = None, format: str | None = None, **more: Any) -> AsyncIterator[bytes]:
        call = export_call(project, format, more)
        try:
            async with self.http.stream(call.method, call.path, params=call.wire_query(),
                                        headers=self.settings.headers(call.wire_headers())) as response:
                if response.status_code != 200:
                    answered(response, await response.aread()).value()
                async for piece in response.aiter_bytes(CHUNK):
                    yield piece
        except LOST as error:
            raise self.settings.lost(call, error) from error

    async def import_(self, content: bytes | AsyncIterator[bytes], *, content_type: str = "application/octet-stream",
                      project: str | None = None, format: str | None = None, **more: Any) -> models.ImportReport:
        call = import_call(project, format, more)
        try:
            response = await self.http.request(call.method, call.path, params=call.wire_query(), content=content,
                                               headers=self.settings.headers({"Content-Type": content_type}))
        except LOST as error:
            raise self.settings.lost(call, error) from error
        return cast(models.ImportReport, answered(response, response.content).value())

    def conversation(self, id: str | None = None, **fields: Any) -> AsyncConversation:
        return AsyncConversation(self, Turns(id or str(uuid.uuid4()), fields))


class AsyncConversation:
    def __init__(self, client: AsyncClient, turns: Turns) -> None:
        self.client, self.turns, self.id = client, turns, turns.conversation

    async def turn(self, prompt: str) -> str:
        return await self.client.run(self.turns.turn(prompt))

    async def allow(self, name: str, arguments: Mapping[str, Any], call_id: str) -> Verdict:
        return await self.client.run(self.turns.allow(name, arguments, call_id))

    async def tool(self, name: str, arguments: Mapping[str, Any], result: Any = None, *, error: str | None = None,
                   call_id: str | None = None) -> None:
        await self.client.run(self.turns.tool(name, arguments, call_id or str(uuid.uuid4()), result, error))

    async def answer(self, text: str) -> None:
        await self.client.run(self.turns.answer(text))

    async def end(self, reason: str = "other") -> None:
        await self.client.run(self.turns.end(reason))
