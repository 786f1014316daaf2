#!/usr/bin/env python3
"""The table of all routes in docs/memory-api.md, made of the rows of lib/api/operations. tidy.py checks it.

    scripts/routes.py    writes it"""
import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS, PAGE = "lib/api/operations", "docs/memory-api.md"
ROW = re.compile(r'(?:Get\("\w+",|Row\("\w+",\s*"(\w+)",)\s*"([^"]+)",\s*((?:"[^"]*"\s*)+),')
TABLE = re.compile(r"(?<=\n)\| Route \| What it does \|\n\|---\|---\|\n(?:\|.*\n)*")


def table(root=ROOT):
    rows = []
    for name in sorted(os.listdir(os.path.join(root, ROWS))):
        if name.endswith(".cc") and not name.endswith("_test.cc"):
            with open(os.path.join(root, ROWS, name), encoding="utf-8") as file:
                rows += [(path, method or "GET", "".join(re.findall(r'"([^"]*)"', text))) for method, path, text in ROW.findall(file.read())]
    return "".join(["| Route | What it does |\n|---|---|\n", *(f"| `{method} {path}` | {text} |\n" for path, method, text in sorted(rows))])


def check(root, say):
    if not os.path.isdir(os.path.join(root, ROWS)):
        return
    with open(os.path.join(root, PAGE), encoding="utf-8") as file:
        text = file.read()
    if table(root) not in text:
        say(PAGE, 1, "the table of routes is not that of lib/api/operations: scripts/routes.py writes it")


def main():
    path = os.path.join(ROOT, PAGE)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(TABLE.sub(lambda _: table(), text, count=1))


if __name__ == "__main__":
    main()
