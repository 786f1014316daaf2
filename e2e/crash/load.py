"""Writers and readers that keep a program busy and record the acknowledged items. They outlive the program:
they wait while it is down."""
import http.client
import itertools
import threading
import urllib.parse

import wire


class Load:
    def __init__(self, target, program, writers, readers=0):
        self.target, self.program = target, program
        self.acknowledged, self.attempted = {}, 0  # item → where it is stored
        self.refused = {}  # status → count, of answers other than 2xx
        self.numbers, self.lock = itertools.count(1), threading.Lock()
        self.stopping, self.up = threading.Event(), threading.Event()
        self.round = 0
        self.threads = [threading.Thread(target=self.run, args=(self.write_one, n)) for n in range(writers)]
        self.threads += [threading.Thread(target=self.run, args=(self.read_one, n)) for n in range(readers)]

    def start(self):
        self.up.set()
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        self.up.set()
        for thread in self.threads:
            if thread.ident is not None:  # started
                thread.join()

    def run(self, step, number):
        connection, address = None, None
        while not self.stopping.is_set():
            self.up.wait(1)
            if address != self.program.api:
                address = self.program.api
                where = urllib.parse.urlsplit("http://" + address)
                connection = http.client.HTTPConnection(where.hostname, where.port, timeout=wire.PATIENCE_S)
            step(connection, number)
        if connection:
            connection.close()

    def write_one(self, connection, number):
        with self.lock:
            item = next(self.numbers)
            self.attempted += 1
        conversation = f"writer{number}-round{self.round}"
        while not self.stopping.is_set():
            status, where = self.target.write(connection, item, conversation)
            with self.lock:
                if 200 <= status < 300:
                    self.acknowledged[item] = where
                    return
                if status:
                    self.refused[status] = self.refused.get(status, 0) + 1
            if status in (429, 503) or not self.target.repeats:
                break
            self.up.wait(1)
        self.stopping.wait(0.002)  # no busy loop while the program is down

    def read_one(self, connection, number):
        self.target.read(connection, f"writer{number}-round{self.round}")

    def count(self):
        with self.lock:
            return len(self.acknowledged)

    def latest(self, many):
        with self.lock:
            return list(self.acknowledged.items())[-many:]
