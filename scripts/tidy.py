#!/usr/bin/env python3
"""Checks the rules of the design that a compiler does not: which folder may include which (rooms.py: which room), which
file may include which library, banned code and words (words.py), names and lengths of files, documents (documents.py), and
that the proofs of docs/features.md and the files and rooms of docs/architecture.md exist. clang-format checks the style.

    scripts/tidy.py               the whole repository; exit 1 with one line per finding
    scripts/tidy.py --self-test   breaks each rule once in a temporary tree, and checks that it is found
"""
import os
import re
import subprocess
import sys
import tempfile

import change_map
import documents
import rooms
import routes
import words

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = (".cc", ".h")
MAX_LINES, MAX_FUNCTION_LINES = 400, 60

# The folders that a folder may include besides itself, in the order of the layers.
LAYERS = {"lib/base": (), "lib/http": ("lib/base",), "lib/sql": ("lib/base",),
          "lib/sqlite": ("lib/base", "lib/sql"), "lib/postgres": ("lib/base", "lib/sql"), "lib/embedding": ("lib/base",)}
for middle in ("lib/telemetry", "lib/kube", "lib/conversation"):
    LAYERS[middle] = ("lib/base", "lib/http", "lib/sql", "lib/sqlite")
LAYERS["lib/api"] = tuple(LAYERS)
LAYERS["lib/redaction"] = ("lib/base", "lib/api")
for program in words.PROGRAMS:
    LAYERS[program] = tuple(f for f in LAYERS if f.startswith("lib/"))
LAYERS["lib/testing"] = tuple(f for f in LAYERS if f.startswith("lib/"))

# Library: the pattern of its #include, and that of the only files that may have it.
LIBRARIES = {
    "Boost": (r"<boost/", r"lib/http/(server/\w+|client/(client_connection|connection_pool|tls_contexts)|body/body)\.(cc|h)"),
    "RE2": (r"<re2/", r"(sidecar/rules/|lib/redaction/|lib/kube/schema/crd_schema|operator/agent/policy_faults|memory/api/items/store_rules)\w*\.(cc|h)"),
    "SQLite": (r"<sqlite3\.h>", r"lib/sqlite/\w+\.(cc|h)|scripts/bench/reference_replay\.cc"),
    "SQLite (through lib/sqlite)": (
        r'"lib/sqlite/',
        r"(lib/(sqlite|conversation/sqlite)/\w+|memory/sqlite/\w+/\w+|sidecar/(outbox|growth|tables|state)/\w+)\.(cc|h)|.*_(test\.cc|fixture\.h)"),
    "libpq": (r"<libpq-fe\.h>", r"lib/postgres/libpq\.h|scripts/bench/engine_replay\.cc"),
    "yaml-cpp": (r"<yaml-cpp/", r"lib/base/json/yaml\.cc"),
    "prometheus-cpp": (r"<prometheus/", r"lib/telemetry/metrics\.cc"),
    "opentelemetry-cpp": (r"<opentelemetry/", r"lib/telemetry/otlp/\w+\.(cc|h)"),
    "utf8proc": (r"<utf8proc\.h>", r"lib/(base/text/(text|inert|characters|fold)|embedding/word_piece)\.cc"),
    "zlib": (r"<zlib\.h>", r"lib/(base/text/deflate|kube/cache/packing|sqlite/row_checksum)\.cc"),
    "OpenSSL": (r"<openssl/", r"(lib/(base/text/(digest|base64)|http/(client/client|server/tls|server/tls_identity)|testing/http_tls)|operator/admission/certificate)\.cc"),
    "cjose": (r"<cjose/", r"memory/identity/token_signature(_test)?\.cc"),
    "GoogleTest": (r"<(gtest|gmock)/", r".*_test\.cc|.*_fixture\.h|lib/testing/\w+\.(cc|h)"),
}

BANS = (
    (re.compile(r"\bstd::(basic_)?regex\b|#include\s+<regex>"), "std::regex crashes on long input: use RE2"),
    (re.compile(r"\.detach\(\)"), "a detached thread outlives what it uses: use std::jthread"),
    (re.compile(r"(?<![\w.>:])(?:std::|::)?(system|popen)\s*\("), "no shell is started from our code"),
    (re.compile(r"\bthrow\b(?!\s*\()"), "our code does not throw: return a Result"),
)
MARKS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
BANNED_WORDS = {"util", "utils", "helper", "helpers", "common", "manager", "impl", "data", "info"}
BANNED_NAMES = re.compile(r"^\s*(?:class|struct|enum class|namespace)\s+(\w*(?:[Uu]til|[Hh]elper|Manager|Impl)\w*)\s*[:{]")
TEST = re.compile(r"^\s*(?:TEST|TEST_F|TEST_P|TYPED_TEST)\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.M)
STATES = ("works", "partly", "not yet")
# A description without quotes in {…} that ends at a comma without a following 'key: '.
FLOW_TEXT = re.compile(r"[{,]\s*description: (?!['\"])([^,{}]*),(?!\s*[\w$-]+:\s)")


class Tidy:
    """One pass over a tree. Findings are 'path:line: what, and what to do'."""

    def __init__(self, root, paths):
        self.root, self.paths, self.findings = root, paths, []
        self.tests, self.code = set(), {}
        self.documents = documents.Documents(root, paths, self.say)

    def say(self, path, line, text):
        self.findings.append(f"{path}:{line}: {text}")

    def run(self, **options):
        for path in self.paths:
            source = is_source(self.root, path)
            if not source and not words.reads(path) and not path.endswith(documents.MENTIONS):
                continue
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
                text = file.read()
            self.documents.check_mentions(path, text)
            for terms in words.WORDS:
                terms.check(path, text, self.say)
            if path.endswith(".md"):
                self.documents.check(path, text)
            if path == change_map.PAGE:
                change_map.check(text, self.paths, self.say)
                change_map.check_rooms(text, code_folders(self.paths), self.say)
            if path.startswith("crds/"):
                self.check_flow_text(path, text)
            if not source:
                continue
            self.check_name(path)
            self.check_text(path, text)
            if path.endswith(CODE):
                self.check_code(path, text)
        rooms.Rooms(self.root, self.code, LAYERS, self.say, **options).check()
        routes.check(self.root, self.say)
        features = os.path.join(self.root, "docs/features.md")
        if os.path.exists(features):
            with open(features, encoding="utf-8") as file:
                self.check_features(file.read())
        return self.findings

    def check_name(self, path):
        base = os.path.basename(path)
        for word in set(re.split(r"[_\-.]", base)) & BANNED_WORDS:
            self.say(path, 1, f"'{word}' in a file name says nothing: name the subject")

    def check_text(self, path, text):
        lines = text.split("\n")
        first = next((line for line in lines if line.strip() and not line.startswith("#!")), "")
        if len(lines) - 1 > MAX_LINES and "Written by generate.py" not in first:
            self.say(path, MAX_LINES, f"{len(lines) - 1} lines, the limit is {MAX_LINES}: split by subject")
        if not first.startswith(("//", "#", '"""', 'r"""')) or first.startswith(("#pragma", "#include")):
            self.say(path, 1, "no header comment: 1-3 sentences, what it is for and not for")
        for number, line in enumerate(lines, 1):
            if MARKS.search(line):
                self.say(path, number, "a note to do it later: do it, or write an issue")

    def check_flow_text(self, path, text):
        """{type: string, description: One, two.} has a third field, 'two.', which YAML accepts silently."""
        for number, line in enumerate(text.split("\n"), 1):
            for match in FLOW_TEXT.finditer(line):
                self.say(path, number, f"a comma ends '{match[1]}' inside {{…}}: put the description into quotes")

    def check_code(self, path, text):
        folder = next((f for f in LAYERS if path.startswith(f + "/")), None)
        test = path.endswith(("_test.cc", "_fixture.h"))
        if test:
            self.tests.update(f"{suite}.{name}" for suite, name in TEST.findall(text))
        self.code[path] = words.without_comments(text)
        code = self.code[path].split("\n")
        for number, line in enumerate(code, 1):
            if line.startswith("#include"):
                self.check_include(path, folder, test, number, line)
            for pattern, why in BANS:
                if pattern.search(line) and not (test and "throw" in why):
                    self.say(path, number, why)
            match = BANNED_NAMES.match(line)
            if match:
                self.say(path, number, f"'{match[1]}' says nothing: name the subject")
        if not test:
            self.check_functions(path, code)

    def check_include(self, path, folder, test, number, line):
        for library, (include, allowed) in LIBRARIES.items():
            if re.search(include, line) and not re.fullmatch(allowed, path):
                self.say(path, number, f"{library} is included outside {allowed}")
        target = re.match(r'#include\s+"([^"]+)"', line)
        if not target or folder is None:
            return
        other = next((f for f in LAYERS if target[1].startswith(f + "/")), None)
        if other is None:
            self.say(path, number, f'"{target[1]}" is not a path from the root of the repository')
        elif other == "lib/testing":
            if not test and folder != "lib/testing":
                self.say(path, number, "lib/testing is for tests only")
        elif other != folder and other not in LAYERS[folder]:
            self.say(path, number, f"{folder} may not include {other} (design: layers)")

    def check_functions(self, path, code):
        """Clang-format puts a top-level function's first line and its closing brace at column 0."""
        start = None
        for number, line in enumerate(code, 1):
            if start is None and re.match(r"[A-Za-z~].*\)[^;]*\{$|^\s{4,}.*\)[^;]*\{$", line) and not re.match(
                    r"\s*(namespace|struct|class|enum|union|if|for|while|switch|return|\})", line):
                start = number if not line.startswith(" ") else start
            elif start is not None and line.startswith("}"):
                if number - start + 1 > MAX_FUNCTION_LINES:
                    self.say(path, start, f"a function of {number - start + 1} lines, the limit is {MAX_FUNCTION_LINES}")
                start = None

    def check_features(self, text):
        seen = {}
        for number, line in enumerate(text.split("\n"), 1):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if not re.fullmatch(r"[A-DNGC]\d+[a-z]?", cells[0]):
                continue
            where = ("docs/features.md", number)
            if cells[0] in seen:
                self.say(*where, f"{cells[0]} is already in line {seen[cells[0]]}")
            seen[cells[0]] = number
            if len(cells) < 3 or cells[1] not in STATES:
                self.say(*where, f"{cells[0]}: want '| id | {' or '.join(STATES)} | proof |'")
                continue
            proofs = re.findall(r"`([^`]+)`", cells[2]) or re.findall(r"\b\w+\.[A-Z]\w+|\S+/\S+\.\w+", cells[2])
            if cells[1] == "works" and not proofs:
                self.say(*where, f"{cells[0]} works, says the table, and names no proof")
            for proof in proofs:
                self.check_proof(where, cells[0], proof)

    def check_proof(self, where, row, proof):
        proof = proof.strip(" ,;")
        if re.fullmatch(r"\w+\.\w+", proof) and not proof.endswith((".py", ".md", ".yaml", ".cc", ".h", ".sh")):
            if proof not in self.tests:
                self.say(*where, f"{row}: no test is called {proof}")
        elif "/" in proof:
            if not os.path.exists(os.path.join(self.root, re.split(r"[:# ]", proof)[0])):
                self.say(*where, f"{row}: there is no {proof}")


def is_source(root, path):
    """C++ and Python, and scripts without an extension that start with #!."""
    if path.startswith(("build/", ".git/")):
        return False
    if path.endswith(CODE + (".py", ".sh")):
        return True
    if "." in os.path.basename(path) or not path.startswith(("scripts/", "e2e/", ".ci/")):
        return False
    with open(os.path.join(root, path), "rb") as file:
        return file.read(2) == b"#!"


def code_folders(paths):
    return {os.path.dirname(path) for path in paths if path.endswith(CODE)}


def tracked(root):
    """→ the files that git tracks or would add, without ignored ones."""
    out = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"],
                         capture_output=True, check=True).stdout.decode()
    return sorted(p for p in set(out.split("\0")) if p and os.path.isfile(os.path.join(root, p)))


GOOD = "// A file for the self-test.\n"
PURE_LINE = "Pure: no files, sockets, threads or clocks.\n"


def room(path, sees, pure=""):
    return f"# {path}\n\nFor the self-test.\n\nSees: {sees}\n{pure}"


BROKEN = {  # path: (content, text of the finding)
    "lib/base/up.cc": (GOOD + '#include "lib/http/client/client.h"\n', "lib/base may not include lib/http"),
    "memory/cross.cc": (GOOD + '#include "sidecar/turn/turn.h"\n', "memory may not include sidecar"),
    "memory/fake.cc": (GOOD + '#include "lib/testing/fake_clock.h"\n', "for tests only"),
    "memory/moved.cc": (GOOD + '#include "sidecar/client.h"\n', ("memory may not", "is it lib/http/client/client.h?")),
    "sidecar/beast.cc": (GOOD + "#include <boost/asio.hpp>\n", "Boost is included outside"),
    "memory/raw.cc": (GOOD + "#include <sqlite3.h>\n", "SQLite is included outside"),
    "memory/hash.cc": (GOOD + "#include <openssl/evp.h>\n", "OpenSSL is included outside"), "memory/words.cc": (GOOD + "std::regex r;\n", "std::regex"),
    "memory/thread.cc": (GOOD + "void F() {\n  t.detach();\n}\n", "detached"),
    "memory/shell.cc": (GOOD + "int r = system(c);\n", "no shell"),
    "memory/pipe.cc": (GOOD + "auto* r = popen(c, \"r\");\n", "no shell"),
    "memory/raise.cc": (GOOD + "void F() {\n  throw Bad();\n}\n", "does not throw"),
    "memory/later.cc": (GOOD + "// TO" "DO: later\n", "note to do it later"),
    "memory/bare.cc": ("#include <string>\n", "no header comment"),
    "memory/store_util.cc": (GOOD, "'util' in a file name"), "memory/class.cc": (GOOD + "class RowManager {\n};\n", "'RowManager' says nothing"), "memory/long.cc": (GOOD + "int a;\n" * 400, "401 lines"),
    "memory/big.cc": (GOOD + "void Big() {\n" + "  a();\n" * 60 + "}\n", "a function of 62 lines"),
    "memory/twin.cc": (GOOD, None), "memory/open/twin.cc": (GOOD, None),
    "memory/fine_test.cc": (GOOD + "#include <gtest/gtest.h>\nTEST(Fine, Works) {}\n", None),
    "memory/fine.cc": (GOOD + '// system(x) throw\nconst char* a = "std::regex";\nint f = file_system(1);\n', None),
    # Rooms.
    "memory/README.md": (room("memory", "all"), None), "memory/names.h": (GOOD, None),
    "memory/open/README.md": (room("memory/open", "pure, names"), None),
    "memory/open/sees.cc": (GOOD + '#include "memory/names.h"\n#include "memory/pure/plan.h"\n', None),
    "memory/open/blind.cc": (GOOD + '#include "memory/some/plan.h"\n', "memory/open may not include memory/some/plan.h"),
    "memory/open/story_test.cc": (GOOD + '#include "memory/some/plan.h"\n', None),
    "memory/pure/README.md": (room("memory/pure", "nothing", PURE_LINE), None),
    "memory/pure/plan.h": (GOOD + '#include "memory/pure/deep.h"\n', "memory/pure/deep.h → <thread>"),
    "memory/pure/deep.h": (GOOD + "#include <thread>\n", "input or output: <thread>"),
    "memory/pure/thread_test.cc": (GOOD + "#include <thread>\n", None),
    "memory/some/README.md": (room("memory/some", "lib/base", "Pure: plan\n"), None),
    "memory/some/plan.h": (GOOD + "#include <fstream>\n", "input or output: <fstream>"), "memory/some/run.h": (GOOD + "#include <fstream>\n", None),
    "memory/none/a.h": (GOOD, None), "memory/none/README.md": (None, "no README.md"),
    "memory/mute/a.h": (GOOD, None), "memory/mute/README.md": ("# memory/mute\n\nSees: nothing\n", "one to three sentences"),
    "memory/greedy/a.h": (GOOD, None), "memory/greedy/README.md": (room("memory/greedy", "all, gone"), ("only the top", "'gone'")),
    "memory/left/a.h": (GOOD, None), "memory/left/README.md": (room("memory/left", "right"), "circle: memory/left, memory/right"),
    "memory/right/a.h": (GOOD, None), "memory/right/README.md": (room("memory/right", "left"), None),
    "memory/chicken.h": (GOOD + '#include "memory/egg.h"\n', "circle: memory/chicken, memory/egg"),
    "memory/egg.h": (GOOD, None), "memory/egg.cc": (GOOD + '#include "memory/chicken.h"\n', None),
    "memory/rows/README.md": (room("memory/rows", "names, engine", "Without: memory/engine, lib/gone.\n"), "lib/gone: there is no such folder"),
    "memory/rows/far.cc": (GOOD + '#include "memory/rows/way.h"\n', "reaches it: memory/rows/way.h → memory/engine/file.h"), "memory/engine/file.h": (GOOD, None),
    "memory/rows/way.h": (GOOD + '#include "memory/engine/file.h"\n', "memory/rows stands above memory/engine"), "memory/engine/README.md": (room("memory/engine", "memory"), None),
    # Prose.
    "docs/architecture.md": ("A janitor.\n\n| To add or change | Files, in order |\n|---|---|\n| a | `pure/plan.h`, `memory/open/` |\n| b | `plan.*`, `gone.cc` |\n\n"
                             "| `sidecar/` | Belongs here |\n|---|---|\n| `turn`, `none` | `a` |\n\n"
                             "| `lib/` | Belongs here |\n|---|---|\n| `base`, `http`, `api` | |\n",
                             (":1: 'janitor'", ":6: there is no gone.cc", ":10: there is no room sidecar/none", ":12: the rooms of lib/ lack lib/testing")),
    "docs/adr/0001-janitor.md": ("A janitor.\n" + "wide " * 25 + "\n| " + "wide " * 25 + "\n```\n" + "wide " * 25 + "\n```\nWhoever.\n",
                                 (":2: 125 columns", ":7: 'Whoever'")),
    "docs/long.md": ("# Long\n\n[One](#one)\n\n## One\n\n```\n## Code\n```\n\n## `Two`\n" + "a\n\n" * 100, ":1: over 200 lines, and no '**On this page**' with '`Two`'"),
    "docs/links.md": ("# It's `one`, [two](long.md)\n\n## Three\n\n[a](#its-one-two) [b](long.md#two) [c](adr/) [d](https://x/#y) `[e](none.md)`\n\n"
                      "[f\nf](none.md)\n- [g](#four)\n- [h](long.md#three)\n\n```\n[i](none.md)\n```\n",
                      (":7: the link leads nowhere: there is no docs/none.md", ":9: the link leads nowhere: docs/links.md has no chapter #four",
                       ":10: the link leads nowhere: docs/long.md has no chapter #three")),
    "memory/mention.cc": (GOOD + "// See docs/links.md.\n// See docs/gone.md.\n", ":3: there is no docs/gone.md"),
    "docs/files.md": ("`memory/twin.cc`, `twin.cc`, `memory/open/`, `memory/twin`, `memory/t*.cc`, `gone.cc`, `memory/none.h`, `text/gone`\n",
                      (":1: there is no gone.cc", ":1: there is no memory/none.h")),
    "docs/sentences.md": ("a " * 35 + "b.\n\n" + "a " * 34 + "b. B\n\n- " + "a\n  " * 20 + "a\n- " + "a\n  " * 35 + "a\n\n| " + "a " * 30 + " | "
                          + "a " * 30 + "|\n| " + "a " * 36 + " |\n\n```\n" + "a " * 36 + "\n```\n\n" + "`a b c`, " * 12 + "[c](adr/).\n",
                          (":1: a sentence of 36 words", ":26: a sentence of 36", ":64: a sentence of 36")),
    "memory/slave_test.cc": (GOOD + "// A slave.\n", None), "memory/slave.cc": (GOOD + "int slave;  // slavery\n", None),
    "memory/key.cc": (GOOD + '\nint slave;  // its Slave\nauto a = "it whitelists";\n', (":3: 'Slave'", ":4: 'whitelists'")),
    "crds/agent.yaml": ("a: {type: string, description: One, two.}\nb: {description: One, type: string}\n"
                        "c: {description: 'One, two.'}\nd:\n  description: One, two.\n", ":1: a comma"),
    "lib/api/operations/rows.cc": (GOOD + 'a = {Get("b", "/b",\n    "B"\n" and c.", {}),\n};\n', None), "docs/memory-api.md": ("| Route | What it does |\n|---|---|\n| `GET /b` | B and d. |\n", ":1: the table of routes is not that"),
    "docs/features.md": ("| A1 | works | `Fine.Works` |\n| A2 | works | |\n| A1 | not yet | |\n| A3 | soon | |\n"
                         "| A4 | works | `Gone.Away` |\n| A5 | partly | `e2e/gone.py` |\n",
                         ("A2 works, says", "A1 is already", "A3: want", "no test is called Gone.Away",
                          "there is no e2e/gone.py")),
}
WHOLE = ("lib/http/client/client.h", "lib/testing/fake_clock.h", "sidecar/turn/turn.h")  # included by the broken ones


def self_test():
    with tempfile.TemporaryDirectory() as root:
        files = {path: content for path, (content, _) in BROKEN.items() if content} | {path: GOOD for path in WHOLE}
        for path, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(content)
        findings = Tidy(root, sorted(files)).run(no_readme={"lib/base", "lib/api/operations", "sidecar", *map(os.path.dirname, WHOLE)})
    wanted = [(path, said) for path, (_, says) in BROKEN.items() if says
              for said in (says if isinstance(says, tuple) else (says,))]
    missed = [w for w in wanted if not any(f.startswith(w[0] + ":") and w[1] in f for f in findings)]
    extra = [f for f in findings if not any(f.startswith(p + ":") and s in f for p, s in wanted)]
    for line in [f"missed: {path}: {said}" for path, said in missed] + [f"unexpected: {f}" for f in extra]:
        print(line)
    print(f"tidy self-test: {len(wanted) - len(missed)} of {len(wanted)} broken rules found, {len(extra)} false alarms")
    return 1 if missed or extra else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 64
    findings = Tidy(ROOT, tracked(ROOT)).run()
    print("\n".join(findings + [f"tidy: {len(findings)} findings"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
