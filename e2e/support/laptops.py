"""A user's home with repositories, where memory runs as on a laptop: for the tests of `agent-memory` and the bench of days."""
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile

import programs
import wire

COMMAND_S = 300
# Stands for a program of memory beside `agent-memory`, which gives its children no settings by the environment.
PATIENT = """#!/bin/sh
case "$1" in --*) export {settings} ;; esac
exec "{program}" "$@"
"""


def read(path):
    """→ the bytes of the file; none if it is gone."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""


class Laptop:
    """A user's home, with repositories."""

    def __init__(self):
        self.folder = os.path.realpath(tempfile.mkdtemp(prefix="agent-memory-laptop-"))
        self.home = os.path.join(self.folder, "home")
        self.program = self.patient(os.path.join(self.folder, "programs"))
        self.store = os.path.join(self.home, ".local/share/agent-memory")
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.home, "LSAN_OPTIONS": os.environ.get("LSAN_OPTIONS", "")}
        self.started = []
        os.makedirs(self.home)

    @staticmethod
    def patient(folder):
        """Makes a folder with `agent-memory`, whose sidecars and server have programs.PATIENT → its path."""
        os.makedirs(folder)
        for name, settings in programs.PATIENT.items():
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(PATIENT.format(settings=" ".join(f"{key}={value}" for key, value in settings.items()),
                                          program=os.path.abspath(programs.binary(name))))
            os.chmod(path, 0o755)
        return shutil.copy(programs.binary("agent-memory"), folder)

    def repository(self, name):
        path = os.path.join(self.home, "src", name)
        os.makedirs(os.path.join(path, ".git"))
        return path

    def run(self, *words, cwd=None, stdin="", more=None):
        """→ the outcome. A command that says how far it is may take its time; one that is silent for COMMAND_S is killed."""
        with tempfile.TemporaryFile("w+") as given, tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
            given.write(stdin)
            given.seek(0)
            process = subprocess.Popen([self.program, *words], cwd=cwd or self.home, env={**self.environment, **(more or {})},
                                       stdin=given, stdout=out, stderr=err)
            before, said = -1, 0
            while process.poll() is None and said != before:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(COMMAND_S)
                before, said = said, os.fstat(out.fileno()).st_size + os.fstat(err.fileno()).st_size
            late = ""
            if process.poll() is None:
                process.kill()
                late = f"was silent for {COMMAND_S} s\n"
            process.wait()
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(words, process.returncode, out.read(), err.read() + late)

    def up(self, *words, cwd=None):
        """Starts memory in the foreground → (process, its lines until memory is up)."""
        process = subprocess.Popen([self.program, "up", *words], cwd=cwd or self.home, text=True, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.started.append(process)
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.startswith("memory is up"):
                break
        return process, "".join(lines)

    def status(self):
        done = self.run("status")
        if not done.stdout:
            print(f"status: exit code {done.returncode}: {done.stderr.strip()}", flush=True)
        return json.loads(done.stdout or "{}")

    def children(self, program=""):
        """Lists the processes that have the path of the store in their arguments and whose program's path ends so. One that ends
        meanwhile is none."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as file:
                    ours = self.store.encode() in file.read()
                if ours and os.readlink(f"/proc/{pid}/exe").endswith(program):
                    found.append(int(pid))
            except OSError:
                pass
        return found

    def nothing_runs(self):
        return wire.until(lambda: not self.children(), 60)

    def kill_all(self):
        """SIGKILL to all programs; one that ended with its supervisor is none."""
        for pid in self.children():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def clean(self):
        self.run("down")
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)
