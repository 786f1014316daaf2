#!/usr/bin/env python3
"""Tells the story and checks it: an agent remembers after everything was killed.

    tell.py embedded [--keep]                  as processes below a temporary folder
    tell.py cluster [--keep] [--context NAME]  on the cluster of $KUBECONFIG, or of that context
    tell.py ... --only manifest,turns          some chapters, by the names of their functions

--keep leaves the folder, or the namespace, for inspection.
Programs come from build/release/bin or $AGENT_MEMORY_BIN. The last line is 'N passed, M failed'."""
import argparse
import os
import signal
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from chapters import CHAPTERS, Story  # noqa: E402
from checks import Checks  # noqa: E402


def place(options):
    if options.place == "embedded":
        from embedded import Embedded
        return Embedded(options.keep), CHAPTERS
    from cluster_chapters import CLUSTER_CHAPTERS
    from on_cluster import OnCluster, check_tools
    check_tools()
    return OnCluster(options.context, options.keep), CLUSTER_CHAPTERS


def some_of(chapters, names, parser):
    known = {chapter.__name__: chapter for chapter in chapters}
    unknown = [name for name in names if name not in known]
    if unknown:
        parser.error(f"no chapter {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("place", choices=("embedded", "cluster"))
    parser.add_argument("--context", help="of the kubeconfig; default: its current one")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--only", metavar="CHAPTERS", help="some, by the names of their functions: turns,captures")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    options = parser.parse_args()
    driver, chapters = place(options)
    if options.only:
        chapters = some_of(chapters, options.only.split(","), parser)
    checks = Checks()
    story = Story(driver, checks)
    try:
        driver.up()
        for chapter in chapters:
            chapter(story)
        checks.chapter("To repeat it by hand:")
        for line in driver.repeat():
            print("  " + line)
    except (Exception, SystemExit) as failure:  # a chapter that breaks off counts as a failed check
        checks.that(False, f"the story broke off: {type(failure).__name__}: {failure}")
    finally:
        driver.down()
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
