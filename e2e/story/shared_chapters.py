"""Shared memory on a cluster: the Agents that spec.memory.share names can read or write the values of an Agent."""
import wire
from driver import sample
from on_cluster import NAMESPACE

RESOURCE = "sharedmemories.memory.agents.agentops.io"
GRANT_S = 180  # limit for the operator's Roles, and for the ten seconds that the server caches an access review


def shared_memory(story):
    c, driver = story.checks, story.driver
    c.chapter("e3. Two Agents share values: by spec.memory.share, which is a Role that kubectl auth can-i knows")

    def other_may():
        """→ names and verbs of the resource, according to kubectl."""
        said = driver.kubectl("auth", "can-i", "--list", f"--as=system:serviceaccount:{NAMESPACE}:other-agent")
        return [line.split("[]", 1)[1].strip() for line in said.splitlines() if line.startswith(RESOURCE)]

    def soon(status, method, path, body=None):
        return wire.until(lambda: driver.ask("other", method, path, body)[0] == status, GRANT_S, 1)
    plan = {"steps": ["measure", story.run]}
    c.equal(driver.ask("coder", "PUT", "/shared/coder/plan", plan)[0], 201, "an Agent keeps a value under its name")
    c.equal(driver.ask("other", "GET", "/shared/coder/plan")[0], 404, "another finds nothing without a grant")
    c.equal(driver.ask("other", "PUT", "/shared/coder/plan?as=coder", 1)[0], 403, "and writes nothing, whatever name it gives")

    for access, verbs in (("read", "[get list]"), ("write", "[get list update delete]")):
        driver.change("coder", sample("coder").replace("  memory:\n", f"  memory:\n    share: [{{agents: [other], access: {access}}}]\n"))
        listed = wire.until(lambda verbs=verbs: [line for line in other_may() if line.split(None, 1) == ["[coder]", verbs]], GRANT_S, 0.3)
        c.that(listed, f"access {access}: kubectl auth can-i --list says {verbs}", other_may())
        c.that(soon(200, *(("GET", "/shared/coder/plan") if access == "read" else ("PUT", "/shared/coder/plan", plan))),
               f"access {access}: and the other Agent may")
    c.equal(driver.ask("other", "GET", "/shared/coder/plan")[1], plan, "it reads what was written")
    share = driver.get("agent", "coder")["status"].get("share")
    c.equal(share, {"write": ["other"]}, "the status says who may")

    driver.change("coder", sample("coder"))
    c.that(wire.until(lambda: not other_may(), GRANT_S, 0.3), "the grant is taken back: can-i lists nothing")
    c.that(soon(404, "GET", "/shared/coder/plan"), "and the value is not there any more for the other")
    c.equal(driver.ask("coder", "DELETE", "/shared/coder/plan")[0], 204, "its own Agent removes it")
