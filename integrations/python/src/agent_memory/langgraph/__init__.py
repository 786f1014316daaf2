"""LangGraph on agent memory: a checkpointer and a store. Needs langgraph-checkpoint (pip install agent-memory[langgraph])."""
import importlib.metadata
import warnings

from .saver import AgentMemorySaver
from .store import AgentMemoryStore

__all__ = ["AgentMemorySaver", "AgentMemoryStore"]

TESTED = ((4, 3), (4, 4))  # versions of langgraph-checkpoint: from, before


def _check_version() -> None:
    found = importlib.metadata.version("langgraph-checkpoint")
    numbers = tuple(int(part) for part in found.split(".")[:2] if part.isdigit())
    if not TESTED[0] <= numbers < TESTED[1]:
        warnings.warn(f"agent_memory.langgraph is not tested with langgraph-checkpoint {found}", stacklevel=3)


_check_version()
