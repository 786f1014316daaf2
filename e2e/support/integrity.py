"""Looks into closed state files: is the file sound, is the search index the one of its rows (rulings K42),
and which items are in it. Reads with Python's own SQLite, not with the code under test."""
import contextlib
import re
import sqlite3

ITEM = re.compile(r"item-(\d+)-")


def problems(path):
    """→ what is wrong with the file, as text; empty when it is sound."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=1)) as db:
            found = [row[0] for row in db.execute("PRAGMA integrity_check(5)") if row[0] != "ok"]
            indexes = [row[0] for row in db.execute(
                "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%'")]
            for index in indexes:
                try:
                    db.execute(f"INSERT INTO {index}({index}, rank) VALUES('integrity-check', 1)")
                except sqlite3.Error as failure:
                    found.append(f"{index}: {failure}")
            db.rollback()
            return found
    except sqlite3.Error as failure:
        return [f"{path}: {failure}"]


def items(path, table, column="content"):
    """→ the numbers of the items 'item-N-' in that column, each as often as it is there. A file or table
    that is not there has none."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=1)) as db:
            texts = [str(row[0]) for row in db.execute(f"SELECT {column} FROM {table}")]
    except sqlite3.Error:
        return []
    most = None if column == "fields" else 1  # a text may quote others; each field is an item
    return [int(number) for text in texts for number in ITEM.findall(text)[:most]]


def compare(found, acknowledged):
    """→ (lost, twice): acknowledged items that are missing, items that are there more than once."""
    counts = {}
    for item in found:
        counts[item] = counts.get(item, 0) + 1
    return sorted(set(acknowledged) - set(counts)), sorted(i for i, n in counts.items() if n > 1)


def missing(path, table):
    """True when the file has no such table, or is no database."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=1)) as db:
            return not db.execute("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", (table,)).fetchone()
    except sqlite3.Error:
        return True
