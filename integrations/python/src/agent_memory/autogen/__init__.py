"""AutoGen on agent memory: a Memory for its agents. Needs autogen-core (pip install agent-memory[autogen])."""
from ..adapters import said_if_untested
from .memory import AgentMemory, AgentMemoryConfig

__all__ = ["AgentMemory", "AgentMemoryConfig"]

said_if_untested("autogen-core", (0, 7), (0, 8))
