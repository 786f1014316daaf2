"""Reads closed state files: checks that the file is intact and its search index matches its rows (K42), and
lists its items. Uses Python's own SQLite, not the code under test."""
import contextlib
import re
import sqlite3

ITEM = re.compile(r"item-(\d+)-")


def problems(path):
    """→ the faults of the file as texts; empty if it is intact."""
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
    """→ the numbers of the items 'item-N-' in that column, duplicates included; none if the file or the
    table does not exist."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=1)) as db:
            texts = [str(row[0]) for row in db.execute(f"SELECT {column} FROM {table}")]
    except sqlite3.Error:
        return []
    most = None if column == "fields" else 1  # a text may quote other items; each field is an item
    return [int(number) for text in texts for number in ITEM.findall(text)[:most]]


def compare(found, acknowledged):
    """→ (lost, twice): missing acknowledged items, and items that were found more than once."""
    counts = {}
    for item in found:
        counts[item] = counts.get(item, 0) + 1
    return sorted(set(acknowledged) - set(counts)), sorted(i for i, n in counts.items() if n > 1)


def missing(path, table):
    """True if the file has no such table, or is no database."""
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=1)) as db:
            return not db.execute("SELECT 1 FROM sqlite_master WHERE type='table' AND name=?", (table,)).fetchone()
    except sqlite3.Error:
        return True
