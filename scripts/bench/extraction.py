#!/usr/bin/env python3
"""Measures the facts that auto-ingest extracts from conversations: the number of each category, the processor time of a
turn, and a sample for the rubric of docs/extraction.md. Exit 1 if a turn of 2,000 characters takes more than a
millisecond of processor time (p99), or, with --verdicts, if less than 80 % of the sampled facts are right. The
repository has no conversations.

    scripts/bench/extraction.py RECORDS [--sample 100] [--seed 1] [--verdicts FILE]

RECORDS: lines of {session, content}, in order; two successive ones are a turn. FILE: the numbers of the wrong facts of
the sample, separated by blanks; the same RECORDS, --sample and --seed give the same sample."""
import argparse
import collections
import glob
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

from compiled import ROOT, compiled

TURN_CHARACTERS, BAR_MS, BAR_PRECISION = 2000, 1, .8


def build(folder):
    """Compiles memory/extract, optimized as in a release."""
    sources = [path for path in glob.glob(os.path.join(ROOT, "memory/extract/**/*.cc"), recursive=True)
               if not path.endswith("_test.cc")]
    return compiled("extraction_turns", sources, folder)


def run(program, turns):
    given = "".join(json.dumps(turn) + "\n" for turn in turns)
    done = subprocess.run([program], input=given, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def turns_of(records):
    for one, other in zip(records, records[1:] + [{"session": None, "content": ""}]):
        yield {"user": one["content"], "assistant": other["content"] if other["session"] == one["session"] else ""}


def long_turns(records):
    """Turns of TURN_CHARACTERS, half from each side."""
    text = "\n".join(record["content"] for record in records)
    half = TURN_CHARACTERS // 2
    pieces = [text[at:at + half] for at in range(0, len(text) - half, half)]
    return [{"user": one, "assistant": other} for one, other in zip(pieces[::2], pieces[1::2])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records")
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verdicts")
    options = parser.parse_args()
    with open(options.records, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as folder:
        program = build(folder)
        answers = run(program, turns_of(records))
        costs = sorted(answer["microseconds"] / 1e3 for answer in run(program, long_turns(records)))
    # A message is the user's in one turn and the assistant's in the turn before: only the user's facts count.
    facts = [{**fact, "turn": turn} for turn, answer in enumerate(answers, 1) for fact in answer["facts"]
             if fact["said_by"] == "user"]
    assistants = sum(len(answer["facts"]) for answer in answers) - len(facts)
    counts = collections.Counter(fact["category"] for fact in facts)
    print(f"{len(answers)} turns: {len(facts)} facts of users, {assistants} of assistants; " +
          ", ".join(f"{name} {count}" for name, count in counts.most_common()))
    slow = costs[-1 - len(costs) // 100]
    print(f"a turn of {TURN_CHARACTERS} characters: median {statistics.median(costs):.3f} ms, p99 {slow:.3f} ms of "
          f"{len(costs)}, at most {BAR_MS}: {'ok' if slow <= BAR_MS else 'MISSED'}")
    sample = random.Random(options.seed).sample(facts, min(options.sample, len(facts)))
    good = True
    if options.verdicts:
        with open(options.verdicts, encoding="utf-8") as file:
            wrong = set(map(int, file.read().split()))
        precision = 1 - len(wrong) / len(sample)
        good = precision >= BAR_PRECISION
        print(f"{len(sample) - len(wrong)} of {len(sample)} facts are right, {precision:.0%}, at least "
              f"{BAR_PRECISION:.0%}: {'ok' if good else 'MISSED'}")
    else:
        for number, fact in enumerate(sample, 1):
            print(f"{number:3} line {fact['turn']:5} {fact['category']:15} {fact['importance']:.2f} {fact['content']}")
    return 0 if good and slow <= BAR_MS else 1


if __name__ == "__main__":
    sys.exit(main())
