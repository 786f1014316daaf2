"""Reads a log of `strace -f -y -xx` as operations on the disk and answers to clients, in order. Knows the calls
that SQLite and file replacement use; an unknown call that changes a file is an error.

Operations (tuples): ("create", path) ("write", path, offset, bytes) ("append", path, bytes)
("truncate", path, size) ("rename", old, new) ("unlink", path) ("sync-start", token, path)
("sync-end", token) ("sent", bytes). A sync covers only the writes before its start; an answer counts as
received from the start of its send. A call during which the program was killed ends with "= ?": an answer
counts as received and a write as done, a sync does not."""
import re

CALLS = ("open,openat,creat,write,writev,pwrite64,pwritev,pwritev2,fsync,fdatasync,ftruncate,fallocate,"
         "rename,renameat,renameat2,unlink,unlinkat,sendmsg,sendto,sync_file_range")
STRACE = ["strace", "-f", "-y", "-xx", "-s", "4000000", "-e", "trace=" + CALLS, "-e", "signal=none"]

LINE = re.compile(r"(\d+)\s+(.*)")
CALL = re.compile(r"(\w+)\((.*)\)\s+=\s+(-?\d+|\?)")
STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
DESCRIPTOR = re.compile(r"(\d+)<((?:[^>]|->)*)>")


def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


def plain(path):
    return unhex(path).decode() if "\\x" in path else path


class Log:
    def __init__(self, root):
        self.root, self.operations, self.unfinished, self.tokens = root.rstrip("/") + "/", [], {}, 0

    def mine(self, path):
        """Below the root, except SQLite's shared memory, which SQLite rebuilds after a crash."""
        return (path.startswith(self.root) or path + "/" == self.root) and not path.endswith("-shm")

    def read(self, file):
        for line in file:
            match = LINE.match(line)
            if match:
                self.line(match[1], match[2])
        return self.operations

    def line(self, thread, rest):
        if rest.endswith("<unfinished ...>"):
            started = rest[: -len("<unfinished ...>")].rstrip()
            self.unfinished[thread] = (started, self.start(started))
            return
        token, begun, rest = None, rest.startswith("<... "), rest.replace(" <unfinished ...>) = ?", ") = ?")
        if begun:
            started, token = self.unfinished.pop(thread, ("", None))
            rest = started + rest.split("resumed>", 1)[1]
        match = CALL.match(rest)
        if not match:
            return
        killed = match[3] == "?"
        if not killed and int(match[3]) < 0:
            return
        if not begun:
            token = self.start(rest)
        self.finish(match[1], match[2], None if killed else int(match[3]), token)

    def start(self, text):
        """Records the effects at the start of a call: the snapshot of a sync, a sent answer. → the token of a sync"""
        name = text.split("(", 1)[0]
        if name in ("sendmsg", "sendto", "write", "writev") and "<socket:" in text.replace("\\x", "")[:80] or \
                name in ("sendmsg", "sendto"):
            self.operations.append(("sent", b"".join(unhex(s) for s in STRING.findall(text))))
        elif name in ("fsync", "fdatasync"):
            path = self.path(text.split("(", 1)[1])
            if self.mine(path):
                self.tokens += 1
                self.operations.append(("sync-start", self.tokens, path))
                return self.tokens
        return None

    @staticmethod
    def path(arguments):
        match = DESCRIPTOR.match(arguments)
        return plain(match[2]).removesuffix("(deleted)").rstrip() if match else ""

    def finish(self, name, arguments, result, token):
        add, path = self.operations.append, self.path(arguments)
        strings = STRING.findall(arguments)
        if name in ("fsync", "fdatasync"):
            if token is not None and result is not None:
                add(("sync-end", token))
        elif name in ("open", "openat", "creat"):
            opened = plain(strings[0])
            if self.mine(opened):
                if "O_CREAT" in arguments or name == "creat":
                    add(("create", opened))
                if "O_TRUNC" in arguments or name == "creat":
                    add(("truncate", opened, 0))
        elif name.startswith("rename"):
            old, new = (plain(s) for s in strings)
            if self.mine(old) or self.mine(new):
                add(("rename", old, new))
        elif name.startswith("unlink"):
            if self.mine(plain(strings[0])) and "AT_REMOVEDIR" not in arguments:
                add(("unlink", plain(strings[0])))
        elif self.mine(path):
            self.change(name, arguments, path, b"".join(unhex(s) for s in strings)[:result])

    def change(self, name, arguments, path, written):
        add, last = self.operations.append, arguments.rsplit(",", 1)[-1].strip()
        if name in ("write", "writev"):
            add(("append", path, written))
        elif name in ("pwrite64", "pwritev"):
            add(("write", path, int(last, 0), written))
        elif name == "ftruncate":
            add(("truncate", path, int(last, 0)))
        elif name == "fallocate":
            offset, size = (int(n, 0) for n in arguments.split(",")[-2:])
            add(("extend", path, offset + size))
        elif name != "sync_file_range":
            raise ValueError(f"{name} on {path}: the replay does not know what it does to the file")
