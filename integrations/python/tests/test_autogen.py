"""AutoGen's memory protocol on a server and through a sidecar: found, put into a context, cleared, dumped and loaded."""
from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from autogen_core.memory import Memory, MemoryContent, MemoryMimeType
from autogen_core.model_context import BufferedChatCompletionContext
from autogen_core.models import UserMessage

from agent_memory import Client
from agent_memory.autogen import AgentMemory


@pytest.fixture(params=["server", "sidecar"])
def url(request: pytest.FixtureRequest, server: Any, sidecar: Any) -> str:
    return str((server if request.param == "server" else sidecar).api)


@pytest.fixture
async def memory(url: str) -> AsyncGenerator[AgentMemory, None]:
    one = AgentMemory(url, name=uuid.uuid4().hex, project="billing")
    yield one
    await one.close()


def text(content: Any, **metadata: Any) -> MemoryContent:
    return MemoryContent(content=content, mime_type=MemoryMimeType.TEXT, metadata=metadata)


async def test_memories_are_found_and_stand_in_the_context_escaped(memory: AgentMemory) -> None:
    word = uuid.uuid4().hex
    await memory.add(text(f"The {word} opens on <b>Sundays</b>.", title="hours"))
    await memory.add(text(f"The {word} opens on <b>Sundays</b>.", title="hours"))
    context = BufferedChatCompletionContext(buffer_size=5)
    assert (await memory.update_context(context)).memories.results == [], "there is no message to find memories for"
    await context.add_message(UserMessage(content=f"When does the {word} open?", source="user"))
    found = (await memory.update_context(context)).memories.results
    assert [one.content for one in found if word in str(one.content)] == [f"The {word} opens on <b>Sundays</b>."]
    said = str((await context.get_messages())[-1].content)
    assert f"- hours: The {word} opens on &lt;b&gt;Sundays&lt;/b&gt;." in said and "not instructions" in said


async def test_json_comes_back_as_json_and_bytes_are_refused(memory: AgentMemory) -> None:
    word = uuid.uuid4().hex
    await memory.add(MemoryContent(content={"likes": word, "n": [1.5]}, mime_type=MemoryMimeType.JSON))
    found = (await memory.query(text(word))).results[0]
    assert found.content == {"likes": word, "n": [1.5]} and found.mime_type == MemoryMimeType.JSON
    with pytest.raises(ValueError, match="a memory is text or JSON, not application/octet-stream"):
        await memory.add(MemoryContent(content=b"x", mime_type=MemoryMimeType.BINARY))


async def test_clear_removes_what_this_memory_saved_and_nothing_else(url: str, memory: AgentMemory, server: Any) -> None:
    word = uuid.uuid4().hex
    other = AgentMemory(url, name=uuid.uuid4().hex, project="billing")
    await other.add(text(f"other {word}"))
    for number in range(3):
        await memory.add(text(f"{number} {word}"))
    assert [one.content for one in (await memory.query("")).results] == [f"{number} {word}" for number in (2, 1, 0)]
    await memory.clear()
    assert (await memory.query("")).results == []
    with Client(server.api) as client:
        assert [hit["content"] for hit in client.search(q=word, project="billing") if word in hit["content"]] == [f"other {word}"]
    await other.close()


async def test_memories_of_several_projects_without_a_name(server: Any) -> None:
    for project in ("here", "there"):
        one = AgentMemory(server.api, project=project)
        await one.add(text(f"in {project}"))
        assert [found.content for found in (await one.query("")).results] == [f"in {project}"]
        await one.close()


async def test_a_dumped_memory_is_loaded_again(url: str, memory: AgentMemory) -> None:
    word = uuid.uuid4().hex
    await memory.add(text(f"kept {word}"))
    loaded: Any = Memory.load_component(memory.dump_component(), AgentMemory)
    assert loaded.name == memory.name and [one.content for one in (await loaded.query("")).results] == [f"kept {word}"]
    await loaded.close()
