"""LangChain on agent memory: a retriever and a key-value store. Needs langchain-core (pip install agent-memory[langchain])."""
from ..adapters import said_if_untested
from .byte_store import AgentMemoryByteStore
from .retriever import AgentMemoryRetriever

__all__ = ["AgentMemoryByteStore", "AgentMemoryRetriever"]

said_if_untested("langchain-core", (1, 7), (1, 9))
