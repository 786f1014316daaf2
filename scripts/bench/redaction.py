#!/usr/bin/env python3
"""Measures the speed of redaction (acceptance D11: 50 MB/s): the release library over tool output of words, paths,
hashes and log lines, on one core; and that the time of hostile text is proportional to its size. The test
RedactionCorpus checks which texts are redacted.

    scripts/bench/redaction.py [--seconds 3]      exit 1 if a limit is missed; needs the release build"""
import argparse
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BAR_MB_S, BAR_GROWTH = 50, 2.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    options = parser.parse_args()
    build = os.path.join(ROOT, "build/release")
    libraries = [os.path.join(build, path) for path in
                 ("lib/redaction/liblib_redaction.a", "lib/api/liblib_api.a", "lib/base/liblib_base.a")]
    missing = [path for path in libraries if not os.path.exists(path)]
    if missing:
        raise SystemExit(f"{missing[0]} is not there: build it with 'cmake --preset release && cmake --build --preset release'")
    with tempfile.TemporaryDirectory(prefix="agent-memory-bench-") as folder:
        program = os.path.join(folder, "redaction_speed")
        subprocess.run(["c++", "-O2", "-std=c++20", "-I", ROOT, os.path.join(HERE, "redaction_speed.cc"), *libraries,
                        "-lre2", "-lutf8proc", "-lyaml-cpp", "-lcrypto", "-lpthread", "-o", program], check=True)
        done = subprocess.run([program, str(options.seconds)], check=True, capture_output=True, text=True)
    speed, *keys = map(float, done.stdout.split())
    print(f"redaction: {speed:.0f} MB of processor time a second, at least {BAR_MB_S}: {'ok' if speed >= BAR_MB_S else 'MISSED'}")
    growth = (keys[-1] / keys[0]) ** (1 / 3) if keys[0] else 0
    print("beginnings of private keys, 16, 32, 64, 128 KiB: " + ", ".join(f"{1e3 * key:.2f}" for key in keys) +
          f" ms; twice the text takes {growth:.2f} times as long, at most {BAR_GROWTH}: "
          f"{'ok' if growth <= BAR_GROWTH else 'MISSED'}")
    return 0 if speed >= BAR_MB_S and growth <= BAR_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
