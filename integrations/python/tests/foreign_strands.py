"""The tests of Strands' repository session manager on our repository. The last line is 'N passed, M failed'."""
from __future__ import annotations

import sys
from pathlib import Path

import published

if __name__ == "__main__":
    package = published.source("strands_agents") / "tests"
    copied = {package / name: f"tests/{name}" for name in ("__init__.py", "fixtures/mocked_model_provider.py")}
    copied[package / "strands/session/test_repository_session_manager.py"] = "tests/test_sessions.py"
    copied[Path(__file__).parent / "in_place_of/mock_session_repository.py"] = "tests/fixtures/mock_session_repository.py"
    sys.exit(published.run(copied, "tests/test_sessions.py"))
