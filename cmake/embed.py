#!/usr/bin/env python3
"""Writes a C++ file with the bytes of a folder's files, plain and gzipped, for memory/console/console_files.h.

    embed.py OUTPUT FOLDER
"""
import gzip
import os
import sys

LINE = 40


def array(name, raw):
    lines = [",".join(str(byte) for byte in raw[at:at + LINE]) for at in range(0, len(raw), LINE)]
    return f"constexpr unsigned char {name}[] = {{\n" + ",\n".join(lines) + "};\n"


def view(name):
    return f"{{reinterpret_cast<const char*>({name}), sizeof {name}}}"


def main():
    output, folder = sys.argv[1:]
    arrays, rows = [], []
    for number, name in enumerate(sorted(os.listdir(folder))):
        with open(os.path.join(folder, name), "rb") as file:
            raw = file.read()
        # No time in the header: the same sources make the same program.
        arrays += [array(f"kPlain{number}", raw), array(f"kPacked{number}", gzip.compress(raw, 9, mtime=0))]
        rows.append(f'    {{"{name}", {view(f"kPlain{number}")}, {view(f"kPacked{number}")}}}')
    text = ('// Written by cmake/embed.py: do not edit.\n#include "memory/console/console_files.h"\n\nnamespace memory {\nnamespace {\n\n'
            + "".join(arrays) + "\n}  // namespace\n\nstd::span<const ConsoleFile> ConsoleFiles() {\n"
            "  static const ConsoleFile kFiles[] = {\n" + ",\n".join(rows) + "};\n  return kFiles;\n}\n\n}  // namespace memory\n")
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
