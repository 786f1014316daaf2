"""Restarts the node: kubelet, containerd, the API server and every container end at once and start again; the agents
return without further commands and without losses. Only on the node of e2e/cluster, not on kind's."""
import os
import subprocess
import time

import programs
import wire
from chapters import RETURN_S, everything, marker_of
from on_cluster import LABEL, READY_S, SERVER_LABEL
from standing import as_given, fails, learn, told_soon, who_runs

PLACES = 'HERE=$PWD/e2e/cluster; . "$HERE/lib/places.sh"; echo "$KUBECONFIG"'


def ours(driver):
    """True if this is the cluster of e2e/cluster/up, which e2e/cluster/down stops."""
    done = subprocess.run(["bash", "-c", PLACES], cwd=programs.ROOT, capture_output=True, text=True, check=True)
    return "--context" not in driver.base and os.environ.get("KUBECONFIG") == done.stdout.strip()


def node_restarts(story):
    c, driver = story.checks, story.driver
    c.chapter("r. The node is restarted: every container ends at once; agents come back and lost nothing")
    if not ours(driver):
        return c.say("not here: the node is not the one that e2e/cluster/up starts")
    as_given(story)
    marker, meanwhile = learn(story), marker_of(story)
    rows, everyone = everything(story), (LABEL + "coder", LABEL + "other", SERVER_LABEL)
    before = who_runs(driver, *everyone)
    driver.server_down()
    c.that(fails(story, meanwhile), "captures wait as the power goes: every event is acknowledged")
    began = time.monotonic()
    for script in ("down", "up"):
        subprocess.run([os.path.join(programs.ROOT, "e2e/cluster", script)], check=True, timeout=300,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    driver.tokens = {}
    driver.server_up()
    for selector in everyone:
        driver.wait_ready(selector, 1, before)
    c.that(not set(who_runs(driver, *everyone)) & set(before), f"every container is a new one; all ready {time.monotonic() - began:.0f} s after")
    c.that(told_soon(story, marker, RETURN_S), "a new conversation is told of what was before")
    arrived = wire.until(lambda: len(story.captured(meanwhile)) == 2, RETURN_S + READY_S, 0.3)
    c.that(arrived, "what waited is at the server, once each", story.captured(meanwhile))
    now = everything(story)
    c.that(rows and [row for row in now if row in rows] == rows, f"all {len(rows)} observations of before are there", now)


NODE_CHAPTERS = (node_restarts,)
