#!/usr/bin/env python3
"""Starts AgentRuns on a real cluster, whose agents save a record as their last act, and ends every second one by deleting
its pod. Counts the records at the server afterwards (row 4: all of 100), and the agents, which try once, that found the
sidecar listening (row 5: all of 50). Uses the namespaces of e2e/story, like the story.

    task_runs.py [--runs 100] [--at-once 4] [--context NAME]    the cluster of $KUBECONFIG; images by e2e/packaging/images

The last line is 'N passed, M failed'."""
import argparse
import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [os.path.join(ROOT, "e2e/support"), os.path.join(ROOT, "e2e/story")]

from checks import Checks  # noqa: E402
from on_cluster import OnCluster, check_tools  # noqa: E402
from run_chapters import count  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--context")
    options = parser.parse_args()
    check_tools()
    driver, checks = OnCluster(options.context), Checks()
    try:
        driver.up()
        started = time.monotonic()
        seen = count(driver, options.runs, options.at_once)
        took = time.monotonic() - started
        checks.say(f"{seen}; {took / options.runs:.1f} s a run, {options.at_once} at once")
        checks.equal(seen["ended"], seen["runs"], "runs ended")
        checks.equal(seen["delivered"], seen["runs"], "last records are at the server (row 4)")
        checks.equal(seen["first connect"], seen["runs"] - seen["deleted"], "agents found the sidecar at once (row 5)")
        checks.equal(seen["odd"], [], "none ended otherwise")
    finally:
        driver.down()
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
