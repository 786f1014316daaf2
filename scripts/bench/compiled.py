"""Compiles a small C++ program of this folder with the sources of the room that it measures."""
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# lib/base/json and what it needs: json.cc has the one instantiation of the JSON type.
BASE = ("text/text.cc", "text/characters.cc", "check.cc", "result.cc", "json/json.cc", "limits/byte_budget.cc")


def compiled(name, sources, folder, optimize="-O2"):
    """→ the path of the program `name`.cc in `folder`."""
    program = os.path.join(folder, name)
    subprocess.run(["c++", optimize, "-std=c++20", "-I", ROOT, os.path.join(HERE, name + ".cc"), *sources,
                    *(os.path.join(ROOT, "lib/base", path) for path in BASE), "-lutf8proc", "-o", program], check=True)
    return program
