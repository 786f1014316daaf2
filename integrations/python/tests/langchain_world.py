"""What the tests of LangChain's adapters have in common: an empty store, and memories to find."""
from __future__ import annotations

import uuid
from typing import Any

from agent_memory import Client
from agent_memory.langchain import AgentMemoryByteStore


def store_of(where: str, server: Any, sidecar: Any) -> AgentMemoryByteStore:
    url, agent = (server.api, "langchain") if where == "server" else (sidecar.api, "coder")
    return AgentMemoryByteStore(url, agent=agent, namespace=uuid.uuid4().hex)


def lamps(server: Any) -> None:
    with Client(server.api) as client:
        for place in ("porch", "cellar", "attic", "kitchen", "garden"):
            client.save_observation(session_id="houses", project="billing", type="fact", title=f"lamp of the {place}",
                                    content=f"The lamp in the {place} is broken.", tags=["house"])
