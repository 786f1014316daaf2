"""AgentMemorySession: a session of the OpenAI Agents SDK in the memory server or a sidecar, and memories before a prompt."""
from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from agents.memory.session import SessionABC
from agents.memory.session_settings import SessionSettings, coerce_session_settings, resolve_session_limit

from .. import calls
from ..adapters import Clients
from ..errors import NotFound
from ..record_log import append_to, read_log
from ..turns import Turns
from ..wire import Flow, ask
from .items import Items, conversation_of, encoded

if TYPE_CHECKING:
    from agents import TResponseInputItem
    from agents.run import CallModelData, ModelInputData


class AgentMemorySession(SessionABC):
    """`session_id` names the history. `recall` is for RunConfig(call_model_input_filter=…), through a sidecar. The other options
    are those of agent_memory.AsyncClient. One object serves several event loops."""

    def __init__(self, session_id: str, url: str | None = None, *, session_settings: SessionSettings | dict[str, Any] | None = None,
                 **options: Any) -> None:
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self.clients = Clients(url, options)
        self.items = Items()
        self.turns = Turns(session_id)
        self.recalled: tuple[str, str] | None = None  # prompt, memories

    async def __aenter__(self) -> AgentMemorySession:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self.clients.aclose()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        most = resolve_session_limit(limit, self.session_settings)
        await self.clients.arun(read_log(self.items, conversation_of(self.session_id)))
        items = list(self.items.items)
        return items if most is None else items[-most:] if most > 0 else []

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """All of them in one commit."""
        if items:
            await self.clients.arun(self.append({"kind": "add", "items": [plain(item) for item in items]}))

    async def pop_item(self) -> TResponseInputItem | None:
        """Of two at once each gets another item."""
        return await self.clients.arun(self.popping())

    async def clear_session(self) -> None:
        await self.clients.arun(self.clearing())

    def append(self, record: dict[str, Any]) -> Flow[None]:
        yield from append_to(self.items, conversation_of(self.session_id), encoded(record))

    def popping(self) -> Flow[Any]:
        conversation, id = conversation_of(self.session_id), uuid.uuid4().hex
        yield from read_log(self.items, conversation)
        if not self.items.items:
            return None
        yield from self.append({"kind": "pop", "id": id})
        yield from read_log(self.items, conversation)
        return self.items.taken.pop(id, None)

    def clearing(self) -> Flow[None]:
        """Deletes the history. A sidecar does not delete conversations: there a record says that all before it is gone."""
        conversation = conversation_of(self.session_id)
        try:
            yield from ask(calls.delete_conversation(conversation))
        except NotFound:
            pass
        if (yield from read_log(self.items, conversation)) and self.items.items:
            yield from self.append({"kind": "clear"})

    async def recall(self, data: CallModelData[Any]) -> ModelInputData:
        """Puts the memories that fit the last prompt in front of it, as a system item that no session stores. A sidecar records
        the prompt; of one prompt it is asked once."""
        model_data = data.model_data
        place = next((at for at in range(len(model_data.input) - 1, -1, -1) if prompt_of(model_data.input[at])), None)
        if place is None:
            return model_data
        prompt = prompt_of(model_data.input[place])
        if self.recalled is None or self.recalled[0] != prompt:
            self.recalled = prompt, await self.clients.arun(self.turns.turn(prompt))
        if self.recalled[1]:
            item = cast("TResponseInputItem", {"role": "system", "content": self.recalled[1]})
            model_data.input = [*model_data.input[:place], item, *model_data.input[place:]]
        return model_data


def plain(item: Any) -> Any:
    """An item as JSON: the SDK also gives models of its types."""
    return item.model_dump(exclude_unset=True, mode="json") if hasattr(item, "model_dump") else item


def prompt_of(item: Any) -> str:
    """The text of a user's message, or ""."""
    if not isinstance(item, Mapping) or item.get("role") != "user":
        return ""
    content = item.get("content")
    parts = [content] if isinstance(content, str) else [
        part.get("text", "") for part in content or () if isinstance(part, Mapping) and part.get("type") == "input_text"]
    return "\n".join(part for part in parts if part)
