"""Writers of observations and of revisions of topics, over one replica of the memory server or several. Each repeats a write
with its key until it is acknowledged, so that at the end the store must have each acknowledged write exactly once."""
import http.client
import itertools
import threading
import time

import integrity
import postgres_memory as shared
import wire

SETTLE_S = 60.0


class Writers:
    """`may_close`: a replica may end and close connections; then the write goes to the next one."""

    def __init__(self, programs, count, may_close=False):
        self.programs, self.may_close, self.numbers, self.lock = programs, may_close, itertools.count(1), threading.Lock()
        self.acknowledged, self.revisions, self.odd = [], {}, {}
        self.refused, self.closed, self.slowest, self.last, self.unfinished = 0, 0, 0.0, 0.0, 0
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.run, args=(n,)) for n in range(count)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def run(self, number):
        connections = {}
        while not self.stopping.is_set():
            with self.lock:
                item = next(self.numbers)
            body = {"session_id": f"s{number}", "project": "coder", "type": "bugfix", "title": f"item {item}"}
            topic = f"topic-{number % 8}" if item % 2 else None
            body |= {"topic_key": topic, "content": f"revision by {item}"} if topic else {"content": f"error: item-{item}- of {number}"}
            self.settle(connections, number, body, item, topic)
        for connection in connections.values():
            connection.close()

    def settle(self, connections, at, body, item, topic):
        end = None
        while True:
            address = self.programs[at % len(self.programs)].api
            if address not in connections:
                host, port = address.rsplit(":", 1)
                connections[address] = http.client.HTTPConnection(host, int(port), timeout=wire.PATIENCE_S)
            started = time.monotonic()
            status, said = wire.on(connections[address], "POST", "/observations", body, {"Idempotency-Key": f"key-{item}"})
            now = time.monotonic()
            with self.lock:
                self.slowest = max(self.slowest, now - started)
                if status == 201:
                    self.last = now
                    if topic:
                        self.revisions[topic] = self.revisions.get(topic, 0) + 1
                    else:
                        self.acknowledged.append(item)
                    return
                if status == 503:
                    self.refused += 1
                elif status == 0 and self.may_close:
                    self.closed += 1
                    at += 1
                else:
                    self.odd.setdefault(status, said)
            if self.stopping.is_set():  # what was begun is settled
                end = end or now + SETTLE_S
                if now > end:
                    self.unfinished += 1
                    return
            time.sleep(0.02)  # less than the Retry-After of one second

    def count(self):
        with self.lock:
            return len(self.acknowledged) + sum(self.revisions.values())

    def verdict(self, checks, cluster):
        """After stop: what the tables of `cluster` have against what was acknowledged."""
        lost, twice = integrity.compare(shared.items(cluster), self.acknowledged)
        checks.that(not lost, f"{len(self.acknowledged)} acknowledged observations: 0 lost", lost[:20])
        checks.that(not twice, "0 stored twice", twice[:20])
        found = shared.revisions(cluster)
        wrong = {topic: (found.get(topic), count) for topic, count in self.revisions.items() if found.get(topic) != [count]}
        checks.that(not wrong, f"{sum(self.revisions.values())} revisions of {len(self.revisions)} topics: the counts are exact", wrong)
        checks.equal(self.unfinished, 0, "each write is settled by its key")
        checks.that(not self.odd, f"clients see 503{' or a closed connection' if self.may_close else ' or a delay'}, and nothing else", self.odd)
        checks.say(f"{self.refused} × 503, {self.closed} closed; slowest answer {self.slowest:.2f} s")
