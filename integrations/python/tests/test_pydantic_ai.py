"""Pydantic AI's agent with our store and recall, on a server and through a sidecar: resumed, forked, branched, two writers."""
from __future__ import annotations

import uuid
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent, Conversation
from pydantic_ai.conversation_store import ConversationConflict
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from agent_memory import Client, NotFound
from agent_memory.pydantic_ai import AgentMemoryConversationStore, AgentMemoryRecall

TestModel.__test__ = False


@pytest.fixture(params=["server", "sidecar"])
def url(request: pytest.FixtureRequest, server: Any, sidecar: Any) -> str:
    return str((server if request.param == "server" else sidecar).api)


@pytest.fixture
async def store(url: str) -> AsyncGenerator[AgentMemoryConversationStore, None]:
    async with AgentMemoryConversationStore(url) as one:
        yield one


def agent_with_a_tool() -> Agent[None, str]:
    agent = Agent(TestModel())

    @agent.tool_plain
    def weather(city: str) -> str:
        return f"rain in {city}"
    return agent


async def told(store: AgentMemoryConversationStore, id: str, prompt: Any, scope: str | None = None) -> Conversation:
    conversation = await store.load(id) or Conversation(conversation_id=id)
    result = await agent_with_a_tool().run(prompt, conversation=conversation)
    await store.save(result, scope=scope)
    return result.conversation


async def test_a_conversation_continues_in_another_process_as_it_was(url: str) -> None:
    id = "chat/" + uuid.uuid4().hex
    async with AgentMemoryConversationStore(url) as store:
        first = await told(store, id, ["ü 🎲 \x00 look", BinaryContent(b"\x00\xff", media_type="application/pdf")])
    async with AgentMemoryConversationStore(url) as store:
        loaded = await store.load(id)
        assert loaded and loaded.messages == first.messages and loaded.usage == first.usage
        second = await told(store, id, "Really?")
        assert second.messages[:len(first.messages)] == first.messages and len(second.messages) > len(first.messages)
        window = await store.load(id, limit=2)
        assert window and window.messages == second.messages[-2:]
        assert await store.load(uuid.uuid4().hex) is None


async def test_of_two_writers_one_wins_and_the_other_is_told(url: str, store: AgentMemoryConversationStore) -> None:
    id = uuid.uuid4().hex
    await told(store, id, "hello")
    async with AgentMemoryConversationStore(url) as others:
        mine, theirs = await store.load(id), await others.load(id)
        assert mine and theirs
        agent = agent_with_a_tool()
        await others.save(await agent.run("theirs", conversation=theirs))
        with pytest.raises(ConversationConflict):
            await store.save(await agent.run("mine", conversation=mine))
        found = await store.load(id)
        assert found and "theirs" in str(found.messages) and "mine" not in str(found.messages)
        with pytest.raises(ConversationConflict):
            await others.save(Conversation(conversation_id=id))


async def test_forks_and_branches(url: str, store: AgentMemoryConversationStore) -> None:
    id = uuid.uuid4().hex
    first = await told(store, id, "first")
    second = await told(store, id, "second")
    fork = await store.fork(id, at=len(first.messages))
    assert fork.messages == first.messages
    branched = await store.branch(id, at=len(first.messages), expected_revision=second.revision)
    assert branched.messages == first.messages
    await store.save(await agent_with_a_tool().run("third", conversation=branched))
    await store.delete(id)
    assert await store.load(id) is None
    async with AgentMemoryConversationStore(url) as others:
        kept = await others.load(fork.conversation_id)
        assert kept and kept.messages == first.messages, "a fork has its own messages"
        entries = await others.load_entries(fork.conversation_id)
        assert entries and (await others.read_entry(entries[-1].id)).message == first.messages[-1]


async def test_branching_back_in_another_process(url: str, store: AgentMemoryConversationStore) -> None:
    id = uuid.uuid4().hex
    first, second = await told(store, id, "first"), await told(store, id, "second")
    entries = await store.load_entries(id)
    await store.branch(id, at=len(first.messages), expected_revision=second.revision)
    async with AgentMemoryConversationStore(url) as others:
        there = await others.load(id)
        assert there and entries
        back = await others.branch(id, from_entry=entries[-1].id, expected_revision=there.revision)
        assert back.messages == second.messages


async def test_lists_by_scope(store: AgentMemoryConversationStore) -> None:
    scope = uuid.uuid4().hex
    for number in range(3):
        await told(store, f"{scope}-{number}" + "x" * 200 * (number == 2), "hello", scope=scope)
    found = await store.list_conversations(scope=scope)
    assert [record.conversation_id[:34] for record in found] == [f"{scope}-{number}" for number in (2, 1, 0)]
    assert await store.load(f"{scope}-0", scope="other") is None and len(await store.list_conversations(scope=scope, limit=1)) == 1
    await store.delete(f"{scope}-0", scope="other")
    await store.delete(f"{scope}-0", scope=scope)
    assert len(await store.list_conversations(scope=scope)) == 2


async def test_a_server_keeps_nothing_of_a_deleted_conversation(server: Any, client: Client) -> None:
    async with AgentMemoryConversationStore(server.api) as store:
        await told(store, "cleared-of-pydantic", "hello")
        await store.delete("cleared-of-pydantic")
    assert not [row for row in client.iter_conversations() if "cleared-of-pydantic" in row["id"]]


async def test_memories_are_instructions_of_the_next_run(sidecar: Any) -> None:
    asked: list[str] = []

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        asked.append(info.instructions or "")
        return ModelResponse([TextPart("Noted.")])
    recall, word = AgentMemoryRecall(sidecar.api), uuid.uuid4().hex
    agent = Agent(FunctionModel(model), instructions=recall)
    await agent.run(f"Remember: the {word} opens on Sundays.")
    import wire
    with Client(sidecar.api) as memory:
        assert wire.until(lambda: memory.search(q=word), 60)
    await agent.run(f"When does the {word} open?")
    assert f"the {word} opens on Sundays" in asked[-1] and word not in asked[0]
    await recall.close()


async def test_recall_without_a_sidecar_says_what_it_needs(server: Any) -> None:
    recall = AgentMemoryRecall(server.api)
    with pytest.raises(NotFound, match="hooks are a sidecar's"):
        await Agent(TestModel(), instructions=recall).run("hello")
    await recall.close()
