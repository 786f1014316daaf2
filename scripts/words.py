"""The words that tidy.py refuses, and the terms to use instead. Matches whole words, with '*' all words with that prefix,
in any case. Not for syntax: readers find that."""
import re

import rooms

PROGRAMS = ("memory", "sidecar", "operator", "client")
CODE = (".cc", ".h")

# In comments, texts for people and documents, but not in tests, ADRs and the change log.
TERMS = {
    "blacklist*, whitelist*": "denied, allowed",
    "pods of others, pod of others": "foreign pods",
    "missed pods": "uninjected pods",
    "slave, janitor": "replica, maintenance",
    "sanity check*, dummy": "the check by its subject; the fake",
}
# In documents, including ADRs and the change log.
TERMS_OF_DOCUMENTS = {
    "ruling, rulings": "the reason, or a link to an ADR",
    "words in memory": "the resident index",
    "whoever, anybody, everybody": "the noun: every caller, a user, all tenants",
    "is told, are told, was told, were told": "the verb of the subject: gets, reads, sends",
    "anew, likewise, so long, shall": "again, also, for this time, must",
    "least lately, let go": "least recently used (LRU), evicted or deleted",
}

TOKENS = re.compile(r'(?P<include>^\s*#include[^\n]*)|//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"'
                    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S | re.M)


def reads(path):
    if path.endswith(CODE):
        return path.startswith(("lib/", *(program + "/" for program in PROGRAMS))) and not rooms.is_test(path)
    return path.endswith(".md") and not path.startswith(("docs/adr/", "CHANGELOG")) or path.startswith("crds/")


def reads_as_document(path):
    return path.endswith(".md") and not path.startswith(("lib/", *(program + "/" for program in PROGRAMS)))


class Words:
    def __init__(self, terms, is_read):
        self.is_read = is_read
        self.instead = {word.strip(): say for words, say in terms.items() for word in words.split(",")}
        self.pattern = re.compile("|".join(
            r"\b" + re.escape(word.rstrip("*")) + (r"\w*" if word.endswith("*") else r"\b") for word in self.instead), re.I)

    def check(self, path, text, say):
        if not self.is_read(path) or not self.pattern.search(text):
            return
        if path.endswith(CODE):
            text = only_comments_and_strings(text)
        for number, line in enumerate(text.split("\n"), 1):
            for match in self.pattern.finditer(line):
                said = match[0].lower()
                word = next(w for w in self.instead if re.fullmatch(re.escape(w).replace(r"\*", r"\w*"), said))
                say(path, number, f"'{match[0]}' is not the field's word: {self.instead[word]}")


WORDS = (Words(TERMS, reads), Words(TERMS_OF_DOCUMENTS, reads_as_document))


def without_comments(text):
    """The code with comments and the insides of literals blanked; line numbers stay."""
    def blank(match):
        token = match[0]
        if token.startswith("/"):
            return "\n" * token.count("\n")
        return token if match["include"] else '""' + "\n" * token.count("\n")
    return TOKENS.sub(blank, text)


def only_comments_and_strings(text):
    out, at = [], 0
    for match in TOKENS.finditer(text):
        out += ["\n" * text.count("\n", at, match.start()), " " if match["include"] else match[0]]
        at = match.end()
    return "".join(out)
