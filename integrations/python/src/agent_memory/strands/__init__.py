"""Strands Agents on agent memory: a session manager and a memory store. Needs strands-agents
(pip install agent-memory[strands])."""
from ..adapters import said_if_untested
from .memory import AgentMemoryStore
from .sessions import AgentMemorySessionManager, AgentMemorySessionRepository

__all__ = ["AgentMemorySessionManager", "AgentMemorySessionRepository", "AgentMemoryStore"]

said_if_untested("strands-agents", (1, 62), (1, 63))
