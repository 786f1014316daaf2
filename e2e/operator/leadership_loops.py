#!/usr/bin/env python3
"""Repeats steps of leadership_test.py many times: the API server is unreachable for ten seconds, a leader is stopped for
thirty. Runs several pairs of operators in parallel, each in its own namespace.

    e2e/operator/leadership_loops.py --kubeconfig FILE [--away 50] [--stopped 100] [--at-once 5] [--kubectl PATH]

The CRDs must exist. Takes 15 minutes with the defaults. The last line is "N passed, M failed"; the figures are above it.
"""
import argparse
import concurrent.futures
import os
import signal
import statistics
import sys
import tempfile
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from operators import LEASE_S, PATIENCE_S, Cluster, leads, writes  # noqa: E402

AWAY_S, STOPPED_S = 10, 30
CONVERGED_S, REPLACED_S = 30, LEASE_S + 5  # limits


class Cell(Cluster):
    def __init__(self, asked, folder, number):
        own = os.path.join(folder, str(number))
        os.mkdir(own)
        super().__init__(asked.kubeconfig, asked.kubectl, own, f"loops-{number}")
        self.number, self.edits = number, 0

    def open(self):
        self.kubectl("create", "namespace", self.namespace)
        self.give_agent()

    def edit_once_more(self):
        """Edits the Agent → the image that must be applied."""
        self.edits += 1
        self.edit(f"example/agent:{self.edits}")
        return f"example/agent:{self.edits}"

    def children(self):
        return self.kubectl("get", "statefulset,configmap,serviceaccount,service", "-n", self.namespace, "-l", "agents.agentops.io/agent",
                            "-o", "jsonpath={.items[*].metadata.uid}").split()

    def close(self):
        for program in self.started:
            program.kill()
        self.kubectl("delete", "namespace", self.namespace, "--wait=false", "--ignore-not-found")

    def away(self, rounds):
        """→ per round the seconds from the API server's return until an edit from its absence was applied."""
        leader, proxy = self.behind_proxy(f"away-{self.number}")
        self.seconds_until(lambda: self.applied() == "example/agent:0")
        children, gaps = sorted(self.children()), []
        for _ in range(rounds):
            proxy.leave(True)
            time.sleep(AWAY_S)
            image = self.edit_once_more()
            proxy.leave(False)
            gaps.append(self.seconds_until(lambda image=image: self.applied() == image))
            assert leader.running and sorted(self.children()) == children
        return gaps

    def stopped(self, rounds):
        """→ per round the seconds until the standby led, and the API server's writes from the stopped leader."""
        pair, gaps, late = [self.operator(f"stopped-{self.number}-{which}") for which in "ab"], [], []
        for _ in range(rounds):
            self.seconds_until(lambda: any(map(leads, pair)) and all(p.ready(1) for p in pair))
            leader, standby = sorted(pair, key=leads, reverse=True)
            image = self.edit_once_more()
            self.seconds_until(lambda image=image: self.applied() == image)
            time.sleep(2)  # for the leader's last writes of this edit
            before, began = writes(leader), time.monotonic()
            leader.process.send_signal(signal.SIGSTOP)
            try:
                gaps.append(self.seconds_until(lambda standby=standby: leads(standby)))
                image = self.edit_once_more()  # work for both: the stopped leader sees the edit afterwards
                self.seconds_until(lambda image=image: self.applied() == image)
                time.sleep(max(3, STOPPED_S - (time.monotonic() - began)))
                versions = self.versions()
            finally:
                leader.process.send_signal(signal.SIGCONT)
            self.seconds_until(lambda leader=leader: not leads(leader))
            time.sleep(2)
            assert self.versions() == versions, "something was written"
            late.append(writes(leader) - before)
        return gaps, late


def told(what, seconds, asked):
    print(f"  {what}, {len(seconds)} times: {statistics.median(seconds):.1f} s, {max(seconds):.1f} at most (asked: {asked})")
    return max(seconds) <= asked


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--away", type=int, default=50)
    options.add_argument("--stopped", type=int, default=100)
    options.add_argument("--at-once", type=int, default=5)
    asked = options.parse_args()
    good = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(asked.at_once) as pool:
        cells = [Cell(asked, folder, number) for number in range(asked.at_once)]
        try:
            for cell in cells:
                cell.open()
            if asked.away:
                each = -(-asked.away // asked.at_once)
                gaps = [gap for one in pool.map(lambda cell: cell.away(each), cells) for gap in one]
                good.append(told(f"API server {AWAY_S} s away, an edit applied", gaps, CONVERGED_S))
            for cell in cells:
                for program in cell.started:
                    assert program.stop(PATIENCE_S) == 0
            if asked.stopped:
                each = -(-asked.stopped // asked.at_once)
                both = list(pool.map(lambda cell: cell.stopped(each), cells))
                good.append(told(f"leader {STOPPED_S} s still, another led", [gap for gaps, _ in both for gap in gaps], REPLACED_S))
                # The leader may count a renewal after the stop that the API server accepted before.
                late = [count for _, counts in both for count in counts]
                print(f"  writes taken from who had stood still: {max(late):.0f} at most in a round (asked: 0, or a renewal from before)")
                good.append(max(late) <= 1)
        finally:
            for cell in cells:
                cell.close()
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
