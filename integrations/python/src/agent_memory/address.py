"""Where memory is: the address that a client uses unless it is given one."""
from __future__ import annotations

import os
import shutil
import subprocess

from .errors import Unreachable

START_S = 60


def address(given: str | None = None) -> str:
    """`given`, else AGENT_MEMORY_URL, else what `agent-memory url` prints, which starts memory on this machine."""
    url = given or os.environ.get("AGENT_MEMORY_URL") or from_program()
    return (url if "//" in url else "http://" + url).rstrip("/")


def from_program() -> str:
    program = shutil.which("agent-memory")
    if not program:
        raise Unreachable("no address of memory", remedy="give url=, set AGENT_MEMORY_URL, or install the program agent-memory")
    done = subprocess.run([program, "url"], capture_output=True, text=True, timeout=START_S, check=False)
    if done.returncode:
        raise Unreachable(f"agent-memory url: {done.stderr.strip()}", remedy="run agent-memory doctor")
    return done.stdout.strip()
