"""Counts and prints checks for people: chapters, and a line for each check. Not a test framework: a failed
check is printed, and the test continues as far as it can."""
import time


class Checks:
    def __init__(self):
        self.passed, self.failed, self.chapter_started = 0, 0, None
        self.started = time.monotonic()

    def chapter(self, title):
        at = time.monotonic() - self.started
        print(f"\n[{at:5.1f} s] {title}", flush=True)

    def say(self, text):
        print(f"          {text}", flush=True)

    def that(self, condition, text, seen=None):
        """One check; prints `seen` if it fails. → whether it passed"""
        if condition:
            self.passed += 1
            print(f"     ok   {text}", flush=True)
        else:
            self.failed += 1
            print(f"     FAIL {text}" + (f"\n          seen: {shown(seen)}" if seen is not None else ""), flush=True)
        return bool(condition)

    def equal(self, seen, wanted, text):
        return self.that(seen == wanted, text, f"{shown(seen)}, wanted {shown(wanted)}")

    def end(self):
        """Prints the last line → the exit code."""
        print(f"\n{self.passed} passed, {self.failed} failed", flush=True)
        return 1 if self.failed or not self.passed else 0


def shown(value, limit=600):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else text[:limit] + f"… ({len(text)} characters)"
