"""What the story needs of the place where it plays. Two places have it: embedded.py (processes) and
on_cluster.py (pods). The chapters know only this."""
import os

from programs import ROOT

SAMPLES = os.path.join(ROOT, "config/samples")
AGENTS = {"coder": "agent.yaml", "quiet": "agent-quiet.yaml", "other": "agent-other.yaml"}
PROJECT = "coder"


def sample(agent):
    with open(os.path.join(SAMPLES, AGENTS[agent]), encoding="utf-8") as file:
        return file.read()


class Driver:
    policy_s = 2.0  # how long a changed policy may take until it is in force

    def up(self):
        """Starts server, and each agent with its sidecar, from config/samples."""
        raise NotImplementedError

    def memory_url(self):
        """→ the URL that the coder's serverRef was resolved to."""
        raise NotImplementedError

    def turn(self, agent, conversation, prompt, tools="", marker="", end=False):
        """One turn of the sample agent → the lines that it printed: event, status, sent, answer."""
        raise NotImplementedError

    def ask(self, agent, method, path, body=None):
        """A request to the agent's sidecar, as the agent would → (status, JSON)."""
        raise NotImplementedError

    def ask_server(self, method, path, body=None):
        raise NotImplementedError

    def kill_all(self):
        """SIGKILL of every agent, sidecar and server; returns when they are gone."""
        raise NotImplementedError

    def start_again(self):
        """Everything runs and is ready again, on the same volumes."""
        raise NotImplementedError

    def kill_sidecar(self, agent):
        """SIGKILL of one sidecar; returns when it serves again."""
        raise NotImplementedError

    def server_down(self):
        raise NotImplementedError

    def server_up(self):
        raise NotImplementedError

    def change(self, agent, manifest):
        """A changed manifest is given; the policy follows by itself."""
        raise NotImplementedError

    def incarnation(self, agent):
        """What changes when the agent's sidecar is restarted."""
        raise NotImplementedError

    def figures(self):
        """→ [(program, RSS KiB, RssAnon KiB, limit KiB or 0)]: rulings K43."""
        raise NotImplementedError

    def repeat(self):
        """→ commands with which a person can ask what the story asked."""
        raise NotImplementedError

    def down(self):
        """Leaves nothing running. Safe at any point."""
        raise NotImplementedError
