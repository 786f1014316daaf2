#!/usr/bin/env python3
"""Measures the recall of a memory server for questions with known answers, and its costs: once by words alone, once
also by meaning, with the same records. Uses only the API. The repository has no data.

    scripts/bench/retrieval.py DATA --table FILE [--facts | --ingest | --endpoint URL] [--rounds 5] [--program PATH]

DATA: the path before -records.jsonl (or, with --facts, -facts.jsonl: {project, session, title, content, id or
evidence}) and -questions.jsonl ({project, question, evidence: [ids]}). Recall at k is the mean share of a
question's evidence among the first k rows. Exit 1 if the search with meaning finds less than words alone.

--ingest compares the records alone, the records with the facts that auto-ingest extracts from them (each record as the
user's text of a turn), and those facts alone, all also by meaning. A fact has the evidence of its record. Exit 1 if the
facts displace records: if R@10 of both is lower than that of the records.

--endpoint measures once, also with the vectors of an embeddings endpoint (encoder_endpoint.py serves one), which the
server requests after the writes and this script awaits. Exit 1 if R@5 is below 76.3 or R@10 below 83.2."""
import argparse
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

ENDPOINT = (76.3, 83.2)  # the least R@5 and R@10 with --endpoint


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Server:
    """A server over a new directory, on the ports that its log names."""

    def __init__(self, program, folder, *flags):
        self.folder = folder
        self.process = subprocess.Popen(
            [program, "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--data-dir", folder, *flags],
            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        for line in self.process.stderr:
            at = json.loads(line)
            if at.get("api"):
                break
        self.api = http.client.HTTPConnection(at["api"], timeout=60)
        self.admin = at["admin"]

    def call(self, method, path, body=None):
        self.api.request(method, path, json.dumps(body) if body else None, {"Content-Type": "application/json"})
        answer = self.api.getresponse()
        text = answer.read()
        if answer.status >= 300:
            sys.exit("%s %s: %d %s" % (method, path, answer.status, text[:300]))
        return json.loads(text)

    def await_vectors(self):
        """Waits until every row has its vector of the endpoint."""
        self.api.close()  # the server closes idle connections
        due = None
        while due != 0:
            with urllib.request.urlopen(f"http://{self.admin}/v1/status") as answer:
                due = json.load(answer).get("embedding_rows_due", 0)
            time.sleep(.1)

    def stop(self):
        self.process.terminate()
        self.process.communicate()
        return sum(os.path.getsize(os.path.join(self.folder, name)) for name in os.listdir(self.folder)
                   if len(name) == 64)


def save(server, rows, of_row):
    """Stores the rows → {(project, id): evidence}"""
    evidence = {}
    for row in rows:
        saved = server.call("POST", "/observations", {
            "session_id": row["session"], "project": row["project"], "type": "discovery", "scope": "project",
            "title": row["title"], "content": row["content"]})
        evidence.setdefault((row["project"], saved["id"]), set()).update(of_row(row))
    return evidence


def ingest(server, rows):
    """Stores the facts of the rows, and waits for them → {(project, id): evidence}"""
    evidence, turns = {}, []
    for row in rows:
        context = "?" + urllib.parse.urlencode({"project": row["project"], "conversation": row["session"]})
        turns.append((row, context, server.call("POST", "/ingest/turns" + context, {"user": row["content"]})["turn"]))
    for row, context, turn in turns:
        while (state := server.call("GET", f"/ingest/turns/{turn}{context}"))["state"] == "pending":
            time.sleep(.05)
        for fact in state["facts"]:
            if fact["traceId"]:
                trace = server.call("GET", f"/traces/{fact['traceId']}{context}")
                evidence.setdefault((row["project"], trace["observationId"]), set()).add(row["id"])
    return evidence


def measure(options, flags, records=True, facts=False):
    rows = lines(options.data + ("-facts.jsonl" if options.facts else "-records.jsonl"))
    questions = lines(options.data + "-questions.jsonl")
    with tempfile.TemporaryDirectory(prefix="agent-memory-") as folder:
        server = Server(options.program, folder, *flags)
        begun = time.perf_counter()
        evidence = save(server, rows if records else [], lambda row: row["evidence"] if options.facts else [row["id"]])
        written = len(rows) / (time.perf_counter() - begun)
        ingested = ingest(server, rows) if facts else {}
        evidence.update(ingested)
        server.await_vectors()
        found, took = {5: [], 10: []}, []
        for question in questions:
            asked = urllib.parse.urlencode({"project": question["project"], "query": question["question"], "limit": 10})
            begun = time.perf_counter()
            answer = server.call("GET", "/context?" + asked)["recent_observations"]
            took.append(1e3 * (time.perf_counter() - begun))
            wanted = set(question["evidence"])
            for k, shares in found.items():
                got = set().union(*(evidence.get((question["project"], row["id"]), set()) for row in answer[:k]))
                shares.append(len(got & wanted) / len(wanted))
        size = server.stop()
    return {"R@5": 100 * statistics.mean(found[5]), "R@10": 100 * statistics.mean(found[10]),
            "/context p50 ms": statistics.median(took), "POST/s": written, "bytes a row": size / len(rows), "facts": len(ingested)}


def measure_ingest(options):
    flags = ["--embedding-table", options.table]
    runs = {"records": measure(options, flags), "records and facts": measure(options, flags, facts=True),
            "facts": measure(options, flags, records=False, facts=True)}
    print("%-18s%8s%8s%8s" % ("", "R@5", "R@10", "facts"))
    for name, run in runs.items():
        print("%-18s%8.2f%8.2f%8d" % (name, run["R@5"], run["R@10"], run["facts"]))
    return runs["records and facts"]["R@10"] < runs["records"]["R@10"]


def measure_endpoint(options):
    # Long deadlines, for busy machines: this measures recall, not latency.
    run = measure(options, ["--embedding-table", options.table, "--embedding-url", options.endpoint, "--embedding-floor",
                            str(options.floor), "--embedding-deadline", "4s", "--query-deadline", "4500ms"])
    for name in ("R@5", "R@10"):
        print("%-18s%12.2f" % (name, run[name]))
    return any(round(run[name], 1) < asked for name, asked in zip(("R@5", "R@10"), ENDPOINT))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--table", required=True)
    parser.add_argument("--facts", action="store_true")
    parser.add_argument("--ingest", action="store_true")
    parser.add_argument("--endpoint", default="")
    parser.add_argument("--floor", type=int, default=60, help="embedding-floor, with --endpoint")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", default="build/release/bin/agent-memory-server")
    options = parser.parse_args()
    if options.endpoint:
        sys.exit(measure_endpoint(options))
    if options.ingest:
        sys.exit(measure_ingest(options))
    # Alternates between both and takes the medians, since the load of a machine changes.
    runs = [(measure(options, ["--embeddings=false"]), measure(options, ["--embedding-table", options.table]))
            for _ in range(options.rounds)]
    words, meaning = ({name: statistics.median(run[which][name] for run in runs) for name in runs[0][0]}
                      for which in (0, 1))
    print("%-18s%12s%12s" % ("", "words", "meaning too"))
    for name in words:
        print("%-18s%12.2f%12.2f" % (name, words[name], meaning[name]))
    sys.exit(any(meaning[name] < words[name] - 0.2 for name in ("R@5", "R@10")))


if __name__ == "__main__":
    main()
