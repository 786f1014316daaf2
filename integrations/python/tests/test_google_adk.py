"""ADK's own runner on our session and memory services, on a server and through a sidecar; two writers; state of app and user."""
from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events import Event, EventActions
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions.base_session_service import GetSessionConfig
from google.adk.tools.preload_memory_tool import PreloadMemoryTool
from google.genai import types

from agent_memory import Client
from agent_memory.google_adk import AgentMemoryService, AgentMemorySessionService

ASKED: list[LlmRequest] = []


class Scripted(BaseLlm):
    model: str = "scripted"

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        ASKED.append(llm_request)
        yield LlmResponse(content=types.Content(role="model", parts=[types.Part(text="Noted.")]))


@pytest.fixture(params=["server", "sidecar"])
def url(request: pytest.FixtureRequest, server: Any, sidecar: Any) -> str:
    return str((server if request.param == "server" else sidecar).api)


@pytest.fixture
async def sessions(url: str) -> AsyncGenerator[AgentMemorySessionService, None]:
    async with AgentMemorySessionService(url) as service:
        yield service


def said(text: str, **delta: Any) -> Event:
    return Event(invocation_id="i", author="user", content=types.Content(role="user", parts=[types.Part(text=text)]),
                 actions=EventActions(state_delta=delta))


def texts(session: Any) -> list[str]:
    return [event.content.parts[0].text for event in session.events]


def app() -> str:
    return "app/" + uuid.uuid4().hex


async def told(runner: Runner, session: str, text: str) -> None:
    async for _ in runner.run_async(user_id="ann", session_id=session, new_message=types.Content(role="user", parts=[types.Part(text=text)])):
        pass


async def test_a_run_continues_in_another_process_and_memories_come_in_the_next_session(url: str) -> None:
    name, word = app().replace("/", ""), uuid.uuid4().hex
    agent = LlmAgent(name="helper", model=Scripted(), tools=[PreloadMemoryTool()])
    for turn in ("first", "second"):
        async with AgentMemorySessionService(url) as sessions, AgentMemoryService(url) as memory:
            if turn == "first":
                await sessions.create_session(app_name=name, user_id="ann", session_id="s1")
            runner = Runner(app_name=name, agent=agent, session_service=sessions, memory_service=memory)
            await told(runner, "s1", f"The {word} opens on Sundays, {turn}")
            session = await sessions.get_session(app_name=name, user_id="ann", session_id="s1")
            assert session
            await memory.add_session_to_memory(session)
    assert texts(session) == [f"The {word} opens on Sundays, first", "Noted.", f"The {word} opens on Sundays, second", "Noted."]
    async with AgentMemorySessionService(url) as sessions, AgentMemoryService(url) as memory:
        await sessions.create_session(app_name=name, user_id="ann", session_id="s2")
        await told(Runner(app_name=name, agent=agent, session_service=sessions, memory_service=memory), "s2", f"When does the {word} open?")
    assert f"The {word} opens on Sundays" in str(ASKED[-1].contents)
    with Client(url) as client:
        assert any(word in hit["content"] for hit in client.search(q=word)), "people find it, too"


async def test_state_of_app_and_user_is_shared_and_temporary_state_is_nobodys(sessions: AgentMemorySessionService) -> None:
    name = app()
    one = await sessions.create_session(app_name=name, user_id="ann", state={"a": 1, "app:b": 2, "user:c": 3, "temp:d": 4})
    assert one.state == {"a": 1, "app:b": 2, "user:c": 3}
    await sessions.append_event(one, said("x", **{"a": 5, "app:b": 6, "user:c": [7], "temp:d": 8}))
    assert one.state["temp:d"] == 8
    other = await sessions.create_session(app_name=name, user_id="ann")
    assert other.state == {"app:b": 6, "user:c": [7]}
    assert (await sessions.create_session(app_name=name, user_id="bob")).state == {"app:b": 6}
    again = await sessions.get_session(app_name=name, user_id="ann", session_id=one.id)
    assert again and again.state == {"a": 5, "app:b": 6, "user:c": [7]} and again.events[0].actions.state_delta.get("temp:d") is None
    assert await sessions.get_user_state(app_name=name, user_id="ann") == {"c": [7]}
    again.state["user:c"].append(9)
    assert await sessions.get_user_state(app_name=name, user_id="ann") == {"c": [7]}


async def test_of_two_writers_one_wins_and_the_other_is_told(url: str, sessions: AgentMemorySessionService) -> None:
    name = app()
    one = await sessions.create_session(app_name=name, user_id="ann")
    async with AgentMemorySessionService(url) as others:
        other = await others.get_session(app_name=name, user_id="ann", session_id=one.id)
        assert other
        await others.append_event(other, said("theirs"))
        event = said("mine")
        with pytest.raises(StaleSessionError):
            await sessions.append_event(one, event)
        assert one.events == []
        again = await sessions.get_session(app_name=name, user_id="ann", session_id=one.id)
        assert again and texts(again) == ["theirs"]
        await sessions.append_event(again, event)
        seen = await others.get_session(app_name=name, user_id="ann", session_id=one.id)
        assert seen and texts(seen) == ["theirs", "mine"]
        seen._storage_update_marker = None
        await others.append_event(seen, event)
        assert len(texts(await others.get_session(app_name=name, user_id="ann", session_id=one.id))) == 2, "delivered again"
        with pytest.raises(AlreadyExistsError):
            await others.create_session(app_name=name, user_id="ann", session_id=one.id)


async def test_sessions_are_listed_narrowed_and_deleted(sessions: AgentMemorySessionService) -> None:
    name = app()
    for user, id in (("ann", "1"), ("ann", "x" * 300), ("bob", "2")):
        session = await sessions.create_session(app_name=name, user_id=user, session_id=id)
        for number in range(3):
            event = said(str(number))
            event.timestamp = 1000.0 + number
            await sessions.append_event(session, event)
    assert [(one.user_id, one.id) for one in (await sessions.list_sessions(app_name=name, user_id="ann")).sessions] == [("ann", "1"), ("ann", "x" * 300)]
    assert len((await sessions.list_sessions(app_name=name)).sessions) == 3
    for config, wanted in ((GetSessionConfig(num_recent_events=2), ["1", "2"]), (GetSessionConfig(num_recent_events=0), []),
                           (GetSessionConfig(after_timestamp=1001.0), ["1", "2"])):
        found = await sessions.get_session(app_name=name, user_id="ann", session_id="1", config=config)
        assert found and texts(found) == wanted
    await sessions.delete_session(app_name=name, user_id="ann", session_id="1")
    await sessions.delete_session(app_name=name, user_id="ann", session_id="1")
    assert await sessions.get_session(app_name=name, user_id="ann", session_id="1") is None
    assert len((await sessions.list_sessions(app_name=name)).sessions) == 2
    with pytest.raises(SessionNotFoundError):
        await sessions.append_event(session.model_copy(update={"id": "1", "user_id": "ann"}), said("late"))
    assert (await sessions.create_session(app_name=name, user_id="ann", session_id="1")).events == []


async def test_memories_are_of_their_user_and_once(url: str) -> None:
    name, word = app(), uuid.uuid4().hex
    async with AgentMemoryService(url) as memory, AgentMemoryService(url) as other:
        for service in (memory, memory, other):
            await service.add_events_to_memory(app_name=name, user_id="ann", session_id="s", events=[said(f"The {word} is open")])
        await memory.add_memory(app_name=name, user_id="bob", memories=[MemoryEntry(
            content=types.Content(parts=[types.Part(text=f"Bob closed the {word}")]), author="bob", custom_metadata={"n": 1})])
        found = (await other.search_memory(app_name=name, user_id="ann", query=word)).memories
        assert [(one.author, one.content.role, one.content.parts[0].text) for one in found if one.content.parts] == [
            ("user", "user", f"The {word} is open")]
        (one,) = (await other.search_memory(app_name=name, user_id="bob", query=word)).memories
        assert one.author == "bob" and one.custom_metadata == {"n": 1} and one.timestamp
        assert not (await memory.search_memory(app_name=name, user_id="ann", query=" ")).memories
        with pytest.raises(ValueError, match="a memory needs a text"):
            await memory.add_memory(app_name=name, user_id="bob", memories=[MemoryEntry(content=types.Content())])
