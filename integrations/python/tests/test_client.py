"""The client against the real programs: each group of routes, pages, streams, errors, hooks; sync and async."""
from __future__ import annotations

import asyncio
import json
import os
import uuid
from typing import Any

import pytest

from agent_memory import (AgentMemoryError, AsyncClient, Client, Invalid, KeyReused, NotFound, PreconditionFailed, Retries,
                          TooLarge, Unreachable)


def name() -> str:
    return uuid.uuid4().hex


def test_a_memory_is_saved_found_changed_and_deleted(client: Client) -> None:
    project = name()
    client.begin_session(id=name(), project=project)
    saved = client.save_observation(session_id=name(), project=project, type="decision", title="SQLite for storage",
                                    content="One file per tenant.", tags=["database"])
    assert saved["action"] == "created"
    hits = client.search(q="which storage?", project=project)
    assert [hit["id"] for hit in hits] == [saved["id"]] and hits[0]["tags"] == ["database"]
    assert client.get_context(query="storage", project=project)["recent_observations"][0]["id"] == saved["id"]
    assert client.change_observation(saved["id"], title="Files")["revision_count"] == 2
    client.delete_observation(saved["id"])
    with pytest.raises(NotFound) as missing:
        client.get_observation(saved["id"])
    assert missing.value.code == "not_found" and missing.value.status == 404 and missing.value.request_id
    assert missing.value.message and missing.value.remedy in str(missing.value)


def test_a_key_that_is_reused_is_an_error_of_its_own(client: Client) -> None:
    fields: dict[str, Any] = {"session_id": name(), "project": name(), "type": "note", "title": "a", "idempotency_key": name()}
    first = client.save_observation(content="one", **fields)
    assert client.save_observation(content="one", **fields)["id"] == first["id"]
    with pytest.raises(KeyReused):
        client.save_observation(content="two", **fields)


def test_pages_give_every_row_once(client: Client) -> None:
    project, session = name(), name()
    for number in range(7):
        client.save_observation(session_id=session, project=project, type="note", title=f"t{number}", content=f"text {name()}")
    titles = [row["title"] for row in client.iter_observations(project=project, limit=2)]
    assert titles == [f"t{number}" for number in range(6, -1, -1)]
    conversation = name()
    client.append_messages(conversation, messages=[{"role": "user", "content": str(number)} for number in range(5)])
    assert [row["content"] for row in client.iter_messages(conversation, limit=2)] == list("01234")
    for number in range(3):
        client.put_shared("coder", f"{project}-{number}", number, as_="coder")
    shared = dict(client.iter_shared(agent="coder", as_="coder"))
    assert shared[f"shared:coder:{project}-2"] == 2


def test_items_traces_and_checkpoints_keep_their_values(client: Client) -> None:
    key = name()
    item = client.put_item(key, value={"a": [1, None, "ü"]}, ttl="1h")
    assert client.get_item(key)["value"] == {"a": [1, None, "ü"]}
    with pytest.raises(PreconditionFailed):
        client.put_item(key, value=1, if_match=f'"{item["version"] + 7}"')
    assert client.change_item(key, value=None)["value"] is None, "None is a value"
    client.delete_item(key)
    trace = client.add_trace(content=f"User likes tea {name()}.", type="semantic")
    assert client.get_trace(trace["traceId"])["type"] == "semantic"
    client.delete_trace(trace["traceId"], reason="outdated")
    conversation = name()
    saved = client.save_checkpoint(conversation, step=3, messages=[{"role": "user"}], tool_state={"x": 1})
    assert client.get_checkpoint(conversation)["tool_state"] == {"x": 1} and saved["generation"] == 1


def test_limits_and_wrong_arguments_name_the_field(client: Client) -> None:
    with pytest.raises(Invalid, match="title"):
        client.save_observation(session_id="s", project="p", type="note", title="x" * 501, content="y")
    with pytest.raises(TooLarge):
        client.put_item(name(), value="x" * 70_000)


def test_an_export_streams_and_its_import_changes_nothing(client: Client) -> None:
    project = name()
    client.save_observation(session_id=name(), project=project, type="note", title="kept", content="for export")
    raw = b"".join(client.export(project=project, format="jsonl"))
    lines = [json.loads(line) for line in raw.splitlines()]
    assert lines[0]["kind"] == "export" and lines[-1]["kind"] == "end"
    report = client.import_(raw, content_type="application/x-ndjson")
    assert report["imported"] == 0 and report["skipped"] >= 1
    with pytest.raises(Invalid):
        list(client.export(format="paper"))


def test_a_loop_remembers_through_the_sidecar(sidecar: Any, server: Any) -> None:
    with Client(sidecar.api) as memory:
        loop = memory.conversation(cwd="/work")
        loop.turn("Remember: the vault opens on Tuesdays.")
        verdict = loop.allow("bash", {"command": "rm -rf /"}, "call-1")
        assert not verdict.allowed and "rm -rf" in verdict.reason
        assert loop.allow("bash", {"command": "make"}, "call-2").allowed
        loop.tool("bash", {"command": "make"}, "an error in main.c", call_id="call-2")
        loop.tool("bash", {"command": "make"}, error="exit 2")
        loop.answer("Noted.")
        loop.end()
        with Client(server.api) as there:
            found = programs_until(lambda: there.search(q="vault Tuesdays", project="billing"))
            assert found[0]["content"] == "the vault opens on Tuesdays."
        assert "vault" in memory.conversation().turn("When does the vault open?")
        roles = [row["role"] for row in memory.iter_messages(loop.id)]
        assert roles == ["user", "assistant", "tool", "assistant", "tool", "assistant"]


def programs_until(condition: Any) -> Any:
    import wire
    return wire.until(condition, 60)


def test_a_server_has_no_hooks_and_says_what_has(client: Client) -> None:
    with pytest.raises(NotFound, match="sidecar"):
        client.conversation().turn("hello")


def test_async_has_the_same_methods(server: Any, sidecar: Any) -> None:
    async def run() -> None:
        async with AsyncClient(server.api) as memory:
            project = name()
            for number in range(3):
                await memory.save_observation(session_id=name(), project=project, type="note", title=str(number), content=name())
            assert [row["title"] async for row in memory.iter_observations(project=project, limit=1)] == ["2", "1", "0"]
            raw = b"".join([piece async for piece in memory.export(project=project)])
            assert (await memory.import_(raw, content_type="application/json"))["imported"] == 0
            with pytest.raises(NotFound):
                await memory.get_item(name())
            with pytest.raises(NotFound, match="sidecar"):
                await memory.conversation().turn("hello")
        async with AsyncClient(sidecar.api) as memory:
            loop = memory.conversation()
            await loop.turn("hello")
            assert (await loop.allow("bash", {"command": "ls"}, "c1")).allowed
            await loop.tool("bash", {"command": "ls"}, "a b", call_id="c1")
            await loop.answer("Hi.")
            await loop.end()
    asyncio.run(run())
    missing = {method for method in dir(Client) if not method.startswith("__")} - set(dir(AsyncClient))
    assert not missing


def test_no_answer_is_an_error_with_the_address() -> None:
    with Client("http://127.0.0.1:1", retries=Retries(attempts=2, first_s=0.01)) as nobody:
        with pytest.raises(Unreachable, match="127.0.0.1:1/health"):
            nobody.get_health()
        with pytest.raises(AgentMemoryError):
            list(nobody.export())


def test_without_an_address_the_program_of_a_laptop_starts_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    import laptops
    laptop = laptops.Laptop()
    try:
        monkeypatch.delenv("AGENT_MEMORY_URL", raising=False)
        monkeypatch.setenv("HOME", laptop.home)
        monkeypatch.setenv("PATH", os.path.dirname(laptop.program) + os.pathsep + os.environ["PATH"])
        monkeypatch.chdir(laptop.repository("shop"))
        with Client() as memory:
            memory.conversation(cwd=os.getcwd()).turn("Remember: the shop closes at six.")
            assert programs_until(lambda: memory.search(q="when does the shop close?"))[0]["content"] == "the shop closes at six."
    finally:
        laptop.clean()
