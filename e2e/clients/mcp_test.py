#!/usr/bin/env python3
"""The MCP server with independent clients: the official ones for TypeScript and Python and the official conformance
runner against the real sidecar and memory server, and refused requests (row D14). The clients come from npm and PyPI
in the exact versions of e2e/clients/mcp, into a cache folder; without the registries they are skipped.

    python3 e2e/clients/mcp_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import hashlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
import wire  # noqa: E402

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mcp")
STEPS = os.path.join(HERE, "steps.json")
INSTALL_S, CLIENT_S = 1800, 900
NODE_WANTED = 22  # the conformance runner requires it
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
# The runner's scenarios for a server that has only tools, by revision. The others need prompts, resources,
# sampling, or the runner's own tools (test_simple_text, …).
SCENARIOS = {
    "2025-03-26": ["server-initialize", "ping", "tools-list", "server-sse-multiple-streams"],
    "2025-06-18": ["server-initialize", "ping", "tools-list", "server-sse-multiple-streams"],
    "2025-11-25": ["server-initialize", "ping", "tools-list", "dns-rebinding-protection", "server-sse-multiple-streams",
                   "server-session-lifecycle"],
    "2026-07-28": ["server-stateless", "tools-list", "dns-rebinding-protection", "http-header-validation", "caching",
                   "server-sse-multiple-streams"],
}
# Checks in these scenarios that need such fixtures: they must fail, or this list is out of date.
NEED_FIXTURES = {
    "sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel",
    "sep-2549-prompts-list-caching-hints", "sep-2549-resources-list-caching-hints",
    "sep-2549-resources-templates-list-caching-hints"}


class Counts:
    def __init__(self):
        self.passed, self.failed, self.skipped = 0, 0, 0

    def check(self, what, ok, why=""):
        self.passed, self.failed = self.passed + bool(ok), self.failed + (not ok)
        if not ok:
            print(f"FAILED {what}: {str(why)[:600]}", flush=True)
        return bool(ok)

    def skip(self, what, why):
        self.skipped += 1
        print(f"skipped {what}: {why}", flush=True)


class Clients:
    """The installed clients, in a folder named by a hash of the pinned versions."""

    def __init__(self):
        pins = hashlib.sha256()
        for name in ("package.json", "requirements.txt"):
            with open(os.path.join(HERE, name), "rb") as file:
                pins.update(file.read())
        cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        self.folder = os.path.join(cache, "agent-memory", "mcp-clients-" + pins.hexdigest()[:12])
        os.makedirs(self.folder, exist_ok=True)

    def install(self, what, *commands):
        """→ None if it is installed, else the reason."""
        mark = os.path.join(self.folder, what + ".installed")
        if os.path.exists(mark):
            return None
        for argv in commands:
            if shutil.which(argv[0]) is None:
                return f"{argv[0]} is not installed (scripts/deps build)"
            try:
                done = subprocess.run(argv, cwd=self.folder, capture_output=True, text=True, timeout=INSTALL_S, check=False)
            except subprocess.TimeoutExpired:
                return f"{' '.join(argv[:3])} took more than {INSTALL_S} s"
            if done.returncode:
                lines = (done.stderr or done.stdout).strip().split("\n")
                return f"{' '.join(argv[:3])} failed: {lines[-1][:200]} (is the registry in reach?)"
        with open(mark, "w", encoding="utf-8"):
            return None

    def typescript(self):
        shutil.copy(os.path.join(HERE, "package.json"), self.folder)
        why = self.install("npm", ["npm", "install", "--no-audit", "--no-fund", "--loglevel=error"])
        # Node resolves modules from the script's own folder.
        shutil.copy(os.path.join(HERE, "typescript_client.mjs"), self.folder)
        return why

    def python(self):
        return self.install("pip", ["python3", "-m", "venv", "venv"],
                            [os.path.join(self.folder, "venv/bin/pip"), "install", "--quiet", "-r", os.path.join(HERE, "requirements.txt")])

    def node(self):
        """→ the machine's Node if it is new enough, else the Node that was installed with the clients."""
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
        if version.startswith("v") and int(version[1:].split(".")[0]) >= NODE_WANTED:
            return "node"
        return os.path.join(self.folder, "node_modules/node/bin/node")


class World:
    """A memory server, and a sidecar whose own address is an allowed origin."""

    def __init__(self, folder):
        self.server = programs.server(folder).start()
        policy = os.path.join(folder, "policy.json")
        with open(policy, "w", encoding="utf-8") as file:
            json.dump({"version": 1, "agent": "coder", "namespace": "agents",
                       "memory": {"url": "http://" + self.server.api, "project": "coder"}}, file)
        self.sidecar = programs.sidecar(folder, policy).start()
        self.sidecar.stop()
        self.origin = "http://" + self.sidecar.api
        self.sidecar.arguments += ["--allowed-origins", self.origin]
        self.sidecar.start()
        if not self.sidecar.ready():
            raise SystemExit("the sidecar is not ready:\n" + self.sidecar.tail())
        for event in ({"hook_event_name": "UserPromptSubmit", "prompt": "What did we decide?"},
                      {"hook_event_name": "Stop", "last_assistant_message": "WAL mode."}):
            wire.ask(self.sidecar.api, "POST", "/v1/hooks", {**event, "session_id": "conv-1"})

    @property
    def url(self):
        return f"http://{self.sidecar.api}/mcp"

    def pipe(self):
        return [os.path.abspath(programs.binary("agent-memory-sidecar")), "mcp", "--stdio", "--url", "http://" + self.sidecar.api]

    def stop(self):
        self.sidecar.stop()
        self.server.stop()


def run(counts, name, argv, folder):
    """→ the completed process; None, and a failed check, after CLIENT_S seconds."""
    try:
        return subprocess.run(argv, cwd=folder, capture_output=True, text=True, timeout=CLIENT_S, check=False)
    except subprocess.TimeoutExpired:
        counts.check(name, False, f"took more than {CLIENT_S} s")
        return None


def run_client(counts, name, argv, folder):
    done = run(counts, name, argv, folder)
    if done is None:
        return
    passed = 0
    for line in done.stdout.splitlines():
        said = json.loads(line)
        passed += counts.check(f"{name}: {said['check']}", said["ok"], said["why"])
    counts.check(f"{name} ends well", done.returncode == 0, done.stderr[-600:])
    print(f"{name}: {passed} checks passed", flush=True)


def catalogue(counts, world):
    """The text after a compaction names a block to the model by the number that recall takes."""
    status, answer = wire.ask(world.sidecar.api, "POST", "/v1/hooks",
                              {"hook_event_name": "SessionStart", "source": "compact", "session_id": "conv-1"})[:2]
    text = json.dumps(answer, ensure_ascii=False)
    counts.check("a compacted transcript is told of its block",
                 status == 200 and '#0: What did we decide? → \\"WAL mode.\\" (~' in text and "recall with {" in text, text)


def official_clients(counts, clients, world):
    ways = (("http", [world.url]), ("stdio", world.pipe()))
    why = clients.typescript()
    for revision, (way, target) in itertools.product(list(SCENARIOS)[1:], ways):  # the client asks for no older one
        name = f"typescript {revision} {way}"
        if why:
            counts.skip(name, why)
        else:
            run_client(counts, name, [clients.node(), os.path.join(clients.folder, "typescript_client.mjs"), STEPS,
                                      f"ts{revision[:4]}{revision[5:7]}{way}", revision, *target], clients.folder)
    why = clients.python()
    for mode, (way, target) in itertools.product(("legacy", "2026-07-28", "auto"), ways):
        name = f"python {mode} {way}"
        if why:
            counts.skip(name, why)
        else:
            run_client(counts, name, [os.path.join(clients.folder, "venv/bin/python"), os.path.join(HERE, "python_client.py"),
                                      STEPS, f"py{mode[:6]}{way}".replace("-", ""), mode, *target], clients.folder)


def conformance(counts, clients, world, folder):
    why = clients.typescript()
    runner = os.path.join(clients.folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
    for revision, scenarios in SCENARIOS.items():
        totals = {"SUCCESS": 0, "FAILURE": 0, "WARNING": 0, "SKIPPED": 0, "INFO": 0, "fixture": 0}
        for scenario in scenarios:
            name = f"conformance {revision} {scenario}"
            if why:
                counts.skip(name, why)
                continue
            out = os.path.join(folder, "results", revision, scenario)
            done = run(counts, name, [clients.node(), runner, "server", "--url", world.url, "--scenario", scenario,
                                      "--spec-version", revision, "--force", "-o", out], folder)
            if done is not None:
                judge(counts, name, out, totals, done)
        if not why:
            print(f"conformance {revision}: {totals['SUCCESS']} checks passed, {totals['FAILURE']} failed, "
                  f"{totals['WARNING']} warnings, {totals['SKIPPED'] + totals['INFO']} skipped, {totals['fixture']} need "
                  "prompts, resources or the runner's own tools", flush=True)


def judge(counts, name, out, totals, done):
    found = [os.path.join(root, file) for root, _, files in os.walk(out) for file in files if file == "checks.json"]
    if not counts.check(f"{name} gives results", found, done.stdout[-300:] + done.stderr[-300:]):
        return
    with open(found[0], encoding="utf-8") as file:
        checks = json.load(file)
    for check in checks:
        status, why = check["status"], str(check.get("errorMessage", ""))
        if check["id"] in NEED_FIXTURES:
            totals["fixture"] += 1
            counts.check(f"{name}: {check['id']} needs a fixture", status != "SUCCESS", "it passed: take it off the list")
            continue
        totals[status] = totals.get(status, 0) + 1
        if status in ("SUCCESS", "FAILURE", "WARNING"):
            counts.check(f"{name}: {check['id']}", status == "SUCCESS", why)


def stateless(address, method, params=None, headers=None):
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**(params or {}), "_meta": META}}
    head = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Accept": "application/json, text/event-stream"}
    return wire.ask(address, "POST", "/mcp", body, {**head, **(headers or {})})


def hosts_and_origins(counts, world):
    """200 pairs: only the sidecar's own names as Host pass, without an Origin or with an allowed one."""
    address, port = world.sidecar.api, world.sidecar.api.split(":")[1]
    ours = [f"127.0.0.1:{port}", "127.0.0.1", f"localhost:{port}", "LOCALHOST", f"[::1]:{port}"]
    foreign = ["evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.1:",
               "127.0.0.1:99999x", "127.0.0.2", "0.0.0.0", "[::]", "169.254.169.254", "localhost@evil.example",
               "evil.example#localhost", "10.0.0.1", "localhos", "[::ffff:127.0.0.1]"]
    origins = [None, world.origin, "http://evil.example", "null", "http://localhost", f"https://{address}",
               world.origin + ".evil.example", world.origin + "/", "file://", world.origin.upper()]
    for host, origin in itertools.product(ours + foreign, origins):
        headers = {"Host": host, **({"Origin": origin} if origin else {})}
        wanted = {421} if host in foreign else {200} if origin in (None, world.origin) else {403}
        status, answer = stateless(address, "server/discover", headers=headers)
        # A malformed Host gets 400 before its name is checked.
        wanted |= {400} if host in foreign else set()
        counts.check(f"Host {host!r}, Origin {origin!r}", status in wanted, f"{status} {answer}")


def refusals(counts, world):
    """The rest of D14, on the wire: sessions, headers against bodies, arrays, repeated keys, revisions."""
    address = world.sidecar.api

    def raw(body, headers=None):
        import http.client
        connection = http.client.HTTPConnection(address, timeout=60)
        connection.request("POST", "/mcp", body, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        found = answer.status, wire.decode(answer.read()), answer.headers.get("Mcp-Session-Id")
        connection.close()
        return found

    def code(answer):
        return answer.get("error", {}).get("code") if isinstance(answer, dict) else None

    listing = '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}'
    for foreign in ("0" * 64, "a", "../x", "%00"):
        counts.check(f"foreign session {foreign}", raw(listing, {"Mcp-Session-Id": foreign})[0] == 404)
    counts.check("no session", raw(listing)[0] == 400)
    for revision in ("2025-03-26", "2025-06-18", "2025-11-25"):
        begin = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        status, answer, session = raw(begin)
        counts.check(f"initialize {revision}", status == 200 and answer["result"]["protocolVersion"] == revision, answer)
        counts.check(f"session of {revision} is long", session and len(session) >= 32, session)
        good = {"Mcp-Session-Id": session or "", "MCP-Protocol-Version": revision}
        counts.check(f"list in {revision}", raw(listing, good)[0] == 200)
        for body in ("[]", f"[{listing}]", f"[{listing},{listing}]", listing.replace('"id":1', '"id":1,"id":2'),
                     listing.replace('"params":{}', '"params":{"cursor":"a","cursor":"b"}'),
                     listing.replace('"method"', '"method":"ping","method"'), "{", "nul", listing + listing):
            status, answer, _ = raw(body, good)
            if revision == "2025-03-26" and body.startswith("[{"):
                counts.check(f"{revision} takes {body}", status == 200 and len(answer) == body.count('"jsonrpc"'), answer)
                continue
            counts.check(f"{revision} refuses {body}", status == 400 and code(answer) in (-32700, -32600), answer)
        for other in ("2024-11-05", "1.0", "2026-13-01"):
            counts.check(f"{revision} session as {other}", raw(listing, {**good, "MCP-Protocol-Version": other})[0] == 400)
    call = {"name": "mem_get", "arguments": {"id": 1}}
    for headers in ({"Mcp-Name": "mem_delete"}, {"Mcp-Name": ""}, {"Mcp-Name": "MEM_GET"}, {"Mcp-Name": "=?base64?bWVt?="},
                    {"Mcp-Name": "mem_get", "Mcp-Method": "tools/list"}, {"Mcp-Name": "mem_get", "Mcp-Method": ""},
                    {"Mcp-Name": "mem_get", "MCP-Protocol-Version": "2025-11-25"}, {}):
        status, answer = stateless(address, "tools/call", call, headers)
        counts.check(f"headers {headers} for mem_get", status == 400 and code(answer) == -32020, answer)
    counts.check("encoded name", stateless(address, "tools/call", call, {"Mcp-Name": "=?base64?bWVtX2dldA==?="})[0] == 200)
    counts.check("unknown method", stateless(address, "initialize")[0] == 404)


def main():
    folder = tempfile.mkdtemp(prefix="agent-memory-mcp-")
    counts, clients = Counts(), Clients()
    world = World(folder)
    try:
        hosts_and_origins(counts, world)
        refusals(counts, world)
        catalogue(counts, world)
        official_clients(counts, clients, world)
        conformance(counts, clients, world, folder)
        counts.check("the sidecar lives", world.sidecar.running, world.sidecar.tail())
    finally:
        world.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{counts.passed} passed, {counts.failed} failed" + (f", {counts.skipped} skipped" if counts.skipped else ""))
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
