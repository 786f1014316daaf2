"""The interface between the chapters and the place where the story runs, which embedded.py (processes) and
on_cluster.py (pods) implement."""
import os

from programs import ROOT

SAMPLES = os.path.join(ROOT, "config/samples")
AGENTS = {"coder": "agent.yaml", "quiet": "agent-quiet.yaml", "other": "agent-other.yaml"}
PROJECT = "coder"


def sample(agent):
    with open(os.path.join(SAMPLES, AGENTS[agent]), encoding="utf-8") as file:
        return file.read()


class Driver:
    policy_s = 20.0  # limit until a changed policy is in force

    def up(self):
        """Starts the server, and each agent with its sidecar, from config/samples."""
        raise NotImplementedError

    def memory_url(self):
        """→ the resolved URL of the coder's serverRef."""
        raise NotImplementedError

    def turn(self, agent, conversation, prompt, tools="", marker="", end=False):
        """Runs one turn of the sample agent → its printed lines: event, status, sent, answer."""
        raise NotImplementedError

    def ask(self, agent, method, path, body=None):
        """Sends a request to the agent's sidecar, as its agent → (status, JSON)."""
        raise NotImplementedError

    def ask_server(self, method, path, body=None):
        raise NotImplementedError

    def kill_all(self):
        """Kills every agent, sidecar and server by SIGKILL; returns after their end."""
        raise NotImplementedError

    def start_again(self):
        """Starts everything again on the same volumes; returns when all of it is ready."""
        raise NotImplementedError

    def kill_sidecar(self, agent):
        """Kills one sidecar by SIGKILL; returns when it serves again."""
        raise NotImplementedError

    def server_down(self):
        raise NotImplementedError

    def server_up(self):
        raise NotImplementedError

    def change(self, agent, manifest):
        """Applies a changed manifest; the policy follows without another call."""
        raise NotImplementedError

    def incarnation(self, agent):
        """→ a value that changes with each restart of the agent's sidecar."""
        raise NotImplementedError

    def figures(self):
        """→ [(program, RSS KiB, RssAnon KiB, limit of RSS in KiB or 0)] (K43)."""
        raise NotImplementedError

    def repeat(self):
        """→ shell commands with which a person can repeat the story's questions."""
        raise NotImplementedError

    def down(self):
        """Stops everything. Safe at any time."""
        raise NotImplementedError
