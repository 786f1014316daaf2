"""Pydantic AI on agent memory: a store of conversations, and memories as instructions. Needs pydantic-ai-slim
(pip install agent-memory[pydantic-ai])."""
from ..adapters import said_if_untested
from .recall import AgentMemoryRecall
from .store import AgentMemoryConversationStore

__all__ = ["AgentMemoryConversationStore", "AgentMemoryRecall"]

said_if_untested("pydantic-ai-slim", (2, 68), (2, 69))
