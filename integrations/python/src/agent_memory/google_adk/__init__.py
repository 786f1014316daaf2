"""Google's Agent Development Kit on agent memory: a session service and a memory service. Needs google-adk
(pip install agent-memory[google-adk])."""
from ..adapters import said_if_untested
from .memory import AgentMemoryService
from .sessions import AgentMemorySessionService

__all__ = ["AgentMemoryService", "AgentMemorySessionService"]

said_if_untested("google-adk", (2, 13), (2, 14))
