"""A model of a disk that loses power: names and contents as the programs see them, and the durable ones. Three
models of the files after a crash:

  kill     the process died, but not the machine: everything written survives
  ordered  names survive, and contents as of their last sync
  strict   names, too, survive only as of the last sync of their directory

After "All File Systems Are Not Created Equal" (Pillai et al., OSDI 2014)."""
import os

MODELS = ("kill", "ordered", "strict")


class Disk:
    def __init__(self):
        self.contents, self.durable = [], []  # by inode
        self.names, self.durable_names = {}, {}
        self.syncs = {}  # token → (path, inode, its content or the directory's names at the start)
        self.version = dict.fromkeys(MODELS, 0)

    def apply(self, operation):
        kind = operation[0]
        if kind == "create":
            self.create(operation[1])
        elif kind == "write":
            self.put(self.names.get(operation[1]), operation[2], operation[3])
        elif kind == "append":
            inode = self.names.get(operation[1])
            self.put(inode, len(self.contents[inode]) if inode is not None else 0, operation[2])
        elif kind in ("truncate", "extend"):
            self.resize(self.names.get(operation[1]), operation[2], kind == "truncate")
        elif kind == "rename":
            if operation[1] in self.names:
                self.names[operation[2]] = self.names.pop(operation[1])
                self.changed("kill", "ordered")
        elif kind == "unlink":
            if self.names.pop(operation[1], None) is not None:
                self.changed("kill", "ordered")
        elif kind == "sync-start":
            self.sync_start(operation[1], operation[2])
        elif kind == "sync-end":
            self.sync_end(operation[1])

    def changed(self, *models):
        for model in models:
            self.version[model] += 1

    def create(self, path):
        if path not in self.names:
            self.contents.append(bytearray())
            self.durable.append(b"")
            self.names[path] = len(self.contents) - 1
            self.changed("kill", "ordered")

    def put(self, inode, offset, written):
        if inode is None:
            return  # a file that was unlinked while open: no image contains it
        content = self.contents[inode]
        content.extend(bytes(max(0, offset + len(written) - len(content))))
        content[offset:offset + len(written)] = written
        self.changed("kill")

    def resize(self, inode, size, shrink):
        if inode is None:
            return
        content = self.contents[inode]
        if shrink:
            del content[size:]
        content.extend(bytes(max(0, size - len(content))))
        self.changed("kill")

    def sync_start(self, token, path):
        inode = self.names.get(path)
        if inode is None:  # a directory: the names in it become durable
            inside = {p: i for p, i in self.names.items() if os.path.dirname(p) == path}
            self.syncs[token] = (path, None, inside)
        else:
            self.syncs[token] = (path, inode, bytes(self.contents[inode]))

    def sync_end(self, token):
        path, inode, seen = self.syncs.pop(token)
        if inode is None:
            kept = {p: i for p, i in self.durable_names.items() if os.path.dirname(p) != path}
            self.durable_names = {**kept, **seen}
            self.changed("strict")
        else:
            self.durable[inode] = seen
            self.changed("ordered", "strict")

    def image(self, model):
        """→ {path: bytes} of the files after the crash."""
        if model == "kill":
            return {path: bytes(self.contents[inode]) for path, inode in self.names.items()}
        names = self.names if model == "ordered" else self.durable_names
        return {path: self.durable[inode] for path, inode in names.items()}
