"""CrewAI on agent memory: a storage for its Memory. Needs crewai (pip install agent-memory[crewai])."""
from ..adapters import said_if_untested
from .storage import AgentMemoryStorage

__all__ = ["AgentMemoryStorage"]

said_if_untested("crewai", (1, 15), (1, 16))
