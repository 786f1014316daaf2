#!/usr/bin/env python3
"""Tests the log reader on lines in strace's format. The last line is 'N passed, M failed'."""
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "support")]

from checks import Checks  # noqa: E402
from strace_log import Log  # noqa: E402


def hexed(text):
    return "".join(f"\\x{byte:02x}" for byte in text.encode())


FILE, SOCKET, ACK = f"7<{hexed('/d/a.db')}>", f"9<{hexed('socket:[41]')}>", "HTTP/1.1 201 Created"
SEND = f'sendmsg({SOCKET}, {{msg_name=NULL, msg_iov=[{{iov_base="{hexed(ACK)}", iov_len=20}}], msg_iovlen=1}}, MSG_NOSIGNAL'
WRITE = f'pwrite64({FILE}, "{hexed("abcd")}", 4, 8)'
SYNC = f"fdatasync({FILE})"
SENT, WRITTEN = ("sent", ACK.encode()), ("write", "/d/a.db", 8, b"abcd")
START, END = ("sync-start", 1, "/d/a.db"), ("sync-end", 1)

CASES = {
    "an answer and a write": ([f"5  {SEND}) = 20", f"5  {WRITE} = 4"], [SENT, WRITTEN]),
    "an answer in whose send the program was killed was told": ([f"5  {SEND}) = ?"], [SENT]),
    "also where strace says unfinished": ([f"5  {SEND} <unfinished ...>) = ?"], [SENT]),
    "also after other threads' lines, and once": (
        [f"5  {SEND} <unfinished ...>", f"6  {WRITE} = 4", "5  <... sendmsg resumed>) = ?"], [SENT, WRITTEN]),
    "a write in which it was killed was done": ([f"5  {WRITE} = ?"], [WRITTEN]),
    "a sync in which it was killed confirms nothing": ([f"5  {SYNC} = ?"], [START]),
    "a sync keeps what was there when it began": (
        [f"5  {SYNC[:-1]} <unfinished ...>", f"6  {WRITE} = 4", "5  <... fdatasync resumed>) = 0"],
        [START, WRITTEN, END]),
    "a short write is as long as it was": ([f"5  {WRITE} = 3"], [("write", "/d/a.db", 8, b"abc")]),
    "what failed did nothing": ([f"5  {WRITE} = -1 ENOSPC (No space left on device)"], []),
    "files elsewhere do not count": ([f"5  {WRITE} = 4".replace(hexed("/d/"), hexed("/e/"))], []),
}


def main():
    checks = Checks()
    for text, (lines, wanted) in CASES.items():
        checks.equal(Log("/d").read([line + "\n" for line in lines]), wanted, text)
    return checks.end()


if __name__ == "__main__":
    sys.exit(main())
