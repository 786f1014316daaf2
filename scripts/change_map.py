"""The change map of docs/architecture.md (the table 'Concern | Files') names files and folders that are there. For
scripts/tidy.py. Not for whether they are the right ones: who follows the map sees that."""
import os
import re

HEAD = "| Concern | Files |"
FILE = re.compile(r"[\w.*/-]+(?:/|\.(?:cc|h|py|md|yaml|json|table|tpl|\*))|[\w.*/-]+/[\w.*-]+")


def check(text, paths, say):
    """A path may leave out the folders before it, and end in `.*`; <kind> and <program> stand for a name."""
    places = "\n".join({"/" + path for path in paths} | {"/" + folder for path in paths for folder in folders(path)})
    before, head, table = text.partition("\n" + HEAD + "\n")
    for number, row in enumerate(table.split("\n\n")[0].split("\n"), before.count("\n") + 3):
        for name in re.findall(r"`([^`]+)`", row) if head else ():
            pattern = re.escape(name.rstrip("/")).replace(r"\*", "[^/\n]*").replace("…", ".*")
            if FILE.fullmatch(name) and not re.search(rf"/{pattern}$", places, re.M):
                say("docs/architecture.md", number, f"there is no {name}: the change map leads nowhere")


def folders(path):
    while path := os.path.dirname(path):
        yield path
