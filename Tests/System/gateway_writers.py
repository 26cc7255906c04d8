"""Programs that write through the gateway, and know what they were answered."""

import random
import socket
import threading
import time

import gateway
from gateway import wire
from programs import ANSWER_SECONDS, Worker
from writers import Writers

DATABASE = "projects/demo/databases/(default)"
ROOT = DATABASE + "/documents"
# Pauses of a writer, so that a test of minutes does not fill its disk, nor the queue of a test of kills.
PAUSE_SECONDS = 0.005


def numbered(path, number):
    """A write of a document with a number."""
    return {"update": {"name": f"{ROOT}/{path}", "fields": wire.to_fields({"number": number})}}


class GatewayLoad(Writers):
    """A program at each of the gateway's sockets, which writes one document after another."""

    ends = (OSError, gateway.Refused)
    pause_seconds = PAUSE_SECONDS

    def __init__(self, daemon, name):
        # The answer of each write that was accepted, by the document's path.
        self.accepted, self.refused = {}, []
        super().__init__([
            (path, f"load/{name}-gateway{index}") for index, path in enumerate(daemon.gateways)])

    def begin(self, socket_path, prefix):
        client = gateway.Client(socket_path, DATABASE, patience=3)

        def write(number):
            path = f"{prefix}-{number}"
            try:
                self.accepted[path] = client.commit([numbered(path, number)])
            except gateway.Refused as error:
                self.refused.append(f"{path}: {error}")
                raise
        return write


def check_shown(daemon, receipts):
    """What is wrong if these documents were written once, and the queue still holds each write."""
    wrong, client = [], gateway.Client(daemon.gateways[0], DATABASE)
    for path, receipt in receipts.items():
        try:
            found = client.document(path)
        except gateway.Refused as error:
            wrong.append(f"lost: {path} through the gateway: {error}")
            continue
        times = {gateway.moment(found[name]) for name in ("create_time", "update_time")}
        if times != {receipt.time}:
            wrong.append(f"{path} was promised the time {receipt.time}, and now has {times}")
    client.close()
    return wrong


class Commit:
    """One commit of a writer, and what is known of it."""

    def __init__(self, number, increments):
        self.number, self.increments = number, increments
        # `None` as long as no answer came; whether it was done is not known then.
        self.receipt = None


class GatewayWriter(Worker):
    """Commits one document after another, and never again what may have been done."""

    def __init__(self, machine, name, path, steps, seed):
        super().__init__(name, machine, steps)
        self.path, self.chance = path, random.Random(seed)
        self.commits, self.is_stopped, self.is_asking = [], threading.Event(), False
        self.tally = {"answered by the gateway": 0, "unanswered by the gateway": 0}

    def stop_writing(self):
        self.is_stopped.set()

    @property
    def open_count(self):
        return int(self.is_asking)

    def work(self):
        self.session = gateway.Client(self.path, DATABASE, patience=ANSWER_SECONDS)
        while not self.is_over.is_set():
            time.sleep(PAUSE_SECONDS * 4 * self.chance.random())
            if self.is_stopped.is_set():
                continue
            commit = Commit(len(self.commits) + 1, self.chance.random() < 0.4)
            self.commits.append(commit)
            self._ask(commit)

    def _ask(self, commit):
        writes = [numbered(f"{self.name}/{commit.number}", commit.number)]
        if commit.increments:
            one = {"field_path": "count", "increment": wire.to_value(1)}
            writes.append({
                "update": {"name": f"{ROOT}/sums/{self.name}"}, "update_mask": {},
                "update_transforms": [one]})
        self.is_asking = True
        try:
            commit.receipt = self.session.commit(writes)
            self.tally["answered by the gateway"] += 1
        except socket.timeout:
            raise
        except OSError:
            self.tally["unanswered by the gateway"] += 1
            raise
        except gateway.Refused as error:
            self.wrong.append(f"{self.name}/{commit.number} was refused: {error}")
        finally:
            self.is_asking = False

    def check(self, there, total, extra):
        """What is wrong with what the backend holds of this writer: its documents, and its sum."""
        known = {str(commit.number): commit for commit in self.commits}
        wrong = [f"{self.name}/{name} was never written" for name in there if name not in known]
        for commit in self.commits:
            found = there.get(str(commit.number))
            wrong += [f"{self.name}/{commit.number}, {commit.receipt}: {fault}"
                      for fault in self._faults(commit, found)]
        if not 0 <= total - self._increments(there) <= extra:
            wrong.append(f"{self.name}: a sum of {total} for {self._increments(there)} increments")
        return wrong

    def doubled(self, there, total):
        """How many increments were counted twice."""
        return max(0, total - self._increments(there))

    def _increments(self, there):
        return sum(commit.increments for commit in self.commits if str(commit.number) in there)

    @staticmethod
    def _faults(commit, found):
        receipt = commit.receipt
        if found is None:
            return ["lost"] if receipt else []
        faults = []
        if found["fields"] != {"number": commit.number}:
            faults.append(f"holds {found['fields']}")
        if receipt:
            created = found["moment"]
            if receipt.state == "committed" and receipt.time != created:
                faults.append(f"came to be at {created}")
            if receipt.time > created:
                faults.append(f"was promised a time ahead of {created}")
        return faults
