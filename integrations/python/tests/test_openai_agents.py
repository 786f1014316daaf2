"""The session under the SDK's own runner with a scripted model, on a server and through a sidecar; removals at once; recall."""
from __future__ import annotations

import asyncio
import uuid
from typing import Any

import pytest
from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

from agent_memory import Client, NotFound
from agent_memory.openai_agents import AgentMemorySession


@pytest.fixture(params=["server", "sidecar"])
def url(request: pytest.FixtureRequest, server: Any, sidecar: Any) -> str:
    return str((server if request.param == "server" else sidecar).api)


def says(text: str) -> Any:
    return ResponseOutputMessage(id="m1", type="message", role="assistant", status="completed",
                                 content=[ResponseOutputText(text=text, type="output_text", annotations=[])])


def user(text: str) -> Any:
    return {"role": "user", "content": text}


async def texts(session: AgentMemorySession) -> list[Any]:
    items: list[Any] = [*await session.get_items()]
    return [item.get("content") for item in items]


def test_a_run_continues_in_another_process_with_calls_and_results(url: str) -> None:
    @function_tool
    def weather(city: str) -> str:
        return f"rain in {city}"

    model, name = ScriptedModel(), uuid.uuid4().hex
    agent = Agent(name="a", model=model, tools=[weather])

    async def run() -> None:
        async with AgentMemorySession(name, url) as session:
            model.enqueue([ResponseFunctionToolCall(name="weather", arguments='{"city": "Bonn"}', call_id="c1", type="function_call")])
            model.enqueue([says("It rains.")])
            await Runner.run(agent, "Weather in Bonn?", session=session)
        async with AgentMemorySession(name, url) as session:
            model.enqueue([says("Yes.")])
            await Runner.run(agent, "Really?", session=session)
            kinds = [item.get("type", "message") for item in await session.get_items()]
            assert kinds == ["message", "function_call", "function_call_output", "message", "message", "message"]
            sent = model.calls[-1].input
            assert "rain in Bonn" in str(sent) and sent[-1]["content"] == "Really?"
    asyncio.run(run())


def test_items_come_back_as_they_were(url: str) -> None:
    items: list[Any] = [{"role": "user", "content": 'ü 🎲 "; DROP TABLE \u0000 \ud83d'}, {"type": "x", "deep": [{"n": 1.5, "null": None}]},
                        {"role": "user", "content": "long " * 100_000}]

    async def run() -> None:
        async with AgentMemorySession(uuid.uuid4().hex, url) as session:
            await session.add_items(items)
            await session.add_items([])
        async with AgentMemorySession(session.session_id, url, session_settings={"limit": 2}) as other:
            assert await other.get_items() == items[1:] and await other.get_items(3) == items and await other.get_items(0) == []
            assert await other.pop_item() == items[2] and await other.pop_item() == items[1]
            assert await other.get_items() == items[:1]
    asyncio.run(run())


def test_each_of_many_removals_gets_another_item(url: str) -> None:
    async def run() -> None:
        name = uuid.uuid4().hex
        sessions = [AgentMemorySession(name, url) for _ in range(4)]
        await sessions[0].add_items([user(str(number)) for number in range(10)])
        taken: list[Any] = await asyncio.gather(*(session.pop_item() for session in sessions for _ in range(2)))
        left = await texts(sessions[1])
        assert sorted([item["content"] for item in taken if item] + left) == [str(number) for number in range(10)]
        assert len(left) == 2
        for session in sessions:
            await session.close()
    asyncio.run(run())


def test_a_cleared_session_is_empty_for_all_and_begins_anew(url: str) -> None:
    async def run() -> None:
        async with AgentMemorySession(uuid.uuid4().hex, url) as one, AgentMemorySession(one.session_id, url) as other:
            assert await one.pop_item() is None
            await one.add_items([user("a"), user("b")])
            assert await texts(other) == ["a", "b"]
            await one.clear_session()
            assert await texts(other) == [] == await texts(one)
            await other.add_items([user("c")])
            assert await texts(one) == ["c"]
            await one.clear_session()
            await one.clear_session()
    asyncio.run(run())


def test_a_server_keeps_nothing_of_a_cleared_session(server: Any, client: Client) -> None:
    async def run() -> None:
        async with AgentMemorySession("cleared", server.api) as session:
            await session.add_items([user("a")])
            await session.clear_session()
    asyncio.run(run())
    assert not [row for row in client.iter_conversations() if "cleared" in row["id"]]


def test_memories_stand_before_the_prompt_and_are_not_stored(sidecar: Any) -> None:
    model, word = ScriptedModel(), uuid.uuid4().hex
    agent = Agent(name="a", model=model)

    async def ask(session: AgentMemorySession, prompt: str) -> Any:
        model.enqueue([says("Noted.")])
        await Runner.run(agent, prompt, session=session, run_config=RunConfig(call_model_input_filter=session.recall))
        return model.calls[-1].input

    async def run() -> None:
        async with AgentMemorySession(uuid.uuid4().hex, sidecar.api) as first:
            await ask(first, f"Remember: the {word} opens on Sundays.")
        import wire
        with Client(sidecar.api) as memory:
            assert wire.until(lambda: memory.search(q=word), 60)
        async with AgentMemorySession(uuid.uuid4().hex, sidecar.api) as second:
            sent = await ask(second, f"When does the {word} open?")
            assert [item["role"] for item in sent] == ["system", "user"] and f"the {word} opens on Sundays" in sent[0]["content"]
            kept = await second.get_items()
            assert len(kept) == 2 and "Sundays" not in str(kept)
    asyncio.run(run())


def test_recall_without_a_sidecar_says_what_it_needs(server: Any) -> None:
    async def run() -> None:
        async with AgentMemorySession("x", server.api) as session:
            model = ScriptedModel()
            model.enqueue([says("no")])
            with pytest.raises(NotFound, match="sidecar"):
                await Runner.run(Agent(name="a", model=model), "hello", session=session,
                                 run_config=RunConfig(call_model_input_filter=session.recall))
    asyncio.run(run())
