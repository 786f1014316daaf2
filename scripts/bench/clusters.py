#!/usr/bin/env python3
"""Shows the clusters of traces that a server sends to a model for insights (ADR 62): stores the facts of each project as
traces, then consolidates until no cluster is left, with a fake model on loopback that answers one insight per cluster.

    scripts/bench/clusters.py DATA --table FILE [--show 3] [--program PATH]

DATA: the path before -facts.jsonl ({project, content}). Prints per project its facts, clusters, facts per cluster, the share
of facts in clusters, and SHOW clusters. Exit 1 if a project has no cluster, or one of under 3 or over 12, or a run fails."""
import argparse
import http.server
import json
import sys
import tempfile
import threading
import time
import urllib.parse

from retrieval import Server, lines

LEAST, MOST, RUNS = 3, 12, 100


class Model(http.server.BaseHTTPRequestHandler):
    """Records the received memories in `clusters`."""
    clusters = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        shown = [one["content"] for one in json.loads(body["messages"][1]["content"])["memories"]]
        self.clusters.append(shown)
        insight = {"content": f"Insight {len(self.clusters)}.", "importance": 0.5, "sources": list(range(1, len(shown) + 1))}
        answer = json.dumps({"choices": [{"message": {"content": json.dumps({"insights": [insight]})}}],
                             "usage": {"total_tokens": 1}}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        pass


def consolidate(server, where):
    """Runs a consolidation and waits for its insights → true if the model got a request."""
    asked = len(Model.clusters)
    server.call("POST", "/traces/reflect" + where, {"dryRun": False})
    while (run := server.call("GET", "/traces/reflect/runs" + where)["runs"][0])["derive"] == "pending":
        time.sleep(.05)
    if run["derive"] != "done":
        sys.exit(f"a run of consolidation: {run}")
    return len(Model.clusters) > asked


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--table", required=True)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--program", default="build/release/bin/agent-memory-server")
    options = parser.parse_args()
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    facts = lines(options.data + "-facts.jsonl")
    good = True
    print("%-12s%8s%10s%10s%10s" % ("project", "facts", "clusters", "facts of", "share %"))
    with tempfile.TemporaryDirectory(prefix="agent-memory-") as folder:
        server = Server(options.program, folder, "--embedding-table", options.table, "--extraction-url",
                        f"http://127.0.0.1:{model.server_port}/v1", "--extraction-derive", "--extraction-tokens-per-day", "100000000")
        for project in sorted({fact["project"] for fact in facts}):
            where = "?" + urllib.parse.urlencode({"project": project})
            texts = [fact["content"] for fact in facts if fact["project"] == project]
            for text in texts:
                server.call("POST", "/traces" + where, {"content": text})
            Model.clusters.clear()
            for _ in range(RUNS):
                if not consolidate(server, where):
                    break
            sizes = [len(shown) for shown in Model.clusters]
            good = good and sizes and LEAST <= min(sizes) and max(sizes) <= MOST
            print("%-12s%8d%10d%10.1f%10.0f" % (project, len(texts), len(sizes), sum(sizes) / max(1, len(sizes)), 100 * sum(sizes) / len(texts)))
            for shown in Model.clusters[:options.show]:
                print("".join(f"    {'*' if text == shown[0] else ' '} {text}\n" for text in shown), end="")
        server.stop()
    sys.exit(not good)


if __name__ == "__main__":
    main()
