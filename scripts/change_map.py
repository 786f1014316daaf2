"""Checks that the files and folders in the change map of docs/architecture.md (the table 'Concern | Files') exist. For
scripts/tidy.py. Does not check that they are the right ones."""
import os
import re

HEAD = "| Concern | Files |"
FILE = re.compile(r"[\w.*/-]+(?:/|\.(?:cc|h|py|md|yaml|json|table|tpl|\*))|[\w.*/-]+/[\w.*-]+")


def check(text, paths, say):
    """A path may omit its first folders, and contain `*`. Names with other characters, such as <kind>, are not checked."""
    places = "\n".join({"/" + path for path in paths} | {"/" + folder for path in paths for folder in folders(path)})
    before, head, table = text.partition("\n" + HEAD + "\n")
    for number, row in enumerate(table.split("\n\n")[0].split("\n"), before.count("\n") + 3):
        for name in re.findall(r"`([^`]+)`", row) if head else ():
            pattern = re.escape(name.rstrip("/")).replace(r"\*", "[^/\n]*")
            if FILE.fullmatch(name) and not re.search(rf"/{pattern}$", places, re.M):
                say("docs/architecture.md", number, f"there is no {name}: the change map leads nowhere")


def folders(path):
    while path := os.path.dirname(path):
        yield path
