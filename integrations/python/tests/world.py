"""The real programs for tests: started as the project's end-to-end tests start them."""
from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(REPOSITORY / "e2e/support")]

import programs  # noqa: E402


def a_server(folder: Path) -> Any:
    return programs.server(str(folder / "server")).start()


def a_sidecar(folder: Path, server: Any) -> Any:
    policy = folder / "policy.json"
    policy.write_text(json.dumps({
        "version": 1, "agent": "coder",
        "memory": {"url": "http://" + server.api, "project": "billing", "contextLimit": 5, "rememberPrompts": True,
                   "allowAdmin": True},
        "toolHooks": {"memorySaveRules": [{"tool": "bash", "matchOutput": "error", "type": "bugfix"}],
                      "blockedCommands": ["rm -rf"]}}), encoding="utf-8")
    program = programs.sidecar(str(folder / "sidecar"), str(policy)).start()
    program.ready()
    return program
