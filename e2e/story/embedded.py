"""The Driver without a cluster: the server and one sidecar per agent as processes, the policies rendered from
config/samples, everything in one temporary folder."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import programs
import wire
from driver import AGENTS, SAMPLES, Driver

AGENT = os.path.join(programs.ROOT, "e2e/clients/agent/agent.py")
MIB = 1024
SERVICE = """
apiVersion: v1
kind: Service
metadata: {name: agent-memory, namespace: agents}
spec: {ports: [{name: memory, port: 7437}]}
"""


class Embedded(Driver):
    policy_s = 20.0

    def __init__(self, keep=False):
        self.keep = keep
        self.folder = tempfile.mkdtemp(prefix="agent-memory-story-")
        self.server = programs.server(self.path("server"))
        self.sidecars = {}
        self.agent = None  # the process of the running turn
        self.idle_figures = []

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def up(self):
        self.server.start()
        # K43. Some 10 MiB are shared pages of files; on PostgreSQL those of libpq are among them.
        most = 32 if "--store" in self.server.arguments else 15
        self.idle_figures.append(("server, idle", *programs.resident(self.server.pid), most * MIB))
        for agent, name in AGENTS.items():
            programs.render(os.path.join(SAMPLES, name), self.path(agent), "http://" + self.server.api)
            self.sidecars[agent] = programs.sidecar(self.path(agent), self.path(agent, "policy.json")).start()
        for sidecar in self.sidecars.values():
            if not sidecar.ready():
                raise SystemExit(f"a sidecar did not get ready:\n{sidecar.tail()}")

    def memory_url(self):
        """The URL that the operator writes for the chart's Service, rendered without an override."""
        service = self.path("service.yaml")
        with open(service, "w", encoding="utf-8") as file:
            file.write(SERVICE)
        programs.render(os.path.join(SAMPLES, AGENTS["coder"]), self.path("as-rendered"), more=(service,))
        with open(self.path("as-rendered", "policy.json"), encoding="utf-8") as file:
            return json.load(file)["memory"]["url"]

    def turn(self, agent, conversation, prompt, tools="", marker="", end=False):
        argv = [sys.executable, AGENT, "turn", "--conversation", conversation, "--prompt", prompt,
                "--tools", tools, "--marker", marker] + (["--end"] if end else [])
        environment = {**os.environ, "AGENT_MEMORY_URL": "http://" + self.sidecars[agent].api}
        self.agent = subprocess.Popen(argv, env=environment, cwd=self.folder, stdout=subprocess.PIPE, text=True)
        out, _ = self.agent.communicate(timeout=600)
        if self.agent.returncode:
            raise SystemExit(f"the agent ended with {self.agent.returncode}")
        return [json.loads(line) for line in out.splitlines()]

    def ask(self, agent, method, path, body=None):
        return wire.ask(self.sidecars[agent].api, method, path, body)

    def ask_server(self, method, path, body=None):
        return wire.ask(self.server.api, method, path, body)

    def kill_all(self):
        """Kills amid a turn of the agent other, so that the state of the coder stays as recorded."""
        argv = [sys.executable, AGENT, "turn", "--conversation", "cut-off", "--prompt", "cut off", "--tools",
                "compile,crash"]
        environment = {**os.environ, "AGENT_MEMORY_URL": "http://" + self.sidecars["other"].api}
        with subprocess.Popen(argv, env=environment, cwd=self.folder, stdout=subprocess.PIPE) as agent:
            agent.stdout.readline()
            for program in [self.server, *self.sidecars.values()]:
                program.kill()
            agent.kill()

    def start_again(self):
        for program in [self.server, *self.sidecars.values()]:
            program.start()
            program.ready()

    def kill_sidecar(self, agent):
        self.sidecars[agent].kill()
        self.sidecars[agent].start().ready()

    def server_down(self):
        self.server.kill()

    def server_up(self):
        self.server.start()

    def change(self, agent, manifest):
        """Renders into another folder, then replaces the policy by a rename, like a ConfigMap volume."""
        changed = self.path("changed.yaml")
        with open(changed, "w", encoding="utf-8") as file:
            file.write(manifest)
        programs.render(changed, self.path("next"), "http://" + self.server.api)
        os.replace(self.path("next", "policy.json"), self.path(agent, "policy.json"))

    def incarnation(self, agent):
        return self.sidecars[agent].pid

    def figures(self):
        now = [("server, after the story", *programs.resident(self.server.pid), 32 * MIB)]
        now += [(f"sidecar of {agent}", *programs.resident(sidecar.pid), 20 * MIB)
                for agent, sidecar in self.sidecars.items()]
        return self.idle_figures + now

    def repeat(self):
        binaries = os.path.relpath(programs.bin_folder(), programs.ROOT)
        return [
            f"{binaries}/agent-memory-operator render -f config/samples/agent.yaml "
            "--memory-url http://127.0.0.1:7437 -o /tmp/coder",
            f"{binaries}/agent-memory-server --data-dir /tmp/memory --listen 127.0.0.1:7437 --admin 127.0.0.1:7438 &",
            f"{binaries}/agent-memory-sidecar --policy /tmp/coder/policy.json --data-dir /tmp/state "
            "--listen 127.0.0.1:7447 --admin 127.0.0.1:7448 &",
            "export AGENT_MEMORY_URL=http://127.0.0.1:7447",
            "e2e/clients/agent/agent.py turn --conversation one --prompt 'Why does main.c not compile?' --tools compile,crash",
            "e2e/clients/agent/agent.py turn --conversation two --prompt 'Does main.c compile now?'    # it remembers",
            "curl -s 'http://127.0.0.1:7437/search?q=main.c&project=coder'",
            "curl -s http://127.0.0.1:7447/conversations/current",
            "curl -s http://127.0.0.1:7447/v1/injections/two/1",
        ]

    def down(self):
        for program in [*self.sidecars.values(), self.server]:
            program.kill()
        if self.agent is not None and self.agent.poll() is None:
            self.agent.kill()
        if self.keep:
            print(f"kept: {self.folder}")
        else:
            shutil.rmtree(self.folder, ignore_errors=True)
