"""LangGraph on agent memory: a checkpointer and a store. Needs langgraph-checkpoint (pip install agent-memory[langgraph])."""
from ..adapters import said_if_untested
from .saver import AgentMemorySaver
from .store import AgentMemoryStore

__all__ = ["AgentMemorySaver", "AgentMemoryStore"]

said_if_untested("langgraph-checkpoint", (4, 3), (4, 4))
