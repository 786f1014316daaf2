#!/usr/bin/env python3
"""An hour of churn: creates, edits and deletes Agents on a real API server, and watches the operator's memory, open files
and threads. Prints a line a minute and the slope of the resident memory in the second half.

    scripts/bench/soak.py --kubeconfig FILE [--seconds 3600] [--rate 3] [--agents 200] [--kubectl PATH]

`rate` is changes a second: half of them edits, a quarter new Agents, a quarter deletions. Exit 1 if the slope is over
1 MiB an hour, or open files or threads grow. Needs the release build, and a server with a controller manager
(e2e/cluster/up --api-only --with-controller-manager): without one the children of deleted Agents stay, in the server's
store and in the operator's caches. The namespace stays on that server. The last line is 'N passed, M failed'."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

import agents as bench

SLOPE_MIB = 1.0


def slope(points):
    """The slope by least squares, in y per x."""
    count = len(points)
    mean_x, mean_y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def churn(api, alive, chance, number):
    """Makes one random change; `alive`: the numbers of the existing Agents."""
    path, pick = bench.AGENTS.format(api.space), chance.choice(alive)
    kind = chance.randrange(4)
    if kind == 0:
        api.call("POST", path, bench.agent(number))
        alive.append(number)
    elif kind == 1 and len(alive) > 1:
        api.call("DELETE", f"{path}/a{pick}")
        alive.remove(pick)
    else:
        api.call("PATCH", f"{path}/a{pick}", {"spec": {"image": f"example/agent:{number}"}}, "application/merge-patch+json")


def soak(api, operator, asked):
    """→ (hours, MiB, open files, threads) once a minute."""
    seed = random.randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    chance, alive, samples = random.Random(seed), list(range(asked.agents)), []
    began, number = time.monotonic(), asked.agents
    while (passed := time.monotonic() - began) < asked.seconds:
        churn(api, alive, chance, number)
        number += 1
        if passed >= len(samples) * 60:
            files = len(os.listdir(f"/proc/{operator.program.pid}/fd"))
            samples.append((passed / 3600, operator.status("VmRSS") / bench.MIB, files, operator.status("Threads")))
            print("| {:.0f} min | {:.2f} MiB | {} open files | {} threads | {} Agents |".format(
                passed / 60, *samples[-1][1:], len(alive)), flush=True)
        time.sleep(max(0.0, began + (number - asked.agents) / asked.rate - time.monotonic()))
    return samples


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--kubeconfig", required=True)
    options.add_argument("--kubectl", default="kubectl")
    options.add_argument("--seconds", type=int, default=3600)
    options.add_argument("--rate", type=float, default=3)
    options.add_argument("--agents", type=int, default=200)
    asked = options.parse_args()
    subprocess.run([asked.kubectl, f"--kubeconfig={asked.kubeconfig}", "apply", "--server-side", "--force-conflicts", "-k",
                    os.path.join(bench.ROOT, "crds")], check=True, stdout=subprocess.DEVNULL)
    api, table = bench.Api(asked), bench.Table()
    with tempfile.TemporaryDirectory() as folder:
        operator = bench.Operator(asked, api.space, folder)
        try:
            time.sleep(2)  # the API server serves the kinds a moment after their CRDs
            bench.make_agents(api, asked.agents)
            operator.start()
            operator.done(asked.agents, 600)
            samples = soak(api, operator, asked)
        finally:
            operator.program.kill()
            api.proxy.terminate()
    late = samples[len(samples) // 2:]
    grows = slope([(hours, mib) for hours, mib, _, _ in late])
    table.row("resident memory, slope of the second half", f"{grows:+.2f} MiB an hour", f"{SLOPE_MIB:g}", grows <= SLOPE_MIB)
    for name, column in (("open files", 2), ("threads", 3)):
        first, last = max(sample[column] for sample in samples[:len(samples) // 2 + 1]), samples[-1][column]
        table.row(f"{name}, most of the first half and last", f"{first}, {last}", "no more", last <= first)
    print(f"{table.passed} passed, {table.failed} failed")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main())
