"""Requests and answers as values: what is sent, what an answer means, when to send again. No input or output: client.py has
the two transports."""
from __future__ import annotations

import json
import random
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast
from urllib.parse import quote as percent

from .errors import AgentMemoryError, OverQuota, Unavailable, Unreachable, error_of

T = TypeVar("T")
KEY = "Idempotency-Key"


class _Unset:
    """The value of an argument that was not given, where None is a value."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Any = _Unset()


def quote(text: str | int) -> str:
    return percent(str(text), safe="")


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and by its type what the answer is. Entries of `query`, `headers` and `body` that are None or UNSET are left
    out, except None of the names in `nulls`; `whole` is a body as it is. `repeats`: it may be sent again after a lost answer.
    `rows`: where a page has its rows."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    nulls: tuple[str, ...] = ()
    whole: Any = UNSET
    repeats: bool = False
    rows: str | None = None
    headed: bool = False

    def result(self, answer: Answer) -> Any:
        value = answer.value()
        return (value, answer.headers) if self.headed else value

    def ready(self) -> Call[T]:
        """As it is sent first: with an Idempotency-Key if the route takes one, so that it may be sent again."""
        if KEY not in self.headers:
            return self
        headers = {**self.headers, KEY: self.headers[KEY] or str(uuid.uuid4())}
        return replace(self, headers=headers, repeats=True)

    def wire_query(self) -> dict[str, str]:
        given = {name: value for name, value in self.query.items() if value is not None and value is not UNSET}
        return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}

    def wire_headers(self) -> dict[str, str]:
        given = {name: str(value) for name, value in self.headers.items() if value is not None and value is not UNSET}
        return {**given, **({"Content-Type": "application/json"} if self.content() is not None else {})}

    def content(self) -> bytes | None:
        if self.whole is not UNSET:
            return encoded(self.whole)
        if self.body is None:
            return None
        return encoded({name: value for name, value in self.body.items()
                        if value is not UNSET and (value is not None or name in self.nulls)})

    def after(self, cursor: str) -> Call[T]:
        return replace(self, query={**self.query, "cursor": cursor})


def with_headers(call: Call[T]) -> Call[tuple[T, Mapping[str, str]]]:
    """The same, whose answer also has its headers, with names in lower case."""
    return cast("Call[tuple[T, Mapping[str, str]]]", replace(call, headed=True))


def encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


# Several calls as one: yields a Call, is sent its answer, returns the result. Client.run and AsyncClient.run run it.
Flow = Generator[Call[Any], Any, T]


def ask(call: Call[T]) -> Flow[T]:
    """In a flow: `answer = yield from ask(calls.…)` with the type of the answer."""
    return cast(T, (yield call))


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # names in lower case
    content: bytes

    def checked(self) -> Answer:
        """Itself; raises the exception of an answer that is no success."""
        if not 200 <= self.status < 300:
            self.value()
        return self

    def value(self) -> Any:
        """The decoded body; raises the exception of an answer that is no success."""
        body: Any = None
        if self.content:
            kind = self.headers.get("content-type", "")
            text = self.content.decode(errors="replace")
            body = json.loads(text) if "json" in kind else text
        if not 200 <= self.status < 300:
            raise error_of(self.status, body, dict(self.headers))
        return body


def rows_of(call: Call[Any], answer: Answer) -> tuple[list[Any], Call[Any] | None]:
    """→ the rows of a page, and the call of the next one."""
    value = answer.value()
    cursor = answer.headers.get("x-next-cursor")
    if call.rows == "*":
        rows = list(value.items())
    elif call.rows:
        rows, cursor = value[call.rows], cursor or value.get("next_cursor")
    else:
        rows = value
    return rows, call.after(str(cursor)) if cursor else None


@dataclass(frozen=True)
class Retries:
    """How often and how long: `attempts` in all; a pause doubles from `first_s` to `longest_s`, of which a random part is used.
    A server's Retry-After is a lower limit, up to `longest_s`."""

    attempts: int = 4
    first_s: float = 0.1
    longest_s: float = 5.0
    chance: Callable[[], float] = random.random

    def pause(self, call: Call[Any], attempt: int, error: AgentMemoryError, sent: bool) -> float | None:
        """→ seconds until the next attempt after the `attempt`th, or None: the error stands. `sent`: the request may have
        reached the server."""
        if attempt >= self.attempts:
            return None
        refused = isinstance(error, (Unavailable, OverQuota)) and error.status != 0
        lost = isinstance(error, Unreachable) and (call.repeats or not sent)
        if not refused and not lost:
            return None
        most = min(self.longest_s, self.first_s * float(2 ** (attempt - 1)))
        pause = most * (0.5 + self.chance() / 2)
        return min(self.longest_s, max(pause, error.retry_after or 0.0))
