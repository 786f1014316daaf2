"""A person reads and changes an agent's memory from outside the cluster: agent-memory through kubectl's port-forward,
with a ServiceAccount's token at the server, without a token at a sidecar, and as a plugin of kubectl."""
import json
import os
import subprocess
import tempfile

import programs
from on_cluster import NAMESPACE


def people(story):
    c, driver = story.checks, story.driver
    c.chapter("e2. A person looks and changes from a terminal: agent-memory and kubectl agent-memory")
    note, at_server = "people" + story.run, ("-n", NAMESPACE, "--service-account", "coder-agent")
    said = asked(driver, "add", *at_server, "--project", "coder", f"{note} deploys on Tuesdays")
    c.that(said and said.get("id"), "add: a memory at the server, by a token of coder-agent", said)
    rows = asked(driver, "search", *at_server, note) or []
    c.equal([row["id"] for row in rows], [said.get("id")], "search finds it there")
    rows = asked(driver, "search", "-n", NAMESPACE, "--target", "pod/coder-0", note) or []
    c.equal([row["id"] for row in rows], [said.get("id")], "and through the sidecar of coder-0, without a token")
    code, _, error = run(driver, [programs.binary("agent-memory")], "ls", "-n", NAMESPACE)
    c.that(code == 1 and "--service-account" in error, "without a token the server refuses, and the error names the flag", error)
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(programs.binary("agent-memory"), os.path.join(folder, "kubectl-agent_memory"))
        path = folder + os.pathsep + os.environ["PATH"]
        code, out, error = run(driver, ["kubectl", "agent-memory"], "show", str(said.get("id")), *at_server, PATH=path)
        c.that(code == 0 and note in out, "kubectl agent-memory show prints it", error or out)
    gone = asked(driver, "rm", "--hard", *at_server, str(said.get("id")))
    rows = asked(driver, "search", *at_server, note)
    c.equal(rows, [], f"rm --hard: it is gone ({gone})")


def run(driver, program, *arguments, **environment):
    """→ (exit code, stdout, stderr); kubectl's context is the story's."""
    context = driver.base[1:3]  # ["--context", name], or nothing: the current one
    done = subprocess.run([*program, *arguments, *context], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


def asked(driver, *arguments):
    """→ the answer as JSON; None after an error, which is printed."""
    code, out, error = run(driver, [programs.binary("agent-memory")], *arguments)
    if code:
        print(f"          agent-memory {' '.join(arguments)}: exit code {code}: {error.strip()}", flush=True)
        return None
    return json.loads(out) if out.strip() else {}
