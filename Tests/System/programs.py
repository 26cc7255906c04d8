"""Programs that write to a daemon that is killed, and listen to it; each a thread."""

import os
import random
import secrets
import select
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples"))
import hearth_client as wire  # noqa: E402

# What Examples/hearth_client.py has no need of.
TRANSFORM = {1: ("field_path", "string", False), 3: ("increment", wire.VALUE, False)}
WRITE = {
    **wire.WRITE,
    3: ("update_mask", {1: ("field_paths", "string", True)}, False),
    7: ("update_transforms", TRANSFORM, True),
}
WRITE_REQUEST = {**wire.WRITE_REQUEST, 3: ("writes", WRITE, True)}
ANSWERED = {1: ("sequence", "varint", False), 2: ("batch_id", "varint", False)}
REJECTED = {**wire.WRITE_ANSWER, 5: ("is_unknown", "varint", False)}
# How long a daemon that is up may take for an answer, before it counts as one that hangs.
ANSWER_SECONDS = 60


def wait_for(condition, seconds, complaint):
    """Waits for a condition, with a deadline; a complaint is made only when it is needed."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(complaint())
        time.sleep(0.02)


class Worker(threading.Thread):
    """One client of the daemon, through however many sessions."""

    def __init__(self, name, machine, steps):
        super().__init__(name=name, daemon=True)
        self.machine, self.steps = machine, steps
        self.identity = (secrets.randbits(64), secrets.randbits(64))
        self.is_over, self.wrong, self.session = threading.Event(), [], None

    def end(self):
        self.is_over.set()

    def run(self):
        while not self.is_over.is_set():
            try:
                self.work()
            except (OSError, wire.Failed) as error:
                if isinstance(error, socket.timeout):
                    self.wrong.append(f"{self.name}: no answer within {ANSWER_SECONDS} s")
                    return
                if not isinstance(error, (ConnectionRefusedError, FileNotFoundError)):
                    self.steps.add(f"{self.name} lost its session: {error}")
                time.sleep(0.01)  # The daemon is just being killed or started.
            except Exception as error:  # A fault of the test must not look like a daemon that is well.
                self.wrong.append(f"{self.name}: {type(error).__name__}: {error}")
                return
            finally:
                if self.session:
                    self.session.close()

    def greet(self, path, answered_below=1):
        """Begins a session."""
        self.session = socket.socket(socket.AF_UNIX)
        self.session.settimeout(ANSWER_SECONDS)
        self.session.connect(path)
        self.received, self.last_request = bytearray(), 0
        hello = {
            "version_min": 1, "version_max": 1, "client_id_high": self.identity[0],
            "client_id_low": self.identity[1], "program": "kills",
            "answered_below": answered_below,
        }
        number = self.send(wire.K_HELLO, wire.encode(wire.HELLO, hello))
        body = self.answer(number, wire.E_WELCOME)
        self.root = wire.decode(wire.WELCOME, body)["database"] + "/documents"

    def send(self, kind, body=b""):
        self.last_request += 1
        frame = struct.pack(">IBQ", 9 + len(body), kind, self.last_request) + body
        self.session.sendall(frame)
        return self.last_request

    def frame(self):
        """The next frame that has arrived whole; nothing if there is none."""
        if len(self.received) < 13:
            return None
        length, kind, number = struct.unpack(">IBQ", self.received[:13])
        if len(self.received) < 4 + length:
            return None
        body = bytes(self.received[13:4 + length])
        del self.received[:4 + length]
        return kind, number, body

    def receive(self, seconds):
        """Takes what has come, after waiting so long for it."""
        if seconds is not None and not select.select([self.session], [], [], seconds)[0]:
            return
        data = self.session.recv(1 << 16)
        if not data:
            raise ConnectionError("the daemon closed the connection")
        self.received += data

    def answer(self, number, kind):
        """The body of the answer to a request, in a session that has one at a time."""
        while True:
            while frame := self.frame():
                if frame[0] == wire.E_FAILED:
                    raise wire.Failed(wire.decode(wire.FAILURE, frame[2]))
                if frame[:2] == (kind, number):
                    return frame[2]
            self.receive(None)


class Record:
    """One batch of a writer, and what is known of it."""

    def __init__(self, number):
        self.number, self.is_accepted = number, False
        # Its place in the queue, and the one that it was accepted at.
        self.batch = self.first_batch = None
        self.increments, self.deletes, self.deleted_by = False, None, None
        self.answer, self.code, self.reason, self.is_in_doubt = None, None, "", False
        self.versions, self.edit_count = {0}, 0
        # Whether somebody ordered to take it out, and whether that was answered; the same of bringing it
        # back, after which its place is another.
        self.is_cancel_tried = self.is_cancelled = False
        self.was_brought_back, self.is_place_unknown = None, False

    def outcomes(self):
        """What may be in the backend by all that was answered."""
        if self.was_brought_back == "answered":
            return {"applied"}
        if self.was_brought_back == "unanswered" or self.is_in_doubt:
            return {"applied", "absent"}
        return {"absent"} if self.answer == "rejected" or self.is_cancelled else {"applied"}


class Writer(Worker):
    """Writes batch after batch, several on the way, and sends again what has no final answer."""

    UNACCEPTED_MAX, OPEN_MAX, PAUSE_SECONDS = 4, 60, 0.006

    def __init__(self, machine, name, steps, seed):
        super().__init__(name, machine, steps)
        self.chance, self.records, self.by_batch = random.Random(seed), {}, {}
        self.requests, self.is_stopped = {}, threading.Event()
        self.held = None
        self.tally = {"accepted": 0, "committed": 0, "rejected": 0, "again": 0}

    def stop_writing(self):
        self.is_stopped.set()

    def open_records(self):
        return [record for record in list(self.records.values()) if record.answer is None]

    @property
    def open_count(self):
        return len(self.open_records())

    def work(self):
        waiting = sorted(self.open_records(), key=lambda record: record.number)
        below = waiting[0].number if waiting else len(self.records) + 1
        self.greet(self.machine.client, below)
        self.requests = {}
        for record in waiting:
            self.tally["again"] += 1
            self._send(record)
        while not self.is_over.is_set():
            waiting = self.open_records()
            unaccepted = sum(not record.is_accepted for record in waiting)
            if (not self.is_stopped.is_set() and unaccepted < self.UNACCEPTED_MAX
                    and len(waiting) < self.OPEN_MAX):
                self._send(self._next())
            self.receive(self.PAUSE_SECONDS * (0.2 + 1.6 * self.chance.random()))
            while frame := self.frame():
                self._take(*frame)

    def _next(self):
        record = Record(len(self.records) + 1)
        record.increments = self.chance.random() < 0.4
        old = self.records.get(record.number - self.chance.randrange(1, 20))
        if old and old.deleted_by is None and old.deletes is None and self.chance.random() < 0.1:
            record.deletes, old.deleted_by = old.number, record.number
        self.records[record.number] = record
        return record

    def writes(self, record, version):
        """What a batch writes: its document, the writer's last number, and perhaps more."""
        def update(path, fields, masked=False, **more):
            fields = wire.to_fields(fields)
            write = {"update": {"name": f"{self.root}/{path}", "fields": fields}, **more}
            if masked:
                write["update_mask"] = {"field_paths": [field["key"] for field in fields]}
            return write

        writes = [
            update(f"{self.name}/{record.number}", {"number": record.number, "version": version}),
            update(f"last/{self.name}", {"number": record.number}, masked=True),
        ]
        if record.increments:
            one = {"field_path": "count", "increment": wire.to_value(1)}
            writes.append(
                update(f"sums/{self.name}", {}, masked=True, update_transforms=[one]))
        if record.deletes is not None:
            writes.append({"delete": f"{self.root}/{self.name}/{record.deletes}"})
        return writes

    def _send(self, record):
        waiting = self.open_records()
        body = {
            "sequence": record.number,
            "answered_below": min(other.number for other in waiting),
            "writes": self.writes(record, 0),
        }
        self.requests[self.send(wire.K_WRITE, wire.encode(WRITE_REQUEST, body))] = record

    def _take(self, kind, request, body):
        record = self.requests.get(request)
        if kind == wire.E_FAILED:
            failure = wire.decode(wire.FAILURE, body)
            if record:
                self.wrong.append(f"{self.name}/{record.number} was not accepted: {failure}")
            raise ConnectionError(str(failure))
        if record is None:
            return
        answer = wire.decode(REJECTED if kind == wire.E_REJECTED else ANSWERED, body)
        batch = answer.get("batch_id")
        if kind == wire.E_ACCEPTED:
            self._accepted(record, batch)
        elif kind in (wire.E_COMMITTED, wire.E_REJECTED):
            self._settled(record, kind == wire.E_COMMITTED, answer)

    def _accepted(self, record, batch):
        if record.is_accepted:
            if record.first_batch != batch:
                self.wrong.append(
                    f"{self.name}/{record.number}: accepted as batch {record.first_batch} and {batch}")
            return
        before = self.records.get(record.number - 1)
        if before and before.first_batch is not None and before.first_batch >= batch:
            self.wrong.append(f"{self.name}/{record.number}: batch {batch} is not behind the last")
        record.first_batch = batch
        if record.batch is None:
            record.batch = batch
            self.by_batch[batch] = record
        record.is_accepted = True
        self.tally["accepted"] += 1

    def _settled(self, record, is_committed, answer):
        batch = answer.get("batch_id")
        if record.batch is None and batch:
            record.batch = record.first_batch = batch
            self.by_batch[batch] = record
        verdict = "committed" if is_committed else "rejected"
        if record.answer not in (None, verdict):
            self.wrong.append(f"{self.name}/{record.number}: {record.answer}, then {verdict}")
        held = self.held
        if is_committed and held is not None and batch and batch >= held:
            self.wrong.append(
                f"{self.name}/{record.number}: batch {batch} committed while {held} was held")
        if answer.get("is_unknown"):
            self.wrong.append(f"{self.name}/{record.number}: its outcome is forgotten")
        failure = answer.get("failure", {})
        record.code, record.reason = failure.get("code"), failure.get("message", "")
        record.is_in_doubt = bool(answer.get("may_have_been_applied"))
        record.answer = verdict
        self.tally[verdict] += 1


class Listener(Worker):
    """Shows a collection, as a program does."""

    def __init__(self, machine, name, steps):
        super().__init__(name, machine, steps)
        self.view, self.is_live = {}, False

    def work(self):
        self.greet(self.machine.client)
        query = {"from": [{"collection_id": self.name}]}
        target = {"query": {"parent": self.root, "structured_query": query}}
        body = wire.encode(wire.LISTEN, {"target": target, "include_metadata_changes": 1})
        number, known, parts = self.send(wire.K_LISTEN, body), None, []
        while not self.is_over.is_set():
            self.receive(0.2)
            while frame := self.frame():
                kind, request, body = frame
                if kind in (wire.E_FAILED, wire.E_LISTEN_FAILED):
                    raise wire.Failed(wire.decode(wire.FAILURE, body))
                if (kind, request) != (wire.E_SNAPSHOT, number):
                    continue
                parts.append(wire.decode(wire.SNAPSHOT, body))
                if not parts[-1].get("has_more"):
                    known = self._show(parts, known)
                    parts = []

    def difference(self, there):
        """How what is shown differs from what is there, for people."""
        view = self.view
        names = [name for name in {*there, *view} if there.get(name) != view.get(name)]
        return (
            f"the listener to {self.name} shows {len(view)} documents of {len(there)}, "
            f"isLive={self.is_live}; {len(names)} differ, such as {sorted(names)[:5]}")

    def _show(self, parts, known):
        last = parts[-1]
        base = last.get("base", 0)
        if base not in (0, known):
            raise ConnectionError("a snapshot differs from one that was not shown")
        view = dict(self.view) if base else {}
        for part in parts:
            for name in part.get("removed", []):
                view.pop(name.rsplit("/", 1)[1], None)
            for listed in part.get("documents", []):
                document = listed["document"]
                view[document["name"].rsplit("/", 1)[1]] = wire.from_fields(
                    document.get("fields", []))
        self.view = view
        self.is_live = not last.get("is_from_cache") and not last.get("has_pending_writes")
        return last.get("id", 0)
