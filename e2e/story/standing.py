"""What the chapters about outages ask before and after one: what the agent learned, whether it is told of it again,
and who runs. No chapter itself."""
import time

import wire
from chapters import RETURN_S, context_of, marker_of
from driver import sample
from on_cluster import LABEL, containers


def learn(story):
    """A tool of the coder's fails, and the server has it → the word by which to find it."""
    marker = marker_of(story)
    fails(story, marker)
    arrived = wire.until(lambda: len(story.captured(marker)) == 2, RETURN_S, 0.2)
    story.checks.that(arrived, "what a rule captured is at the server", story.captured(marker))
    return marker


def fails(story, marker):
    """The coder compiles in vain: two rules match → whether each event was acknowledged."""
    lines = story.turn(f"learn-{marker}", "Does the ledger compile?", "compile", marker)
    return bool(lines) and all(line["status"] == 200 for line in lines)


def recalls(story, marker):
    """Whether a new conversation is told of it."""
    lines = story.turn(f"ask-{time.monotonic()}", f"What about main.c and {marker}?")
    return marker in context_of(lines)


def told_soon(story, marker, within_s=30):
    return wire.until(lambda: recalls(story, marker), within_s, 0.5)


def as_given(story):
    """The coder as its sample is, whatever an earlier chapter made of it."""
    before = story.driver.get("agent", "coder")["metadata"]["generation"]
    story.driver.change("coder", sample("coder"))
    in_force(story, before)


def in_force(story, since):
    """Waits until what changed after generation `since` is what the sidecar works by → the digest of that."""
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
    """→ the containers of these pods; without selectors those of the coder and the other one."""
    chosen = selectors or [LABEL + "coder", LABEL + "other"]
    return sorted(one for selector in chosen for pod in driver.pods(selector) for one in containers(pod))
