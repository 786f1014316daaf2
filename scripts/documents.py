"""The rules of documents, for scripts/tidy.py: columns, contents of long pages, length of sentences, and that links lead
somewhere and named files exist. Does not judge words (words.py does) or what a page says."""
import os
import re

MAX_COLUMNS, MAX_BARE_LINES, MAX_WORDS = 120, 200, 35
NO_MENTIONS = re.compile(r"^CHANGELOG|^scripts/tidy|/testdata/")  # they name what was, or what is not
MENTIONS = (".md", ".cc", ".h", ".py", ".yaml", ".yml", ".txt", ".tpl", ".sh")

NAME = r"(?:`+[^`]+`+|\[[^\]]*\]\([^)]*\))"
NAMES = re.compile(rf"{NAME}(?:(?:,? (?:and|or) |, | · |; | |/){NAME})+")  # a list of names or links is one word
LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]*)\)")
END = re.compile(r"(?<=[.!?])[)\"'*_”]*\s+(?=[^a-z\s])| · ")
FILE = re.compile(r"(?:lib|memory|sidecar|operator|client|scripts|e2e|crds|charts|config)/[\w.*/-]+|[\w*]+\.(?:cc|h|py)")
BUILT = ("lib/agent-memory-otlp.so",)  # files of an installation
MENTION = re.compile(r"(?<![\w/.-])docs/[\w./-]+\.md\b")


class Documents:
    """Checks documents one by one; `say(path, line, text)` takes the findings."""

    def __init__(self, root, paths, say):
        self.root, self.say, self.known = root, say, {}
        self.paths = set(paths) | {folder for path in paths for folder in folders(path)}
        self.places = "".join(f"/{path}\n" for path in self.paths)

    def check(self, path, text):
        lines, unlisted = list(prose(text)), []
        for number, line in lines:
            if len(line) > MAX_COLUMNS and not line.startswith("|") and " " in line[2:MAX_COLUMNS]:
                self.say(path, number, f"{len(line)} columns, the limit of documents is {MAX_COLUMNS}: break the line")
            for name in re.findall(r"`([^`]+)`", line) if not NO_MENTIONS.search(path) else ():
                if FILE.fullmatch(name) and name not in BUILT and not self.is_place(name):
                    self.say(path, number, f"there is no {name}")
            if line.startswith("## ") and f"[{line[3:].replace('`', '')}](#" not in text:
                unlisted.append(line[3:])
        if unlisted and text.count("\n") > MAX_BARE_LINES and path.startswith("docs/"):
            self.say(path, 1, f"over {MAX_BARE_LINES} lines, and no '**On this page**' with '{unlisted[0]}': list the chapters")
        for number, block in blocks(lines):
            for _, target in LINK.findall(re.sub(r"`[^`]*`(?!\])", "", block)):
                self.check_link(path, number, target)
            for sentence in END.split(block):
                if (count := words(sentence)) > MAX_WORDS:
                    self.say(path, number, f"a sentence of {count} words, the limit is {MAX_WORDS}: '{sentence[:50]}…'")

    def is_place(self, name):
        """A path, which may omit its first folders and its extension, and contain `*`."""
        pattern = re.escape(name.rstrip("/")).replace(r"\*", "[^/\n]*")
        return re.search(rf"/{pattern}(\.(cc|h|py))?$", self.places, re.M)

    def check_link(self, path, number, target):
        file, _, anchor = target.partition("#")
        goal = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
        if ":" in target:
            return
        if goal not in self.paths:
            self.say(path, number, f"the link leads nowhere: there is no {goal}")
        elif anchor and goal.endswith(".md") and anchor not in self.anchors(goal):
            self.say(path, number, f"the link leads nowhere: {goal} has no chapter #{anchor}")

    def check_mentions(self, path, text):
        """Documents that comments and texts of any file name, from the root: `docs/….md`."""
        for number, line in enumerate(text.split("\n"), 1) if path.endswith(MENTIONS) and not NO_MENTIONS.search(path) else ():
            for name in MENTION.findall(line):
                if name not in self.paths:
                    self.say(path, number, f"there is no {name}")

    def anchors(self, path):
        if path not in self.known:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                heads = [line.lstrip("#").strip() for _, line in prose(file.read()) if re.match(r"#+ ", line)]
            heads = [re.sub(r"[^\w\- ]", "", LINK.sub(r"\1", head)).lower().replace(" ", "-") for head in heads]
            self.known[path] = {head + (f"-{again}" if again else "") for at, head in enumerate(heads) for again in [heads[:at].count(head)]}
        return self.known[path]


def folders(path):
    while path := os.path.dirname(path):
        yield path


def prose(text):
    """→ (number, line) of the lines outside code blocks and comments."""
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        fence = line.lstrip().startswith("```")
        code ^= fence
        if not code and not fence and not line.startswith("<!--"):
            yield number, line


def blocks(lines):
    """→ (number, text) of each paragraph, item of a list and cell of a table."""
    start, block, last = 0, [], 0
    for number, line in [*lines, (0, "")]:
        item, row = re.match(r"\s*(?:[-*+]|\d+\.)\s+", line), line.startswith("|")
        if block and (not line.strip() or item or row or line.startswith("#") or number != last + 1):
            yield start, " ".join(block)
            block = []
        if row:
            yield from ((number, cell.strip()) for cell in re.split(r"\|(?=(?:[^`]*`[^`]*`)*[^`]*$)", line))
        elif line.strip() and not line.startswith("#"):
            start = start if block else number
            block.append(line[item.end():].strip() if item else line.strip())
        last = number


def words(sentence):
    sentence = LINK.sub(lambda link: link[1], NAMES.sub("names", sentence)).replace("`", "")
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())
