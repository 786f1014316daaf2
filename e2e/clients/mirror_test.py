#!/usr/bin/env python3
"""The Markdown mirror of a project with the real programs: files and memories follow each other, both texts of a conflict stay,
nothing leaves the folder, kills lose nothing and double nothing, and 1,000 memories.

    python3 e2e/clients/mirror_test.py       programs: build/release/bin, or $AGENT_MEMORY_BIN
"""
import json
import os
import random
import shutil
import subprocess
import sys
import time

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

import laptops  # noqa: E402
import mcp_test  # noqa: E402
import wire  # noqa: E402

MANY = 1000


class Mirrored:
    """A repository with a mirror."""

    def __init__(self, laptop, name):
        self.laptop, self.name, self.root = laptop, name, laptop.repository(name)
        self.folder = os.path.join(self.root, "docs/memory")
        self.server = None

    def sync(self, *words):
        done = self.laptop.run("mirror", *words, cwd=self.root)
        return json.loads(done.stdout) if done.stdout.startswith("{") else {}, done

    def add(self, text, **more):
        self.server = self.server or self.laptop.status()["server"]["url"]
        body = {"session_id": f"p-{self.name}", "project": self.name, "type": "note", "title": text.split("\n")[0], "content": text, **more}
        return wire.ask(self.server, "POST", "/observations", body)[1]["id"]

    def rows(self):
        return {row["id"]: row for row in wire.ask(self.server, "GET", f"/export?project={self.name}")[1]["observations"]}

    def files(self):
        return {name: self.read(name) for name in sorted(os.listdir(self.folder))}

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def off_by_default(counts, laptop):
    one = Mirrored(laptop, "quiet")
    laptop.run("up", "--detach", cwd=one.root)
    _, done = one.sync()
    counts.check("without a folder nothing is mirrored", done.returncode == 64 and "mirror DIR" in done.stderr, done.stderr)
    counts.check("and nothing is written", os.listdir(one.root) == [".git"])
    for folder in (laptop.store, os.path.join(laptop.store, "x"), laptop.home):
        _, done = one.sync(folder)
        counts.check("memory's own folder is refused", done.returncode == 64 and "another folder" in done.stderr, (folder, done.stderr))
    os.makedirs(one.folder)
    one.write("readme.md", "of somebody")
    _, done = one.sync(one.folder)
    counts.check("files that are there are not taken unasked", done.returncode == 64 and "--take-in" in done.stderr and one.files() == {"readme.md": "of somebody"},
                 (done.stderr, one.files()))
    _, done = one.sync("--off")
    counts.check("and no mirror began", "has no mirror" in done.stdout, done.stdout)


def both_ways(counts, laptop):
    one = Mirrored(laptop, "billing")
    tabs = one.add("I prefer tabs over spaces", type="preference", tags=["style"])
    said, done = one.sync(one.folder)
    counts.check("each memory has a file", done.returncode == 0 and said["written"] == 1 and list(one.files()) == ["i-prefer-tabs-over-spaces.md"], (said, done))
    text = one.read("i-prefer-tabs-over-spaces.md")
    counts.check("with its fields in front", text.startswith(f'---\nid: {tabs}\ntype: "preference"\ntitle: "I prefer tabs over spaces"\ntags: ["style"]\nupdated: 20')
                 and text.endswith("\n---\n\nI prefer tabs over spaces\n"), text)
    said, _ = one.sync()
    counts.check("again nothing happens", {said[k] for k in ("written", "removed", "created", "changed", "hidden")} == {0}, said)

    one.write("i-prefer-tabs-over-spaces.md", text.replace("\n\nI prefer tabs over spaces\n", "\n\nI prefer spaces since the quagga update\n"))
    said, done = one.sync()
    found = json.loads(laptop.run("search", "quagga", cwd=one.root).stdout)
    counts.check("an edited file changes its memory, and search finds it", said["changed"] == 1 and [row["id"] for row in found] == [tabs], (said, done.stderr, found))
    counts.check("which stays its user's, with the text before", found[0]["trust"] == "user" and len(wire.ask(one.server, "GET", f"/observations/{tabs}/revisions")[1]) == 2, found)

    name = "i-prefer-tabs-over-spaces.md"
    text = one.read(name)
    edited = text.replace("\n\nI prefer spaces since the quagga update\n", "\n\nI prefer spaces since the kudu update\n")
    # A kill between the exchange of both texts and the removal of the older one.
    one.write(name, edited.replace('title: "I prefer spaces since the quagga update"', 'title: "I prefer spaces since the kudu update"'))
    one.write(".agent-memory-0123456789abcdef", edited)
    said, done = one.sync()
    counts.check("a kill during an edit leaves one file and one memory", said["changed"] == 1 and list(one.files()) == [name] and "kudu" in one.read(name), (said, one.files()))
    # A kill before it, when the new text is written, wholly or in part.
    text = one.read(name)
    edited = text.replace("\n\nI prefer spaces since the kudu update\n", "\n\nI prefer spaces since the okapi update\n")
    titled = edited.replace('title: "I prefer spaces since the kudu update"', 'title: "I prefer spaces since the okapi update"')
    one.write(name, edited)
    one.write(".agent-memory-0123456789abcdef", titled)
    one.write(".agent-memory-fedcba9876543210", titled[:20])
    said, done = one.sync()
    counts.check("nor does one before it leave a second text", said["changed"] == 1 and list(one.files()) == [name] and "okapi" in one.read(name), (said, one.files()))
    one.write(name, one.read(name).replace("okapi", "kudu"))
    one.sync()
    own = one.read(name).replace('title: "I prefer spaces since the kudu update"', 'title: "A title of my own"')
    one.write(".agent-memory-0123456789abcdef", own)
    one.sync()
    counts.check("what a person wrote during a kill stays beside", one.files().get("unsaved.conflict.md") == own, one.files())
    os.unlink(os.path.join(one.folder, "unsaved.conflict.md"))

    one.write("deploys.md", "# Deploys\n\nOn Tuesdays, never on zebra days.\n")
    said, _ = one.sync()
    found = json.loads(laptop.run("search", "zebra", cwd=one.root).stdout)
    counts.check("a new file becomes a memory", said["created"] == 1 and [(r["title"], r["type"], r["trust"], r["project"]) for r in found] == [("Deploys", "note", "user", "billing")], (said, found))
    counts.check("and gets its fields", one.read("deploys.md").startswith(f"---\nid: {found[0]['id']}\n"), one.read("deploys.md"))

    wire.ask(one.server, "PATCH", f"/observations/{tabs}", {"content": "Tabs it is, said the okapi"})
    said, _ = one.sync()
    counts.check("a changed memory changes its file", said["written"] == 1 and "okapi" in one.read("i-prefer-tabs-over-spaces.md"), said)

    os.unlink(os.path.join(one.folder, "deploys.md"))
    said, _ = one.sync()
    counts.check("a removed file hides its memory", said["hidden"] == 1 and laptop.run("search", "zebra", cwd=one.root).stdout.strip() == "[]", said)
    laptop.run("rm", "--undo", cwd=one.root)
    said, _ = one.sync()
    counts.check("an undo brings both back", said["written"] == 1 and "zebra" in one.read("deploys.md"), said)
    laptop.run("rm", str(found[0]["id"]), cwd=one.root)
    said, _ = one.sync()
    counts.check("a hidden memory has no file", said["removed"] == 1 and "deploys.md" not in one.files(), said)
    return one


def conflicts(counts, one):
    name = "i-prefer-tabs-over-spaces.md"
    row = next(row for row in one.rows().values() if "okapi" in row["content"])
    mine = one.read(name).replace("okapi", "person's ocelot")
    one.write(name, mine)
    wire.ask(one.server, "PATCH", f"/observations/{row['id']}", {"content": "the agent's tapir"})
    said, done = one.sync()
    files = one.files()
    counts.check("of a conflict both texts stay", done.returncode == 1 and "tapir" in files[name] and files.get(name.replace(".md", ".conflict.md")) == mine, files)
    counts.check("and the person is told", len(said["problems"]) == 1 and ".conflict.md has yours" in said["problems"][0], said)
    said, done = one.sync()
    counts.check("the text beside is left alone", done.returncode == 0 and one.files() == files, said)
    one.write(name, files[name].replace("tapir", "tapir and the ocelot"))
    os.unlink(os.path.join(one.folder, name.replace(".md", ".conflict.md")))
    said, done = one.sync()
    counts.check("and brought together by hand", done.returncode == 0 and said["changed"] == 1 and "ocelot" in one.rows()[row["id"]]["content"], said)

    edited = one.read(name).replace("tapir", "tapir 2")
    one.write(name, edited)
    wire.ask(one.server, "DELETE", f"/observations/{row['id']}")
    said, _ = one.sync()
    counts.check("what was edited of a hidden memory is a new one", said["created"] == 1 and "tapir 2" in str(one.rows().values()), said)
    new = next(row for row in one.rows().values() if "tapir 2" in row["content"])
    os.unlink(os.path.join(one.folder, name))
    wire.ask(one.server, "PATCH", f"/observations/{new['id']}", {"content": "changed after the removal"})
    said, done = one.sync()
    counts.check("a change wins against a removal, and is told", done.returncode == 1 and "changed after the removal" in one.read(name) and said["hidden"] == 0, said)

    one.write("broken.md", "---\ntitle: a: b: c\n---\ntext of a person\n")
    before = one.rows()
    said, done = one.sync()
    counts.check("a faulty file is named and stays", done.returncode == 1 and "broken.md: its front matter" in str(said["problems"]) and one.rows() == before
                 and one.read("broken.md").startswith("---\ntitle: a: b: c"), said)
    os.unlink(os.path.join(one.folder, "broken.md"))


def nothing_outside(counts, one):
    secret = os.path.join(one.laptop.home, "secret.md")
    with open(secret, "w", encoding="utf-8") as file:
        file.write("of another folder: pangolin")
    os.symlink(secret, os.path.join(one.folder, "link.md"))
    one.add("../../../escape: /etc/passwd", title="../../../escape")
    said, done = one.sync()
    counts.check("a link is not followed, and is named", "link.md: it is a symbolic link" in str(said["problems"]) and "pangolin" not in str(one.rows().values()), said)
    counts.check("a title leads nowhere else", "escape.md" in one.files() and not os.path.exists(os.path.join(one.laptop.home, "escape.md")), os.listdir(one.folder))
    name = "escape.md"
    os.rename(os.path.join(one.folder, name), os.path.join(one.folder, "kept.txt"))
    os.symlink(secret, os.path.join(one.folder, name))
    said, _ = one.sync()
    counts.check("a link in a file's place hides nothing and is not written through", said["hidden"] == 0 and os.path.islink(os.path.join(one.folder, name))
                 and open(secret, encoding="utf-8").read() == "of another folder: pangolin", said)
    for link in ("link.md", name):
        os.unlink(os.path.join(one.folder, link))
    os.rename(os.path.join(one.folder, "kept.txt"), os.path.join(one.folder, name))


def with_sessions(counts, one):
    """--auto: hooks sync it when a session begins and ends; --off ends it."""
    laptop = one.laptop
    one.sync("--auto")
    one.write("gnu.md", "the gnu file was written between sessions")
    event = json.dumps({"hook_event_name": "SessionStart", "session_id": "m1", "source": "startup", "cwd": one.root})
    laptop.run("hook", "SessionStart", cwd=one.root, stdin=event)
    counts.check("a session's begin takes the files in", wire.until(lambda: "gnu file" in str(one.rows().values()), 60))
    one.add("an agent saved the numbat")
    laptop.run("hook", "SessionEnd", cwd=one.root, stdin=event.replace("SessionStart", "SessionEnd"))
    counts.check("its end writes what was saved", wire.until(lambda: "an-agent-saved-the-numbat.md" in one.files(), 60), one.files().keys())
    watch = subprocess.Popen([laptop.program, "mirror", "--watch"], cwd=one.root, env=laptop.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    one.write("dodo.md", "the dodo is watched")
    counts.check("--watch takes it in", wire.until(lambda: "dodo is watched" in str(one.rows().values()), 60))
    watch.terminate()
    watch.communicate()
    _, done = one.sync("--off")
    files = one.files()
    counts.check("--off ends it", "ends" in done.stdout and files, done.stdout)
    one.add("not mirrored any more")
    laptop.run("hook", "SessionEnd", cwd=one.root, stdin=event.replace("SessionStart", "SessionEnd"))
    _, done = one.sync()
    counts.check("and leaves files and memories", done.returncode == 64 and one.files() == files and len(one.rows()) > 3, done.stderr)


def many_and_kills(counts, laptop):
    """1,000 memories; then a random part of the work, killed at random times, until a sync ends: no text is lost or doubled."""
    seed = int(os.environ.get("SEED") or time.time())
    rng = random.Random(seed)
    many = Mirrored(laptop, "many")
    for i in range(MANY):
        many.add(f"fact {i} of the archive: {rng.random()}")
    started = time.monotonic()
    said, done = many.sync(many.folder)
    first = time.monotonic() - started
    counts.check(f"{MANY} memories are as many files", said.get("written") == MANY and len(many.files()) == MANY, (said, done.stderr))
    started = time.monotonic()
    many.sync()
    print(f"  {MANY} files: first sync {first:.1f} s, later ones {time.monotonic() - started:.2f} s; seed {seed}", flush=True)

    names = list(many.files())
    expected = {}
    for name in rng.sample(names, 300):
        body = f"edited {name} {rng.random()}"
        text = many.read(name)
        many.write(name, text[:text.index("\n---\n\n") + 6] + body + "\n")
        expected[name] = body
    created = {f"new-{i}.md": f"new {i} {rng.random()}" for i in range(200)}
    for name, body in created.items():
        many.write(name, body)
    gone = [name for name in names if name not in expected][:100]
    hidden = {json.loads(many.read(name).split("id: ")[1].split("\n")[0]) for name in gone}
    for name in gone:
        os.unlink(os.path.join(many.folder, name))
    for i in range(100):
        many.add(f"added {i} meanwhile: {rng.random()}")
    kills = 0
    while True:
        sync = subprocess.Popen([laptop.program, "mirror"], cwd=many.root, env=laptop.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = sync.communicate(timeout=rng.uniform(0.02, 0.6) if kills < 25 else 120)
            if kills >= 5:
                break
        except subprocess.TimeoutExpired:
            sync.kill()
            sync.communicate()
            kills += 1
    counts.check(f"a sync ends after {kills} kills", sync.returncode == 0, (out, err))
    rows = many.rows()
    contents = [row["content"] for row in rows.values()]
    counts.check("every edit and every new file is a memory, once", all(contents.count(body) == 1 for body in [*expected.values(), *created.values()]),
                 [body for body in [*expected.values(), *created.values()] if contents.count(body) != 1][:5])
    counts.check("removed files are hidden, and no other memory", not hidden & set(rows) and len(rows) == MANY - 100 + 200 + 100, len(rows))
    files = many.files()
    bodies = [text.split("\n---\n\n", 1)[1].strip() for text in files.values()]
    counts.check("and files and memories are the same", sorted(bodies) == sorted(contents) and not [n for n in os.listdir(many.folder) if n.startswith(".") or ".conflict" in n],
                 (len(bodies), len(contents), [n for n in os.listdir(many.folder) if n.startswith(".") or ".conflict" in n]))

    shutil.move(many.folder, many.folder + "-away")
    os.makedirs(many.folder)
    _, done = many.sync()
    counts.check("a folder that lost its files hides nothing unasked", done.returncode == 64 and "--hide-many" in done.stderr and len(many.rows()) == len(rows), done.stderr)
    os.rmdir(many.folder)
    _, done = many.sync()
    counts.check("nor one that is gone", done.returncode == 1 and "is not there" in done.stderr and len(many.rows()) == len(rows), done.stderr)
    shutil.move(many.folder + "-away", many.folder)
    said, done = many.sync()
    counts.check("back again all is as before", done.returncode == 0 and many.rows() == rows and many.files() == files, (said, done.stderr))
    shutil.rmtree(os.path.join(laptop.store, "mirrors"))
    said, done = many.sync(many.folder, "--take-in")
    counts.check("a lost state is found again by the texts", done.returncode == 0 and said["created"] == said["written"] == 0 and many.rows() == rows, (said, done.stderr))


def main():
    counts, laptop = mcp_test.Counts(), laptops.Laptop()
    try:
        off_by_default(counts, laptop)
        one = both_ways(counts, laptop)
        for part in (conflicts, nothing_outside, with_sessions):
            part(counts, one)
        many_and_kills(counts, laptop)
    finally:
        laptop.clean()
    print(f"{counts.passed} passed, {counts.failed} failed")
    return int(counts.failed != 0)


if __name__ == "__main__":
    sys.exit(main())
