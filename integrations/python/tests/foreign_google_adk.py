"""The tests of adk-database-memory, a memory service for ADK, on ours. The last line is 'N passed, M failed'."""
from __future__ import annotations

import sys
from pathlib import Path

import published

OWN_ENGINE = (
    "test_extract_keywords",  # a private method
    "test_invalid_db_url",
    "test_search_memory_only_stop_words",  # a query of words that this engine ignores finds nothing
)

if __name__ == "__main__":
    tests = published.source("adk_database_memory") / "tests/test_database_memory_service.py"
    sys.exit(published.run({tests: "test_memory.py", Path(__file__).parent / "in_place_of/adk_database_memory.py": "adk_database_memory.py"},
                           "test_memory.py", OWN_ENGINE))
