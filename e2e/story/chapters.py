"""The story: an agent that remembers after everything was killed. Each function is one chapter; the Story has
the state for later chapters. Independent of processes and pods, which driver.py hides."""
import re
import secrets
import time

import wire
from driver import AGENTS, PROJECT, sample

CAPTURE_S = 20.0  # limit of a capture until it reaches a running server: less than a backoff of 30 s
RETURN_S = 60.0   # the same after the server's return: at most one such backoff
RULES = {"errors": r"error|panic|fatal", "places": r"Traceback|undefined reference|main\.c",
         "todo": r"TO" r"DO|FIX" r"ME"}
ALL_TOOLS = "compile,grep,crash,control"
EXPECTED = {("bash", "errors"): 2, ("bash", "places"): 2, ("grep", "todo"): 1}  # captures of ALL_TOOLS
SUMMARY = re.compile(r'Session with (\d+) messages\. Started: "(.*?)" — Ended: "(.*?)"')


class Story:
    def __init__(self, driver, checks):
        self.driver, self.checks = driver, checks
        self.run = secrets.token_hex(4)
        self.first, self.later = f"first-{self.run}", f"later-{self.run}"  # two conversations
        self.lines = {self.first: [], self.later: []}  # the agent's events with their answers, by conversation
        self.markers = []

    def turn(self, conversation, prompt, tools="", marker="", **more):
        lines = self.driver.turn("coder", conversation, prompt, tools, marker, **more)
        self.lines.setdefault(conversation, []).extend(lines)
        return lines

    def captured(self, marker):
        """The server's observations of the project that contain the marker."""
        status, rows = self.driver.ask_server("GET", f"/observations/recent?project={PROJECT}&limit=1000")
        return [row for row in rows if marker in row["content"]] if status == 200 else []


def marker_of(story):
    story.markers.append(secrets.token_hex(6))
    return story.markers[-1]


def context_of(lines, event="UserPromptSubmit"):
    answers = [line["answer"] for line in lines if line["event"] == event]
    return "\n".join((a.get("hookSpecificOutput") or {}).get("additionalContext") or "" for a in answers)


def counted(rows):
    found = {}
    for row in rows:
        source = row.get("source") or {}
        key = (source.get("tool", "?"), source.get("rule", "?"))
        found[key] = found.get(key, 0) + 1
    return found


def manifest(story):
    c = story.checks
    c.chapter("1. An Agent manifest with rules is given; serverRef is resolved, the sidecars have their policy")
    url = story.driver.memory_url()
    c.equal(url, "http://agent-memory.agents.svc.cluster.local:7437", "serverRef became a Service DNS name")
    for agent in AGENTS:
        status, said = story.driver.ask(agent, "GET", "/v1/status")
        c.that(status == 200 and "sha256:" in str(said), f"the sidecar of {agent} has a policy in force", said)


def turns(story):
    c = story.checks
    c.chapter("2. The agent takes a turn; its tools are real processes that fail")
    marker = marker_of(story)
    lines = story.turn(story.first, "Why does main.c not compile?", ALL_TOOLS, marker)
    c.equal([line["status"] for line in lines], [200] * len(lines), f"{len(lines)} events, each acknowledged")
    failures = [line["sent"]["error"] for line in lines if line["event"] == "PostToolUseFailure"]
    c.that(len(failures) == 2 and all(marker in text for text in failures), "a compile and a script failed", failures)
    c.say(failures[0].split("\n")[1] if failures else "")
    c.say(f"slowest event {max(line['ms'] for line in lines)} ms")


def captures(story):
    c = story.checks
    c.chapter("3. What matches a rule became an observation; nothing else did")
    marker = story.markers[-1]
    wanted = sum(EXPECTED.values())
    wire.until(lambda: len(story.captured(marker)) >= wanted, CAPTURE_S)
    rows = story.captured(marker)
    c.equal(counted(rows), EXPECTED, "both rules on bash fired for each failure, the grep once, the control never")
    for row in rows:
        pattern = RULES.get((row.get("source") or {}).get("rule"), "$^")
        c.that(re.search(pattern, row["content"]), f"#{row['id']} {row['type']} \"{row['title']}\" holds what matched",
               row["content"])
    quiet = story.driver.turn("quiet", f"quiet-{story.run}", f"What about main.c and {marker}?", "compile", marker)
    c.equal(context_of(quiet), "", "an agent with contextLimit 0 gets nothing")
    other = story.driver.turn("other", f"other-{story.run}", f"What about main.c and {marker}?")
    c.that(marker not in context_of(other), "an agent of another project gets nothing of it", context_of(other))
    status, found = story.driver.ask("other", "GET", f"/search?q={marker}&project={PROJECT}")
    c.that(status == 200 and found == [], "nor does its search, whatever project it asks for", (status, found))
    if rows:
        status, _ = story.driver.ask("other", "GET", f"/observations/{rows[0]['id']}")
        c.equal(status, 404, "nor by an observation's id")


def recall(story):
    c = story.checks
    c.chapter("4. The next conversation knows it, and the session before it; its own is not told what it has")
    marker = story.markers[-1]
    lines = story.turn(story.first, "Does main.c compile now, or is the error still there?", "compile", marker, end=True)
    c.that(marker not in context_of(lines), "the next turn is not given what its transcript has", context_of(lines))
    status, record = story.driver.ask("coder", "GET", f"/v1/injections/{story.first}/2")
    c.that(status == 200 and marker in str(record), "the injection is on record, with what and why", (status, record))
    c.that("from_tool_args" in str(record) or "PreToolUse" in str(record) or "bash" in str(record),
           "PreToolUse of bash searched memory, and the search is on record", record)
    wire.until(lambda: session_of(story, story.first), CAPTURE_S)
    lines = story.turn(story.later, "Let us go on with the ledger. Does main.c compile now, or is the error still there?")
    text = context_of(lines)
    c.that(marker in text and "error" in text, "UserPromptSubmit is answered with the remembered error", text)
    for line in text.split("\n")[:12]:
        c.say("| " + line[:110])
    found = SUMMARY.search(context_of(lines))
    c.that(found, "a later session is told the former one's summary in the seed's format", context_of(lines))
    if found:
        c.say(found[0])
        c.equal(found[2], "Why does main.c not compile?", "it started with the first prompt")
        c.equal(found[3], "Does main.c compile now, or is the error still there?", "it ended with the last one")


def session_of(story, conversation):
    """True if the server has a summary with the first prompt of the conversation."""
    status, sessions = story.driver.ask_server("GET", f"/sessions/recent?project={PROJECT}&limit=50")
    prompt = story.lines[conversation][0]["sent"]["prompt"]
    return status == 200 and any(prompt in (session.get("summary") or "") for session in sessions)


def survival(story, title="5. SIGKILL of agent, sidecars and server: all that was acknowledged is there, once"):
    c, driver = story.checks, story.driver
    c.chapter(title)
    marker = marker_of(story)
    story.turn(story.later, "Try the build again.", ALL_TOOLS, marker)
    wire.until(lambda: len(story.captured(marker)) >= sum(EXPECTED.values()), CAPTURE_S)
    before, rows = remembered(story), everything(story)
    driver.kill_all()
    driver.start_again()
    after, again = remembered(story), everything(story)
    c.that(before["current"].get("memory_session_id"), "a memory session was open", before["current"])
    for name in ("id", "memory_session_id"):
        c.equal(after["current"].get(name), before["current"].get(name), f"GET /conversations/current: the same {name}")
    for conversation in (story.first, story.later):
        c.equal(after[conversation], before[conversation], f"{conversation}: all {len(before[conversation])} messages, unchanged")
        acknowledged(story, conversation, after[conversation])
    c.equal(again, rows, f"{len(rows)} observations, each once")
    lines = story.turn(story.later, "After the crash: what was wrong with main.c?")
    c.that(all(line["status"] == 200 for line in lines), "the conversation goes on where it was", lines)


def remembered(story):
    story_is = {}
    _, current = story.driver.ask("coder", "GET", "/conversations/current")
    story_is["current"] = current if isinstance(current, dict) else {}
    for conversation in (story.first, story.later):
        status, body = story.driver.ask("coder", "GET", f"/conversations/{conversation}/messages")
        story_is[conversation] = body["messages"] if status == 200 else []
    return story_is


def everything(story):
    status, rows = story.driver.ask_server("GET", f"/observations/recent?project={PROJECT}&limit=1000")
    return sorted((row["id"], row["content"]) for row in rows) if status == 200 else []


def acknowledged(story, conversation, messages):
    """Checks that every acknowledged event is a message, exactly once, in order."""
    lines = [line for line in story.lines[conversation] if line["status"] == 200]
    prompts = [line["sent"]["prompt"] for line in lines if line["event"] == "UserPromptSubmit"]
    answers = [line["sent"]["last_assistant_message"] for line in lines if line["event"] == "Stop"]
    calls = [line["sent"]["tool_use_id"] for line in lines if line["event"].startswith("PostToolUse")]
    said = [m["content"] for m in messages if m["role"] == "assistant" and not m.get("tool_calls")]
    ok = [m["content"] for m in messages if m["role"] == "user"] == prompts and said == answers
    ok = ok and [m["tool_call_id"] for m in messages if m["role"] == "tool"] == calls
    story.checks.that(ok, f"{conversation}: {len(prompts)} prompts, {len(answers)} answers, {len(calls)} tool results, "
                      "as acknowledged and once each", messages)


def server_away(story):
    c, driver = story.checks, story.driver
    c.chapter("6. The server goes away while captures go on")
    driver.server_down()
    marker = marker_of(story)
    lines = story.turn(story.later, "The server is away; build anyway.", ALL_TOOLS, marker)
    c.equal([line["status"] for line in lines], [200] * len(lines), "the agent goes on: every event is acknowledged")
    c.say(f"slowest event {max(line['ms'] for line in lines)} ms")
    _, status = driver.ask("coder", "GET", "/v1/status")
    c.that(isinstance(status, dict) and status.get("pending", 0) >= sum(EXPECTED.values()),
           "the captures wait in the outbox", status)
    driver.kill_sidecar("coder")
    c.say("the sidecar was killed meanwhile, and runs again")
    driver.server_up()
    wire.until(lambda: len(story.captured(marker)) >= sum(EXPECTED.values()), RETURN_S, 0.1)
    c.equal(counted(story.captured(marker)), EXPECTED, "the server is back: all captures are there, once each")
    drained = wire.until(lambda: (driver.ask("coder", "GET", "/v1/status")[1] or {}).get("pending") == 0, RETURN_S)
    _, status = driver.ask("coder", "GET", "/v1/status")
    c.that(drained and dead_count(status) == 0, "the outbox is empty, and nothing died", status)


def dead_count(status):
    dead = status.get("dead", 0)
    return sum(dead.values()) if isinstance(dead, dict) else dead


def policy(story):
    c, driver = story.checks, story.driver
    c.chapter("7. The policy changes: in force in the running sidecar")
    text = sample("coder")
    rule = "memorySaveRules:\n    - {name: spoken, tool: control, matchOutput: 'panic', type: learning}"
    changed = text.replace("contextLimit: 5", "contextLimit: 0").replace("memorySaveRules:", rule)
    before, born = driver.ask("coder", "GET", "/v1/status")[1], driver.incarnation("coder")
    driver.change("coder", changed)
    digest = before.get("policy", {}).get("digest") if isinstance(before.get("policy"), dict) else before.get("policy")
    started = time.monotonic()
    seen = wire.until(lambda: digest not in str(driver.ask("coder", "GET", "/v1/status")[1]), driver.policy_s, 0.05)
    took = time.monotonic() - started
    c.that(seen, f"the new digest is in force after {took:.1f} s (at most {driver.policy_s:g} s)", before)
    marker = marker_of(story)
    lines = story.turn(f"changed-{story.run}", "What about main.c, error, panic?", "control,compile", marker)
    c.equal(context_of(lines), "", "contextLimit 0: nothing is injected any more")
    wanted = {("control", "spoken"): 1, ("bash", "errors"): 1, ("bash", "places"): 1}
    wire.until(lambda: len(story.captured(marker)) >= 3, CAPTURE_S)
    c.equal(counted(story.captured(marker)), wanted, "the new rule fires, the old ones too")
    c.equal(driver.incarnation("coder"), born, "the sidecar was not restarted")


def figures(story):
    c = story.checks
    c.chapter("8. What it costs")
    for program, rss, anon, limit in story.driver.figures():
        text = f"{program:26s} RSS {rss / 1024:5.1f} MiB (RssAnon {anon / 1024:5.1f})"
        if limit:
            c.that(rss <= limit, f"{text}, limit {limit // 1024} MiB")
        else:
            c.say(text)


CHAPTERS = (manifest, turns, captures, recall, survival, server_away, policy, figures)
