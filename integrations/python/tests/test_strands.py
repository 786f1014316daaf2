"""Strands' agent with our session manager and memory store, on a server and through a sidecar."""
from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from strands import Agent
from strands.memory import MemoryManager
from strands.models import Model
from strands.types.exceptions import SessionException
from strands.types.session import SessionMessage

from agent_memory import Client
from agent_memory.strands import AgentMemorySessionManager, AgentMemorySessionRepository, AgentMemoryStore


@pytest.fixture(params=["server", "sidecar"])
def url(request: pytest.FixtureRequest, server: Any, sidecar: Any) -> str:
    return str((server if request.param == "server" else sidecar).api)


class Scripted(Model):
    """Says "Noted."; keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def update_config(self, **_: Any) -> None:
        pass

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncGenerator[Any, None]:
        self.asked.append(str(messages))
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockDelta": {"delta": {"text": "Noted."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


def agent(url: str, session: str, model: Model | None = None) -> Agent:
    return Agent(model=model or Scripted(), agent_id="helper", session_manager=AgentMemorySessionManager(session, url), callback_handler=None)


def test_an_agent_continues_in_another_process_as_it_was(url: str) -> None:
    session = "chat/" + uuid.uuid4().hex + "x" * 200
    one = agent(url, session)
    one.state.set("mood", {"n": 1.5})
    one("ü 🎲 hello")
    other = agent(url, session)
    assert other.messages == one.messages and len(other.messages) == 2 and other.state.get("mood") == {"n": 1.5}
    other("Really?")
    assert len(agent(url, session).messages) == 4
    repository = AgentMemorySessionRepository(url)
    image: Any = {"role": "user", "content": [{"image": {"format": "png", "source": {"bytes": b"\x00\xff"}}}]}
    repository.create_message(session, "helper", SessionMessage(image, 4))
    found = AgentMemorySessionRepository(url).read_message(session, "helper", 4)
    assert found and found.message == image
    repository.delete_session(session)
    repository.delete_session(session)
    assert AgentMemorySessionRepository(url).read_session(session) is None and agent(url, session).messages == []


def test_of_two_writers_of_a_session_one_wins_and_the_other_is_told(url: str) -> None:
    session = uuid.uuid4().hex
    agent(url, session)("hello")
    mine, theirs = agent(url, session), agent(url, session)
    theirs("theirs")
    with pytest.raises(SessionException, match="it already exists"):
        mine("mine")
    stored = str(agent(url, session).messages)
    assert "theirs" in stored and "mine" not in stored


async def test_memories_stand_before_a_prompt_and_are_not_stored(url: str, server: Any) -> None:
    word, model = uuid.uuid4().hex, Scripted()
    store = AgentMemoryStore(url, project="billing", writable=True)
    assert await store.search(" ") == []
    await store.add(f"The {word} opens on Sundays.", {"title": "opening hours", "tags": ["shop"]})
    await store.add(f"The {word} opens on Sundays.")
    found = [entry for entry in await store.search(word) if word in entry.content]
    assert len(found) == 1 and found[0].metadata and found[0].metadata["title"] == "opening hours"
    session = uuid.uuid4().hex
    one = Agent(model=model, agent_id="helper", session_manager=AgentMemorySessionManager(session, url), callback_handler=None,
                memory_manager=MemoryManager(stores=[store]))
    await one.invoke_async(f"When does the {word} open?")
    assert f"The {word} opens on Sundays" in model.asked[-1]
    assert "Sundays" not in str(agent(url, session).messages)
    await store.close()
    elsewhere = AgentMemoryStore(url, project="elsewhere", writable=True)
    await elsewhere.add(f"another project, {word}")
    await elsewhere.close()
    with Client(server.api) as client:
        assert any(word in hit["content"] for hit in client.search(q=word, project="billing"))
