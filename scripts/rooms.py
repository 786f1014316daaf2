"""Enforces the rules of rooms, the folders of product code: the README.md of a room says what its files may include, and
whether they are pure, and which folder they stand above (no path of includes leads there). Also finds circles of rooms and of files. For scripts/tidy.py."""
import os
import re

CODE = ("lib", "memory", "sidecar", "operator", "client")
INCLUDE = re.compile(r'^#include\s+"([^"]+)"', re.M)
# Includes that reach files, sockets, threads or clocks: forbidden in a pure room, and in every file that it includes.
IMPURE = re.compile(r'^#include\s+(<(?:fstream|thread|filesystem|unistd\.h|fcntl\.h|sys/\w+\.h|sqlite3\.h|boost/\S+)>|"lib/(?:sql/|sqlite/|postgres/'
                    r'|http/(?:client|server)/|kube/(?:client|cache|controller)/|base/process/(?:file|log|workers|shutdown))\S*")', re.M)


def is_test(path):
    return path.endswith(("_test.cc", "_fixture.h"))


def is_pure(readme):
    """True if the README.md at this path declares the whole room pure."""
    with open(readme, encoding="utf-8") as file:
        return any(line.startswith("Pure: ") and " " in line[6:].split(",")[0] for line in file)


def stem(path):
    return path.rsplit(".", 1)[0]


class Rooms:
    """`code`: path → text without comments. `say(path, line, text)` receives a finding."""

    def __init__(self, root, code, tops, say, no_readme=()):  # no_readme: folders without a README.md, of the self-test
        self.root, self.code, self.tops, self.say, self.no_readme = root, code, tops, say, no_readme
        self.folders = {os.path.dirname(path) for path in code if self.top(path)}
        self.includes = {path: [(text.count("\n", 0, m.start()) + 1, m[1]) for m in INCLUDE.finditer(text)]
                         for path, text in code.items()}
        self.sees, self.pure, self.reasons, self.without, self.ways = {}, {}, {}, {}, {}

    def top(self, path):
        return next((top for top in self.tops if path.startswith(top + "/")), None)

    def check(self):
        for folder in sorted(self.folders):
            self.read(folder)
        for path in sorted(self.code):
            self.check_file(path)
        rooms = {room: {s for s in sees if s in self.folders} for room, sees in self.sees.items() if "all" not in sees}
        for circle in circles(rooms):
            self.say(circle[0] + "/README.md", 1, "rooms see each other in a circle: " + ", ".join(circle))
        files = {}
        for path, includes in self.includes.items():
            if not is_test(path):
                files.setdefault(stem(path), set()).update(stem(other) for _, other in includes if stem(other) != stem(path))
        for circle in circles(files):
            self.say(self.file_of(circle[0]), 1, "files include each other in a circle: " + ", ".join(circle))

    def file_of(self, name):
        return next(name + end for end in (".h", ".cc") if name + end in self.code)

    def read(self, folder):
        """Reads the README.md of a room: '# folder', the room's purpose, 'Sees: …' and, if it is pure, 'Pure: …'."""
        path = os.path.join(self.root, folder, "README.md")
        where = folder + "/README.md"
        if not os.path.exists(path):
            if folder not in self.no_readme:
                self.say(where, 1, "a folder of code has no README.md: what it is for, 'Sees: …', 'Pure: …'")
            return
        with open(path, encoding="utf-8") as file:
            lines = file.read().split("\n")
        sees = [line[6:] for line in lines if line.startswith("Sees: ")]
        pure = [line[6:] for line in lines if line.startswith("Pure: ")]
        self.without[folder] = [word for line in lines if line.startswith("Without: ") for word in re.split(r",\s*", line[9:].strip(". "))]
        prose = [line for line in lines[1:] if line.strip() and not line.startswith(("Sees: ", "Pure: ", "Without: "))]
        if lines[0] != "# " + folder or not prose or not sees:
            self.say(where, 1, f"want '# {folder}', one to three sentences, and lines 'Sees: …'")
            return
        top = self.top(folder + "/")
        self.sees[folder] = set()
        for word in re.split(r",\s*", ", ".join(line.strip(",. ") for line in sees)):
            self.sees[folder] |= self.seen(folder, top, word.strip("` "), where)
        for below in self.without[folder]:
            if not any(other == below or other.startswith(below + "/") for other in self.folders):
                self.say(where, 1, f"stands above {below}: there is no such folder")
        if pure:
            names = {folder + "/" + name for name in re.split(r",\s*", pure[0].strip(". "))}
            known = {stem(file) for file in self.code}
            self.pure[folder] = names if names <= known else None  # None: the whole room

    def seen(self, folder, top, word, where):
        if word == "nothing" or word.startswith("lib/") and os.path.isdir(os.path.join(self.root, word)) and word != top:
            return set()  # LAYERS of tidy.py covers lib/
        if word == "all":
            if folder != top:
                self.say(where, 1, "only the top folder, which wires the rooms, sees all of them")
            return {"all"}
        if word == top or f"{top}/{word}" in self.folders:
            return {top if word == top else f"{top}/{word}"}
        if f"{top}/{word}.h" in self.code:
            return {f"{top}/{word}.h"}
        self.say(where, 1, f"sees '{word}': there is no folder {top}/{word} and no {top}/{word}.h")
        return set()

    def check_file(self, path):
        room, top = os.path.dirname(path), self.top(path)
        if not top:
            return
        for line, other in self.includes[path]:
            if not os.path.exists(os.path.join(self.root, other)):
                same = [p for p in self.code if p.endswith("/" + os.path.basename(other))]
                self.say(path, line, f"there is no {other}" + (f"; is it {' or '.join(sorted(same)[:3])}?" if same else ""))
                continue
            seen, there = self.sees.get(room), os.path.dirname(other)
            if seen is None or is_test(path) or there == room or self.top(other) != top:
                continue
            if not seen & {"all", there, other}:
                self.say(path, line, f"{room} may not include {other}: its README.md does not say that it sees it")
        for below in self.without.get(room, ()) if not is_test(path) else ():
            way = self.way(path, below)
            if way:
                self.say(path, 1, f"{room} stands above {below}, and this file reaches it: {way}")
        listed = room in self.pure and (self.pure[room] is None or stem(path) in self.pure[room])
        if listed and not is_test(path):
            reason = self.impure(path)
            if reason:
                self.say(path, 1, "a file of decisions includes what does input or output: " + reason)

    def way(self, path, below):
        """→ the includes by which `path` reaches the folder `below` ('a.h → lib/sqlite/b.h'), or None."""
        if (path, below) not in self.ways:
            self.ways[path, below] = None
            for _, other in self.includes.get(path, []):
                inner = "" if other.startswith(below + "/") else self.way(other, below)
                if inner is not None:
                    self.ways[path, below] = other + (inner and " → " + inner)
                    break
        return self.ways[path, below]

    def impure(self, path):
        """→ the includes by which `path` reaches input or output ('a.h → <thread>'), or None."""
        if path not in self.reasons:
            self.reasons[path] = None
            match = IMPURE.search(self.code.get(path, ""))
            if match:
                self.reasons[path] = match[1]
            for _, other in [] if match else self.includes.get(path, []):
                inner = self.impure(other)
                if inner:
                    self.reasons[path] = f"{other} → {inner}"
                    break
        return self.reasons[path]


def circles(graph):
    """Tarjan's strongly connected components of more than one node, each sorted."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found
