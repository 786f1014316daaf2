"""AgentMemoryRecall: the memories that fit a prompt, as an agent's instructions."""
from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from pydantic_ai import RunContext

from ..adapters import Clients
from ..turns import Turns

REMEMBERED = 256  # runs


class AgentMemoryRecall:
    """For Agent(instructions=…), through a sidecar, which records the prompt; of one run it is asked once. `url` and the other
    options are those of agent_memory.AsyncClient."""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        self.clients, self.lock = Clients(url, options), threading.Lock()
        self.recalled: OrderedDict[str, str] = OrderedDict()

    async def close(self) -> None:
        await self.clients.aclose()

    async def __call__(self, ctx: RunContext[Any]) -> str | None:
        prompt, run = text_of(ctx.prompt), str(ctx.run_id)
        with self.lock:
            found = self.recalled.get(run)
        if found is None:
            if not prompt:
                return None
            found = await self.clients.arun(Turns(ctx.conversation_id or run).turn(prompt))
            with self.lock:
                self.recalled[run] = found
                if len(self.recalled) > REMEMBERED:
                    self.recalled.popitem(last=False)
        return found or None


def text_of(prompt: str | Sequence[Any] | None) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(part for part in prompt or () if isinstance(part, str))
