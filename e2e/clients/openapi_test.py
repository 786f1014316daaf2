#!/usr/bin/env python3
"""schemathesis sends requests that it makes of the server's OpenAPI document, valid and invalid ones, to a real server. No
answer is a fault of the server, and none has a status, a type or a field that the document does not have.

    openapi_test.py [--seconds N] [--seed N]    the server from build/release/bin or $AGENT_MEMORY_BIN; schemathesis from PyPI

The last line is 'N passed, M failed'."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
import pypi  # noqa: E402
import routes  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

PINS = ("schemathesis==4.32.5",)
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance"
EXAMPLES = 25  # of each operation and phase
# The server answers 501 to TRACE, as RFC 9110 asks.
SETTINGS = 'phases.coverage.unexpected-methods = ["GET", "PUT", "POST", "DELETE", "OPTIONS", "PATCH"]\n'


def strict(document):
    """The document for this version of the server: an answer has no field beside those of its shape."""
    for shape in document["components"]["schemas"].values():
        shape.setdefault("additionalProperties", False)
    return document


def examples(checks, server):
    """The request of each route's examples gets an answer that the document has."""
    rows = {"$project": "billing", "$session": "s1", "$conversation": "c1", "$agent": "coder", "$word": "storage", "$run": "r1", "$turn": "t1"}
    served = routes.operations()
    for name in ("begin_session", "save_observation", "add_trace", "put_item", "append_messages", "begin_block", "save_checkpoint", "put_shared"):
        status, answer = wire.ask(server.api, *routes.request(served[name], rows))
        checks.that(status in (200, 201), f"{name}: its example succeeds", (status, answer))
        rows["$observation"] = answer.get("id", rows.get("$observation", 0)) if name == "save_observation" else rows.get("$observation", 0)
        rows["$trace"] = answer["traceId"] if name == "add_trace" else rows.get("$trace", "")
    wrong = []
    for name, operation in served.items():
        status, answer = wire.ask(server.api, *routes.request(operation, {**rows, "$other": rows["$trace"]}))
        if str(status) not in operation[2]["responses"]:
            wrong.append((name, status, answer))
    checks.equal(wrong, [], f"the examples of all {len(served)} routes get a status of the document")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=90)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    options = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory(prefix="agent-memory-openapi-") as folder:
        server = programs.server(folder).start()
        try:
            document = routes.document()
            checks.equal(wire.ask(server.api, "GET", "/openapi.json"), (200, document), "the server answers the document that the command prints")
            examples(checks, server)
            path = os.path.join(folder, "openapi.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(strict(document), file)
            with open(os.path.join(folder, "schemathesis.toml"), "w", encoding="utf-8") as file:
                file.write(SETTINGS)
            installed = pypi.folder_of(checks, "schemathesis", PINS)
            if installed:
                done = subprocess.run(
                    [os.path.join(installed, "schemathesis"), "run", path, "--url", "http://" + server.api, "--checks", CHECKS,
                     "--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES), "--max-time", str(options.seconds),
                     "--seed", str(options.seed), "--no-shrink", "--continue-on-failure", "--warnings", "off", "--exclude-operation-id", "forget", "--request-timeout", "60"],
                    cwd=folder, capture_output=True, text=True, timeout=options.seconds + 300, check=False)
                if not checks.that(done.returncode == 0, f"schemathesis finds nothing with --seed {options.seed}"):
                    print(done.stdout[done.stdout.find("FAILURES"):][:20_000] + done.stderr[-2000:], flush=True)
            checks.that(server.running, "the server is alive", server.tail())
            checks.equal(wire.ask(server.api, "GET", "/health")[0], 200, "it serves the next request")
        finally:
            server.kill()
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
