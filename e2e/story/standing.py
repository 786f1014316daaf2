"""Steps that the chapters about outages run before and after one: the agent learns, the agent recalls, and the ids of
the running containers. Has no chapter itself."""
import time

import wire
from chapters import RETURN_S, context_of, marker_of
from driver import sample
from on_cluster import LABEL, containers


def learn(story):
    """Lets a tool of the coder fail, and waits for its captures at the server → the marker in them."""
    marker = marker_of(story)
    fails(story, marker)
    arrived = wire.until(lambda: len(story.captured(marker)) == 2, RETURN_S, 0.2)
    story.checks.that(arrived, "what a rule captured is at the server", story.captured(marker))
    return marker


def fails(story, marker):
    """Lets a compile of the coder fail, which two rules match → true if each event was acknowledged."""
    lines = story.turn(f"learn-{marker}", "Does the ledger compile?", "compile", marker)
    return bool(lines) and all(line["status"] == 200 for line in lines)


def recalls(story, marker):
    """True if a new conversation gets the captures with the marker."""
    lines = story.turn(f"ask-{time.monotonic()}", f"What about main.c and {marker}?")
    return marker in context_of(lines)


def told_soon(story, marker, within_s=30):
    return wire.until(lambda: recalls(story, marker), within_s, 0.5)


def as_given(story):
    """Resets the coder to its sample, which earlier chapters may have changed."""
    before = story.driver.get("agent", "coder")["metadata"]["generation"]
    story.driver.change("coder", sample("coder"))
    in_force(story, before)


def in_force(story, since):
    """Waits until the sidecar has the policy of the changes after generation `since` → the policy's digest."""
    driver = story.driver

    def done():
        agent = driver.get("agent", "coder")
        seen = {one["type"]: one for one in agent["status"].get("conditions", [])}
        return agent["metadata"]["generation"] == since or all(
            one.get("status") == "True" and one.get("observedGeneration", 0) > since
            for one in (seen.get("PolicyInSync", {}), seen.get("Ready", {})))
    wire.until(done, driver.policy_s, 0.2)
    return digest(story)


def digest(story):
    said = (story.driver.ask("coder", "GET", "/v1/status")[1] or {}).get("policy", {})
    return said.get("digest") if isinstance(said, dict) else said


def who_runs(driver, *selectors):
    """→ the running containers of these pods; without selectors those of the Agents coder and other."""
    chosen = selectors or [LABEL + "coder", LABEL + "other"]
    return sorted(one for selector in chosen for pod in driver.pods(selector) for one in containers(pod))
