#!/usr/bin/env python3
"""Records docs/first-run.svg, the animation of the README: runs the commands of a first session in a temporary folder,
and draws their output as lines that appear one after the other.

    scripts/recording.py [FILE]      default: docs/first-run.svg; the programs are $AGENT_MEMORY_BIN or build/release/bin
"""
import html
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS, LINE_PX, CHARACTER_PX, MARGIN_PX = 100, 19, 8.43, 16
TYPED_S, OUTPUT_S, PAUSE_S = 0.9, 0.06, 1.4  # before an output, per line of it, and after it
STYLE = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d6deeb;white-space:pre;animation:on .01s both}
.said{fill:#7fdbca}.you{fill:#ecc48d}.note{fill:#7a8b99}
@keyframes on{from{opacity:0}to{opacity:1}}
@media (prefers-reduced-motion:reduce){text{animation:none}}
"""


class Recording:
    def __init__(self, folder, programs):
        self.folder, self.lines, self.at, self.answer = pathlib.Path(folder), [], 0.4, ""
        self.environment = {**os.environ, "HOME": folder, "NO_COLOR": "1", "COLUMNS": str(COLUMNS), "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": "",
                            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}

    def line(self, text, kind=""):
        self.lines.append((self.at, kind, text[:COLUMNS]))

    def note(self, text):
        self.at += PAUSE_S / 2
        self.line(text, "note")
        self.at += PAUSE_S / 2

    def run(self, *argv, shown=None, given=None, most=12):
        """Runs a command, and shows it with its output; it must succeed. → stdout"""
        self.line("$ " + (shown or " ".join(argv)), "you")
        self.at += TYPED_S
        done = subprocess.run(argv, cwd=self.folder / "shop", env=self.environment, input=given, capture_output=True, text=True,
                              timeout=60, check=False)
        if done.returncode:
            raise SystemExit(f"recording: {' '.join(argv)}: exit code {done.returncode}: {done.stderr.strip()}")
        text = (done.stdout + done.stderr).replace(str(self.folder), "~").rstrip()
        for line in text.split("\n")[:most]:
            self.line(line, "said")
            self.at += OUTPUT_S
        self.at += PAUSE_S
        return done.stdout

    def prompt(self, session, text):
        """Sends a prompt of an agent, and keeps the injected text in `answer`."""
        self.line("> " + text, "you")
        self.at += TYPED_S
        self.answer = self.hook("UserPromptSubmit", session, prompt=text)

    def says(self, session, text):
        """The agent answers, and its session ends."""
        for part in textwrap.wrap(text, COLUMNS - 2):
            self.line("  " + part, "said")
        self.at += PAUSE_S
        self.hook("Stop", session, last_assistant_message=text)
        self.hook("SessionEnd", session, reason="exit")

    def hook(self, event, session, **fields):
        """Runs the command that `setup` writes for an agent → the text for the model."""
        said = {"hook_event_name": event, "session_id": session, "cwd": str(self.folder / "shop"), **fields}
        done = subprocess.run(["agent-memory", "hook", event], input=json.dumps(said), cwd=self.folder / "shop", env=self.environment,
                              capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            raise SystemExit(f"recording: the hook: exit code {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout or "{}").get("hookSpecificOutput", {}).get("additionalContext", "")

    def told(self):
        for line in self.answer.rstrip().split("\n"):
            for part in textwrap.wrap(line, COLUMNS - 2) or [""]:
                self.line("  " + part, "said")
                self.at += OUTPUT_S

    def kill(self):
        """Kills all processes of `up` by SIGKILL."""
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                words = pathlib.Path("/proc", pid, "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.folder).encode() in words and b"agent-memory" in words:
                os.kill(int(pid), signal.SIGKILL)

    def svg(self):
        height = MARGIN_PX * 2 + LINE_PX * len(self.lines)
        width = MARGIN_PX * 2 + COLUMNS * CHARACTER_PX
        rows = [f'<text class="{kind}" x="{MARGIN_PX}" y="{MARGIN_PX + LINE_PX * (number + 0.75):.0f}" style="animation-delay:{at:.2f}s">'
                f"{html.escape(inert(text))}</text>" for number, (at, kind, text) in enumerate(self.lines)]
        return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" '
                f'xml:space="preserve" role="img"><title>A first session, as scripts/recording.py ran it</title><style>{STYLE}</style>'
                f'<rect width="100%" height="100%" rx="8" fill="#0b1622"/>\n' + "\n".join(rows) + "\n</svg>\n")


def inert(text):
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text).replace("\t", "    ")


def first_session(recording):
    """A cause that one agent found is given to another one, after all programs were killed. Both agents are played by the
    hook command that `setup` writes for them."""
    recording.run("agent-memory", "setup", "claude-code", most=2)
    recording.run("agent-memory", "setup", "codex", most=2)
    recording.note("# Monday, Claude Code in ~/shop:")
    recording.prompt("monday", "Why does checkout answer 500?")
    recording.says("monday", "Checkout answers 500 because orders.customer_id has no index: the query times out after 5 s.")
    recording.note("# the power goes; all programs are killed")
    recording.kill()
    recording.note("# Tuesday, Codex in ~/shop:")
    recording.prompt("tuesday", "Checkout is slow again. What was the cause last time?")
    recording.note("# Codex is handed, before it answers:")
    recording.told()


def main():
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/first-run.svg"
    programs = os.environ.get("AGENT_MEMORY_BIN", str(ROOT / "build/release/bin"))
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "shop/.git").mkdir(parents=True)
        recording = Recording(folder, programs)
        try:
            first_session(recording)
        finally:
            subprocess.run(["agent-memory", "down"], env=recording.environment, capture_output=True, timeout=60, check=False)
            recording.kill()
    target.write_text(recording.svg(), encoding="utf-8")
    print(f"recording: {target}, {len(recording.lines)} lines, {recording.at:.0f} s")


if __name__ == "__main__":
    main()
