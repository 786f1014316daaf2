"""Checks the tables of docs/architecture.md: the files and folders of the change map ('To add or change') exist, and each
program and lib/ has a table that names all of its rooms. For scripts/tidy.py. Does not check that a row is right."""
import os
import re

PAGE, HEAD = "docs/architecture.md", "| To add or change | Files, in order |"
FILE = re.compile(r"[\w.*/-]+(?:/|\.(?:cc|h|py|md|txt|yaml|json|table|tpl|\*))|[\w.*/-]+/[\w.*-]+")
ROOMS = re.compile(r"^\| `(\w+)/` \|", re.M)


def check(text, paths, say):
    """A path may omit its first folders, and contain `*`. Names with other characters, such as <kind>, are not checked."""
    places = "\n".join({"/" + path for path in paths} | {"/" + folder for path in paths for folder in folders(path)})
    for number, row in rows(text, text.find("\n" + HEAD) + 1) if HEAD in text else ():
        for name in re.findall(r"`([^`]+)`", row):
            pattern = re.escape(name.rstrip("/")).replace(r"\*", "[^/\n]*")
            if FILE.fullmatch(name) and not re.search(rf"/{pattern}$", places, re.M):
                say(PAGE, number, f"there is no {name}: the change map leads nowhere")


def check_rooms(text, rooms, say):
    """`rooms`: the folders with code."""
    for table in ROOMS.finditer(text):
        top, named = table[1], set()
        for number, row in rows(text, table.start()):
            for name in re.findall(r"`([^`]+)`", row.split("|")[1]):
                named.add(f"{top}/{name}")
                if not any((room + "/").startswith(f"{top}/{name}/") for room in rooms):
                    say(PAGE, number, f"there is no room {top}/{name}")
        for room in sorted(rooms):
            if room.startswith(top + "/") and not any(part in named for part in (room, *folders(room))):
                say(PAGE, text.count("\n", 0, table.start()) + 1, f"the rooms of {top}/ lack {room}")


def rows(text, start):
    """→ (number, row) of the table whose head begins at `start`."""
    yield from enumerate(text[start:].split("\n\n")[0].rstrip("\n").split("\n")[2:], text.count("\n", 0, start) + 3)


def folders(path):
    while path := os.path.dirname(path):
        yield path
