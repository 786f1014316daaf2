"""`agent-memory mcp` as an MCP client starts it: a child of the client, one JSON message a line. Standard library only."""
import json
import subprocess

import programs

PROTOCOL = "2025-06-18"


class Tools:
    """The memory tools of the repository `cwd`. close() ends the program."""

    def __init__(self, cwd, environment):
        self.process = subprocess.Popen([programs.binary("agent-memory"), "mcp"], cwd=cwd, env=environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.asked = 0
        self.request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}})
        self.send({"method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        """→ the result, or the error, of the answer."""
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.asked:
                return answer.get("result", answer.get("error"))
        raise RuntimeError(f"agent-memory mcp ended without an answer to {method}")

    def call(self, tool, **arguments):
        """→ (text of the answer, whether the tool worked)."""
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        texts = [part.get("text", "") for part in answer.get("content", [])]
        return "\n".join(texts) or json.dumps(answer), bool(texts) and not answer.get("isError", False)

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
