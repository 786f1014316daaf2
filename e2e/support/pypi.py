"""A Python with pinned packages of PyPI, cached between runs of the tests."""
import os
import subprocess
import sys

INSTALL_S = 1800


def folder_of(checks, name, pins):
    """→ the bin folder of a virtual environment with these packages; None, and a failed check, without one."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.path.join(cache, "agent-memory", name + "-" + "-".join(pin.split("==")[1] for pin in pins))
    mark = os.path.join(folder, "installed")
    if os.path.exists(mark):
        return os.path.join(folder, "bin")
    for argv in ([sys.executable, "-m", "venv", folder], [os.path.join(folder, "bin/pip"), "install", "--quiet", *pins]):
        done = subprocess.run(argv, capture_output=True, text=True, timeout=INSTALL_S, check=False)
        if not checks.that(done.returncode == 0, f"{' '.join(argv[1:3])} of {', '.join(pins)}", done.stderr[-400:]):
            return None
    with open(mark, "w", encoding="utf-8"):
        return os.path.join(folder, "bin")
