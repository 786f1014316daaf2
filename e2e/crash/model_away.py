#!/usr/bin/env python3
"""Facts of turns and insights of runs from a model endpoint that hangs, answers nonsense and recovers, while the server is
killed: no turn, no run and no count of tokens is lost, no request waits for the model, and the log has neither prompts nor
the key (ADR 61, 62).

    model_away.py

The last line is 'N passed, M failed'."""
import datetime
import http.server
import json
import os
import sys
import tempfile
import threading

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import programs  # noqa: E402
import wire  # noqa: E402
from checks import Checks  # noqa: E402

KEY, SAID, WAIT_S = "sk-of-this-test", "I prefer dark roast coffee.", 60
PUMPS = ["The pump failed on Monday.", "It rained when the pump failed.", "The pump of the north well is blue."]
INSIGHT = {"content": "The pump fails when it rains.", "importance": 0.9, "sources": [1, 2]}
FACTS = json.dumps({"facts": [{"category": "user_preference", "content": "User likes dark roast.", "importance": 0.9}]})


class Model:
    """A chat endpoint that answers with `text` as soon as `goes_on` is set. Leaving `with` stops it."""

    def __init__(self):
        self.text, self.goes_on, self.asked, self.keys = FACTS, threading.Event(), 0, set()
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                model.keys.add(self.headers["Authorization"])
                model.asked += 1
                model.goes_on.wait(WAIT_S)
                answer = json.dumps({"choices": [{"message": {"content": model.text}}], "usage": {"total_tokens": 700}}).encode()
                try:
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(answer)))
                    self.end_headers()
                    self.wfile.write(answer)
                except OSError:
                    pass  # the server was killed

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.goes_on.set()
        self.server.shutdown()


def today():
    return datetime.datetime.now(datetime.timezone.utc).date()


def within_a_day():
    """The budget is of a day (UTC): shortly before midnight, waits for the next one."""
    day = today()
    if (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2 * WAIT_S)).date() != day:
        wire.until(lambda: today() != day, 3 * WAIT_S, 1)


def turn(server, text=SAID):
    status, answer = wire.ask(server.api, "POST", "/ingest/turns", {"user": text, "assistant": "Noted."})
    if status != 202:
        raise SystemExit(f"the turn was not accepted: {status} {answer}")
    return answer["turn"]


def becomes(server, name, wanted):
    state = {}

    def there():
        state.update(wire.ask(server.api, "GET", f"/ingest/turns/{name}")[1])
        return state["state"] == wanted
    wire.until(there, WAIT_S)
    return state


def used_tokens(folder):
    with open(os.path.join(folder, "memory/extraction-tokens.json"), encoding="utf-8") as file:
        return json.load(file)["used"]


def derive(c, server, model):
    """Kills the server during its request for insights."""
    server.stop()
    server.arguments += ["--extraction-derive"]
    server.start()
    for text in PUMPS:
        wire.ask(server.api, "POST", "/traces", {"content": text})
    wire.ask(server.api, "POST", "/traces/search", {"query": "pump"})  # links the traces, since one search found them together
    model.text = json.dumps({"insights": [INSIGHT]})
    model.goes_on.clear()
    asked = model.asked
    reflected = wire.ask(server.api, "POST", "/traces/reflect", {})[1]
    c.equal(reflected.get("derive"), "pending", "a run of consolidation does not wait for its insights")
    c.that(wire.until(lambda: model.asked == asked + 1, WAIT_S), "the model is asked for them behind the answer")
    server.kill()
    model.goes_on.set()
    server.start()
    ended = {}

    def derived():
        ended.update(wire.ask(server.api, "GET", "/traces/reflect/runs")[1]["runs"][0])
        return ended["derive"] != "pending"
    wire.until(derived, WAIT_S)
    c.equal((ended["runId"], ended["derive"], ended["derived"]), (reflected["runId"], "done", 1), "a run that was killed meanwhile has its insight after the restart")
    found = wire.ask(server.api, "POST", "/traces/search", {"query": INSIGHT["content"]})[1]["results"]
    c.equal([one["content"] for one in found].count(INSIGHT["content"]), 1, "once")
    model.text = FACTS


def run(c, folder, model):
    key_file = os.path.join(folder, "key")
    server = programs.server(folder)
    server.arguments += ["--extraction-url", model.url, "--extraction-key-file", key_file]
    try:
        server.start()
        c.that(False, "a key file that is not there ends the start")
        server.kill()
    except SystemExit as ended:
        c.that("extraction-key-file: " in str(ended) and key_file in str(ended), "a key file that is not there ends the start and is named", str(ended))
    with open(key_file, "w", encoding="utf-8") as file:
        file.write(KEY + "\n")
    server.start()
    hanging = turn(server)
    c.that(wire.until(lambda: model.asked == 1, WAIT_S), "the model is asked behind the answer")
    status, _ = wire.ask(server.api, "POST", "/traces", {"content": "The printer is on the second floor."})
    c.equal(status, 201, "a write does not wait for a model that hangs")
    taken = used_tokens(folder)
    c.that(taken > 700, "what the request may cost is on the disk while it runs", taken)
    server.kill()
    model.goes_on.set()
    server.start()
    facts = becomes(server, hanging, "done").get("facts")
    c.that(facts and facts[0]["decision"] == "stored", "a turn that was killed in the middle has its facts after the restart", facts)
    c.equal(used_tokens(folder), taken + 700, "and both requests are counted, the killed one in full")

    model.text = "Sure! Here is what I found."
    dead = turn(server, "I live in Oslo.")
    c.that("no JSON" in becomes(server, dead, "failed").get("reason", ""), "nonsense makes a dead letter that says why")
    server.kill()
    model.text = FACTS
    server.start()
    c.equal(wire.ask(server.api, "POST", f"/ingest/turns/{dead}/retry")[0], 202, "a dead letter is there after a restart and is tried again")
    c.equal(becomes(server, dead, "done")["state"], "done", "with its texts")

    derive(c, server, model)

    server.stop()
    server.arguments += ["--extraction-tokens-per-day", "1"]
    server.start()
    asked = model.asked
    facts = becomes(server, turn(server, "I want to learn Rust this year."), "done").get("facts")
    c.that(facts and model.asked == asked, "with a spent budget patterns find the facts", facts)
    c.equal(server.stop(), 0, "the server ends with 0")
    c.equal(model.keys, {"Bearer " + KEY}, "the key went to the endpoint")
    with open(server.log, encoding="utf-8") as file:
        log = file.read()
    c.that(all(secret not in log for secret in (KEY, "dark roast", "Oslo", "Here is what", "pump")), "neither key nor texts are in the log")
    c.equal(log.count("token budget of the extraction endpoint is spent"), 1, "a spent budget is one line of it")


def main():
    c = Checks()
    within_a_day()
    with tempfile.TemporaryDirectory(prefix="agent-memory-model-") as folder, Model() as model:
        run(c, folder, model)
    return c.end()


if __name__ == "__main__":
    sys.exit(main())
