#!/usr/bin/env python3
"""Measures puts of LangGraph's checkpoints: AgentMemorySaver on a memory server against the framework's own SqliteSaver, which
writes a file in the same process. Both sync each put to the same disk. In rounds, alternately: one thread of a graph, whose
state grows by a message a step, and 64 threads at once; a ratio is the median of the rounds. Exit 1 if a bar is missed.
Needs the release build, the packages of integrations/python/requirements.txt (installed by itself) and an idle machine.

    scripts/bench/checkpoints.py [--rounds 5] [--puts 200] [--threads 64] [--folder DIR] [--through server|sidecar]"""
import argparse
import os
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "integrations/python"
P50, AT_ONCE = 1.5, 5.0
MESSAGE = "A message of some eighty characters, as an agent and its user say them in turns."


def in_environment():
    """Runs this command again with the packages."""
    sys.path.insert(0, str(PYTHON))
    import run_tests
    python = run_tests.environment() / "python"
    os.execve(python, [str(python), *sys.argv], {**os.environ, "AGENT_MEMORY_BENCH": "1",
                                                  "PYTHONPATH": f"{PYTHON / 'src'}:{PYTHON / 'tests'}"})


class Graph:
    """The puts of one thread of a graph."""

    def __init__(self, saver, name):
        self.saver, self.step, self.messages, self.version = saver, 0, [], None
        self.config = {"configurable": {"thread_id": name, "checkpoint_ns": ""}}

    def put(self):
        from langgraph.checkpoint.base import empty_checkpoint
        self.step += 1
        self.messages.append({"role": "user", "content": f"{self.step}: {MESSAGE}"})
        self.version = self.saver.get_next_version(self.version, None)
        checkpoint = {**empty_checkpoint(), "channel_values": {"messages": self.messages}, "channel_versions": {"messages": self.version}}
        begun = time.perf_counter()
        self.config = self.saver.put(self.config, checkpoint, {"source": "loop", "step": self.step, "parents": {}}, {"messages": self.version})
        return time.perf_counter() - begun


def p50_ms(saver, name, puts):
    graph = Graph(saver, name)
    return statistics.median(graph.put() for _ in range(puts)) * 1000


def a_second(saver, name, threads, puts):
    """→ puts a second of threads that begin at once."""
    begin = threading.Barrier(threads + 1)
    failures = []

    def work(number):
        try:
            graph = Graph(saver, f"{name}-{number}")
            begin.wait()
            for _ in range(puts):
                graph.put()
        except Exception as error:  # said at the end: a thread that failed counts as no measurement
            failures.append(error)
    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    begin.wait()
    begun = time.perf_counter()
    for worker in workers:
        worker.join()
    if failures:
        raise SystemExit(f"{len(failures)} of {threads} threads failed: {failures[0]!r}")
    return threads * puts / (time.perf_counter() - begun)


def main(options):
    from langgraph.checkpoint.sqlite import SqliteSaver

    from agent_memory.langgraph import AgentMemorySaver
    from world import a_server, a_sidecar
    with tempfile.TemporaryDirectory(prefix="agent-memory-checkpoints-", dir=options.folder) as place:
        server = a_server(Path(place))
        sidecar = a_sidecar(Path(place), server) if options.through == "sidecar" else None
        connection = sqlite3.connect(Path(place, "langgraph.db"), check_same_thread=False)
        theirs = SqliteSaver(connection)
        theirs.setup()
        if connection.execute("PRAGMA synchronous").fetchone()[0] < 2:
            raise SystemExit("SqliteSaver does not sync each commit: the figures would not compare")
        try:
            with AgentMemorySaver((sidecar or server).api) as ours:
                for saver in (ours, theirs):
                    p50_ms(saver, "warm", 20)
                alone = [(p50_ms(ours, f"alone-{number}", options.puts), p50_ms(theirs, f"alone-{number}", options.puts))
                         for number in range(options.rounds)]
                each = max(2, options.puts // 20)
                many = [(a_second(ours, f"many-{number}", options.threads, each), a_second(theirs, f"many-{number}", options.threads, each))
                        for number in range(options.rounds)]
        finally:
            connection.close()
            for program in filter(None, (sidecar, server)):
                program.kill()
    missed = 0
    for what, rounds, unit, bar, good in (
            (f"put, p50 of {options.puts}, through {options.through}", alone, "ms", P50, lambda ratio: ratio <= P50),
            (f"puts a second, {options.threads} threads", many, "/s", AT_ONCE, lambda ratio: ratio >= AT_ONCE)):
        ratio = statistics.median(our / their for our, their in rounds)
        our, their = (statistics.median(column) for column in zip(*rounds))
        sign = "≤" if unit == "ms" else "≥"
        print(f"{what:40s} {our:10.2f} {unit}  SqliteSaver {their:10.2f} {unit}  ratio {ratio:5.2f}  {sign} {bar}: "
              f"{'ok' if good(ratio) else 'MISSED'}", flush=True)
        missed += not good(ratio)
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--puts", type=int, default=200)
    parser.add_argument("--threads", type=int, default=64)
    parser.add_argument("--folder", default=None, help="on the disk to measure; default: the temporary folder")
    parser.add_argument("--through", choices=("server", "sidecar"), default="server")
    given = parser.parse_args()
    if "AGENT_MEMORY_BENCH" not in os.environ:
        in_environment()
    sys.exit(main(given))
