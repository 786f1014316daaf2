#!/usr/bin/env python3
"""Measures how many statements in prompts sidecar/rules/stated.h finds, and trains its weights.

    scripts/bench/statements.py measure [--folder FOLDER]... [--show]
    scripts/bench/statements.py train [--across] [--write]

A folder has the prompts of one author, one on each line, with \\n for a line break inside a prompt. stated.txt has the
prompts with a statement; the text after a tab is the statement alone. ordinary.txt has the prompts without one. The
default folders are those of sidecar/rules/testdata/statements.

`measure` prints for each folder how many prompts were found, and how many of the saved texts contain the statement.
--show also prints the wrong ones. `train` computes the weights from all folders; it needs scikit-learn (PyPI). --across
evaluates each author with weights from the other authors alone, which predicts the result for unknown people. --write
writes stated_weights.cc."""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from compiled import ROOT, compiled

RULES = os.path.join(ROOT, "sidecar/rules")
AUTHORS = os.path.join(RULES, "testdata/statements")
INVERSE_PENALTY, LEAST_COUNT, MOST_FEATURES, LINE_COLUMNS = .3, 2, 20000, 900
# Prompts that are made to look like statements are not what a day has: they count less.
SHARES = {"english-twins": .3, "english-twins-2": .3, "german-twins": .3, "german-twins-2": .3}


def build(folder):
    """Compiles the program that reads prompts."""
    sources = [path for path in glob.glob(os.path.join(RULES, "stated*.cc"))
               if not path.endswith(("_test.cc", "_memory.cc"))]
    return compiled("statements", sources, folder, "-O1")


def read(program, path, *options):
    """The lines of the file, and what the program says about each → [(answer, prompt, stated words)]."""
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n").partition("\t") for line in file if line.strip()]
    given = "".join(prompt + "\n" for prompt, _, _ in lines)
    done = subprocess.run([program, *options], input=given, check=True, capture_output=True, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return [(answer, prompt, words) for answer, (prompt, _, words) in zip(answers, lines, strict=True)]


def plain(text):
    return " ".join(re.findall(r"\w+", text.lower()))


def overlaps(sentence, words):
    one, other = set(plain(sentence).split()), set(plain(words).split())
    return len(one & other) >= max(2, .6 * min(len(one), len(other)))


def measure(program, folders, show):
    for folder in folders:
        stated = read(program, os.path.join(folder, "stated.txt"))
        ordinary = read(program, os.path.join(folder, "ordinary.txt"))
        found = [row for row in stated if row[0]["kept"]]
        false = [row for row in ordinary if row[0]["kept"]]
        marked = [row for row in found if row[2]]
        whole = sum(plain(words) in plain(answer["kept"].replace("\\n", "\n")) for answer, _, words in marked)
        print(f"{os.path.basename(folder)}: {len(found)}/{len(stated)} found ({len(found) / len(stated):.1%}), "
              f"{len(false)}/{len(ordinary)} ordinary ones kept; precision {len(found) / max(1, len(found) + len(false)):.1%}"
              + (f"; {whole}/{len(marked)} kept texts have the stated words" if marked else ""))
        if show:
            for answer, prompt, _ in [row for row in stated if not row[0]["kept"]] + false:
                print("  " + (f"kept ({', '.join(answer['signs'])}): " if answer["kept"] else "missed: ") + prompt[:200])


def sentences(program, author):
    """→ [(prompt's number, features, is stated: True, False or None if unknown, is a stated prompt)]"""
    rows = []
    for name in ("stated", "ordinary"):
        for number, (answer, _, words) in enumerate(read(program, os.path.join(AUTHORS, author, name + ".txt"), "--features")):
            for sentence in answer["sentences"]:
                known = False if name == "ordinary" else overlaps(sentence["text"], words) if words else \
                    True if len(answer["sentences"]) == 1 else None
                rows.append(((author, name, number), sentence["features"], known))
    return rows


def fit(rows):
    """A logistic regression. Of a prompt whose stated sentence is unknown the best one counts as stated."""
    import numpy
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression
    counts = {}
    for _, features, _ in rows:
        for feature in features:
            counts[feature] = counts.get(feature, 0) + 1
    vectors = DictVectorizer()
    matrix = vectors.fit_transform([{f: 1 for f in features if counts[f] >= LEAST_COUNT} for _, features, _ in rows])
    matrix.indices, matrix.indptr = matrix.indices.astype(numpy.int32), matrix.indptr.astype(numpy.int32)
    truth = numpy.array([known is not False for _, _, known in rows])
    shares = numpy.array([SHARES.get(prompt[0], 1) for prompt, _, _ in rows])
    model = LogisticRegression(C=INVERSE_PENALTY, solver="liblinear", fit_intercept=False, max_iter=1000)
    for _ in range(3):
        scores = model.fit(matrix, truth, shares).decision_function(matrix)
        best = {}
        for at, (prompt, _, known) in enumerate(rows):
            if known is None and scores[at] > scores[best.get(prompt, at)] - 1e-9:
                best[prompt] = at
        for at, (prompt, _, known) in enumerate(rows):
            if known is None:
                truth[at] = best[prompt] == at or scores[at] > 0
    weights = dict(zip(vectors.get_feature_names_out(), (round(float(w) * 100) for w in model.coef_[0])))
    strongest = sorted(weights, key=lambda feature: (-abs(weights[feature]), feature))[:MOST_FEATURES]
    return {feature: weights[feature] for feature in strongest if weights[feature]}


def across(authors):
    """Each author's prompts by the weights of the others."""
    for author in authors:
        weights = fit([row for other in authors if other != author for row in authors[other]])
        scores = {}
        for prompt, features, _ in authors[author]:
            scores[prompt] = max(scores.get(prompt, -9999), sum(weights.get(f, 0) for f in features))
        stated = sorted(score for prompt, score in scores.items() if prompt[1] == "stated")
        ordinary = [score for prompt, score in scores.items() if prompt[1] == "ordinary"]
        line = []
        for share in (.95, .9, .85, .8):
            least = stated[int(len(stated) * (1 - share))]
            found, false = sum(s >= least for s in stated), sum(s >= least for s in ordinary)
            line.append(f"{found / len(stated):.0%} found at {found / (found + false):.1%} (score {least / 100:.2f})")
        print(f"{author}: " + ", ".join(line), flush=True)


def hashed(feature):
    """FNV-1a of 32 bits, as in stated_weights.h."""
    value = 2166136261
    for byte in feature.encode():
        value = (value ^ byte) * 16777619 % 2**32
    return value


def numbers(name, kind, values):
    lines = [""]
    for value in values:
        if len(lines[-1]) > LINE_COLUMNS:
            lines.append("")
        lines[-1] += f"{value},"
    return f"constexpr {kind} {name}[] = {{\n" + "\n".join(lines) + "\n};\n"


def write(weights):
    rows = sorted((hashed(feature), weight) for feature, weight in weights.items())
    assert len({code for code, _ in rows}) == len(rows), "two features have one hash: change LEAST_COUNT or MOST_FEATURES"
    with open(os.path.join(RULES, "stated_weights.cc"), "w", encoding="utf-8") as file:
        file.write("// Made by scripts/bench/statements.py from testdata/statements: change these, not this file.\n"
                   '#include "sidecar/rules/stated_weights.h"\n\n#include <algorithm>\n#include <iterator>\n\n'
                   "namespace sidecar {\nnamespace {\n\n// clang-format off\n"
                   + numbers("kHashes", "uint32_t", [code for code, _ in rows])
                   + numbers("kHundredths", "int16_t", [weight for _, weight in rows]) +
                   "// clang-format on\n\n}  // namespace\n\n"
                   "int StatedWeight(std::string_view feature) {\n"
                   "  const uint32_t hash = FeatureHash(feature);\n"
                   "  const auto* found = std::ranges::lower_bound(kHashes, hash);\n"
                   "  return found != std::end(kHashes) && *found == hash ? kHundredths[found - kHashes] : 0;\n"
                   "}\n\n}  // namespace sidecar\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure")
    measuring.add_argument("--folder", action="append")
    measuring.add_argument("--show", action="store_true")
    training = commands.add_parser("train")
    training.add_argument("--across", action="store_true")
    training.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as folder:
        program = build(folder)
        if options.command == "measure":
            measure(program, options.folder or sorted(glob.glob(os.path.join(AUTHORS, "*"))), options.show)
            return 0
        names = sorted(os.listdir(AUTHORS))
        authors = {name: sentences(program, name) for name in names}
    if options.across:
        across(authors)
    weights = fit([row for name in names for row in authors[name]])
    print(f"{sum(map(len, authors.values()))} sentences, {len(weights)} weights")
    if options.write:
        write(weights)
    return 0


if __name__ == "__main__":
    sys.exit(main())
