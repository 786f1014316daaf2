#!/usr/bin/env python3
"""The web console in a real browser (Debian's chromium-headless-shell) against the real server: stories of what people do,
hostile texts, accessibility, times; and that console/dist and its table of routes are what the sources make. playwright-core,
axe-core and the console's own packages come from npm in locked versions; without a registry or a browser it is skipped.

    console_test.py [--only WORDS] [--screenshots FOLDER]   the server from build/release/bin or $AGENT_MEMORY_BIN

The last line is 'N passed, M failed, K skipped'."""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CONSOLE = os.path.join(ROOT, "console")
NODE_WANTED = 20  # of playwright-core
INSTALL_S, STORIES_S = 900, 1500


def skipped(why):
    print(f"skipped: {why}\n0 passed, 0 failed, 1 skipped")
    return 0


def node_version():
    done = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False) if shutil.which("node") else None
    return int(done.stdout[1:].split(".")[0]) if done and done.stdout.startswith("v") else 0


def packages(folder):
    """→ (a folder outside the repository with the packages of a lockfile, None), or (None, the reason that it has none)."""
    with open(os.path.join(folder, "package-lock.json"), "rb") as file:
        mark = hashlib.sha256(file.read()).hexdigest()[:12]
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    place = os.path.join(cache, "agent-memory", "npm-" + mark)
    if not os.path.exists(os.path.join(place, "installed")):
        os.makedirs(place, exist_ok=True)
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(os.path.join(folder, name), place)
        done = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"], cwd=place, capture_output=True, text=True, timeout=INSTALL_S, check=False)
        if done.returncode:
            return None, f"npm ci failed: {done.stderr.strip()[-200:]} (is the registry in reach?)"
        open(os.path.join(place, "installed"), "w", encoding="utf-8").close()
    return place, None


def beside(place, folder, names):
    """Copies sources beside their packages: Node resolves modules from the script's own folder."""
    for name in names:
        target = os.path.join(place, name)
        if os.path.isdir(target):
            shutil.rmtree(target)
        (shutil.copytree if os.path.isdir(os.path.join(folder, name)) else shutil.copy)(os.path.join(folder, name), target)


def checked(argv, place, text):
    done = subprocess.run(argv, cwd=place, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    print(f"     {'FAIL' if done.returncode else 'ok  '} {text}: {(done.stdout + done.stderr).strip()[-500:]}", flush=True)
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", help="stories whose name has these words")
    parser.add_argument("--bars", action="store_true", help="times must hold, too: on an idle machine")
    parser.add_argument("--screenshots", default="", help="a folder for the pictures of docs/console.md")
    options = parser.parse_args()
    if shutil.which("chromium-headless-shell") is None:
        done = subprocess.run([os.path.join(ROOT, "scripts/deps"), "console"], capture_output=True, text=True, check=False)
        if done.returncode:
            return skipped(done.stderr.strip().split("\n")[-1])
    if node_version() < NODE_WANTED:
        return skipped(f"Node {NODE_WANTED} or newer is not installed")
    built, why = packages(CONSOLE)
    driven, why = packages(HERE) if built else (None, why)
    if not driven:
        return skipped(why)
    environment = {"AGENT_MEMORY_BIN": os.path.join(ROOT, "build/release/bin"), **os.environ}
    os.environ.update(environment)
    beside(built, CONSOLE, ["build.mjs", "generate.mjs", "src", "dist"])
    passed = [checked(["node", "build.mjs", "--check"], built, "dist/ is what the sources make, within its limit"),
              checked(["node", "generate.mjs", "--check"], built, "the table of routes is that of the server")]
    beside(driven, HERE, [name for name in os.listdir(HERE) if name.endswith(".mjs")])
    argv = ["node", "run.mjs", "--only", options.only, "--screenshots", os.path.abspath(options.screenshots) if options.screenshots else "", *(["--bars"] if options.bars else [])]
    done = subprocess.run(argv, cwd=driven, stdout=subprocess.PIPE, text=True, timeout=STORIES_S, check=False)
    print(done.stdout, flush=True)
    match = re.search(r"(\d+) passed, (\d+) failed\s*$", done.stdout)
    good, bad = (int(match[1]), int(match[2])) if match else (0, 1)
    good, bad = good + sum(passed), bad + len(passed) - sum(passed)
    print(f"{good} passed, {bad} failed")
    return 1 if bad or not match else 0


if __name__ == "__main__":
    sys.exit(main())
