"""What is sent again and when, with a transport that fails as told; addresses; the generated files."""
from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

import agent_memory
from agent_memory import Client, Full, OverQuota, Retries, Unavailable, Unreachable
from agent_memory.address import address
from world import REPOSITORY

QUICK = Retries(attempts=3, first_s=0.001, longest_s=0.01)
SAVED = {"id": 1, "action": "created", "revision_count": 1, "duplicate_count": 0}


def client_of(answers: list[Callable[[httpx.Request], httpx.Response]], seen: list[httpx.Request]) -> Client:
    def handle(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answers.pop(0)(request)
    return Client("http://memory", transport=httpx.MockTransport(handle), retries=QUICK)


def status(code: int, body: object = None, **headers: str) -> Callable[[httpx.Request], httpx.Response]:
    return lambda _: httpx.Response(code, json=body if body is not None else {"error": "no", "code": ""}, headers=headers)


def lost(request: httpx.Request) -> httpx.Response:
    raise httpx.ReadError("reset", request=request)


def unsent(request: httpx.Request) -> httpx.Response:
    raise httpx.ConnectError("refused", request=request)


def save(client: Client) -> object:
    return client.save_observation(session_id="s", project="p", type="note", title="t", content="c")


def test_a_lost_answer_of_a_save_is_asked_for_with_the_same_key() -> None:
    seen: list[httpx.Request] = []
    assert save(client_of([lost, status(201, SAVED)], seen)) == SAVED
    keys = [request.headers["idempotency-key"] for request in seen]
    assert len(keys) == 2 and keys[0] == keys[1] and len(keys[0]) > 20


def test_a_lost_answer_of_a_write_without_a_key_stands() -> None:
    seen: list[httpx.Request] = []
    with pytest.raises(Unreachable):
        client_of([lost, status(201, {"traceId": "x"})], seen).add_trace(content="c")
    assert len(seen) == 1


def test_a_request_that_was_not_sent_is_sent_again() -> None:
    seen: list[httpx.Request] = []
    assert client_of([unsent, status(201, {"traceId": "x"})], seen).add_trace(content="c") == {"traceId": "x"}


def test_an_overloaded_server_is_asked_again_and_others_are_not() -> None:
    seen: list[httpx.Request] = []
    answers = [status(503, **{"retry-after": "0.001"}), status(429), status(201, {"traceId": "x"})]
    client_of(answers, seen).add_trace(content="c")
    assert len(seen) == 3
    for code, kind in ((507, Full), (503, Unavailable), (429, OverQuota)):
        seen.clear()
        with pytest.raises(kind):
            client_of([status(code)] * 3, seen).get_health()
        assert len(seen) == (1 if code == 507 else 3)


def test_pauses_double_and_obey_the_server_up_to_the_limit() -> None:
    retries = Retries(attempts=9, first_s=1, longest_s=5, chance=lambda: 1.0)
    from agent_memory import calls
    call = calls.get_health()
    busy = Unavailable("busy", status=503)
    assert [retries.pause(call, attempt, busy, True) for attempt in range(1, 5)] == [1, 2, 4, 5]
    assert retries.pause(call, 1, Unavailable("busy", status=503, retry_after=3), True) == 3
    assert retries.pause(call, 1, Unavailable("busy", status=503, retry_after=60), True) == 5
    assert retries.pause(call, 9, busy, True) is None


def test_a_token_file_is_read_for_each_request(tmp_path: Path) -> None:
    seen: list[httpx.Request] = []
    file = tmp_path / "token"
    file.write_text("one\n")
    transport = httpx.MockTransport(lambda request: seen.append(request) or httpx.Response(200, json={}))  # type: ignore[func-returns-value]
    client = Client("http://memory", token_file=str(file), transport=transport)
    client.get_health()
    file.write_text("two\n")
    client.get_health()
    assert [request.headers["authorization"] for request in seen] == ["Bearer one", "Bearer two"]


def test_the_address_is_given_or_of_the_environment_or_of_the_program(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AGENT_MEMORY_URL", "http://127.0.0.1:7437/")
    assert address("host:1") == "http://host:1" and address() == "http://127.0.0.1:7437"
    monkeypatch.delenv("AGENT_MEMORY_URL")
    program = tmp_path / "agent-memory"
    program.write_text("#!/bin/sh\n[ \"$1\" = url ] && echo http://127.0.0.1:40123\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert address() == "http://127.0.0.1:40123"
    program.write_text("#!/bin/sh\necho memory was stopped >&2; exit 1\n")
    with pytest.raises(Unreachable, match="memory was stopped"):
        address()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    with pytest.raises(Unreachable, match="AGENT_MEMORY_URL"):
        address()


def test_the_generated_files_are_those_of_the_server() -> None:
    done = subprocess.run([sys.executable, str(REPOSITORY / "integrations/python/generate.py"), "--check"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_version_is_that_of_the_programs() -> None:
    cmake = re.search(r"project\([^)]*VERSION ([\d.]+)", (REPOSITORY / "CMakeLists.txt").read_text(encoding="utf-8"))
    project = re.search(r'^version = "(.+)"', (REPOSITORY / "integrations/python/pyproject.toml").read_text(encoding="utf-8"), re.M)
    assert cmake and project and cmake[1] == project[1] == agent_memory.__version__
