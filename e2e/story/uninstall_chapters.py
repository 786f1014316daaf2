"""Uninstalls the release and installs it again: Agents, claims and memories stay the same, and captures from the time
between are not lost. e2e/packaging/packaging_test.py tests the objects that the chart keeps."""
import wire
from chapters import RETURN_S, everything, marker_of
from on_cluster import SERVER_LABEL
from standing import as_given, fails, learn, told_soon, who_runs


def uninstall(story):
    c, driver = story.checks, story.driver
    c.chapter("s. helm uninstall: Agents, volumes and memories stay; installed again, the agent recalls")
    as_given(story)
    marker = learn(story)
    rows, kept, running = everything(story), lasting(driver), who_runs(driver)
    c.that(driver.uninstall(), "helm uninstall")
    gone = wire.until(lambda: not driver.get("pods", "-l", "app.kubernetes.io/instance=agent-memory")["items"], 180, 0.3)
    c.that(gone, "operator and server are gone", driver.get("pods"))
    c.equal(lasting(driver), kept, f"{len(kept)} Agents and claims are the same objects")
    c.equal(who_runs(driver), running, "the agents run on")
    meanwhile = marker_of(story)
    c.that(fails(story, meanwhile), "and every event is acknowledged")
    driver.install()
    driver.wait_ready(SERVER_LABEL)
    c.that(told_soon(story, marker, RETURN_S), "installed again: a new conversation is told of what was before")
    arrived = wire.until(lambda: len(story.captured(meanwhile)) == 2, RETURN_S, 0.3)
    c.that(arrived, "what was captured in between is at the server, once each", story.captured(meanwhile))
    now = everything(story)
    c.that(rows and [row for row in now if row in rows] == rows, f"all {len(rows)} observations of before are there", now)
    c.equal((lasting(driver), who_runs(driver)), (kept, running), "still the same objects, and no agent was started again")
    c.that(*tested(driver))


def tested(driver):
    passed, said = driver.helm_test()
    return passed, "helm test: a canary Agent ran to its end", said


def lasting(driver):
    """→ kind, name and uid of every Agent and claim."""
    return sorted((one["kind"], one["metadata"]["name"], one["metadata"]["uid"]) for one in driver.get("agents,pvc")["items"])


UNINSTALL_CHAPTERS = (uninstall,)
