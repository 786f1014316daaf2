"""LlamaIndex on agent memory: a chat store and a memory block for its Memory. Needs llama-index-core
(pip install agent-memory[llama-index])."""
from ..adapters import said_if_untested
from .block import AgentMemoryBlock
from .chat_store import AgentMemoryChatStore

__all__ = ["AgentMemoryBlock", "AgentMemoryChatStore"]

said_if_untested("llama-index-core", (0, 14), (0, 15))
