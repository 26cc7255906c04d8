"""A daemon and its backend as processes that can be killed at any moment, and what the backend holds."""

import calendar
import http.client
import json
import os
import signal
import socket
import subprocess
import threading
import time

DOCUMENTS = "/v1/projects/demo/databases/(default)/documents"
FAULTS = "/emulator/v1/hearth/faults"


class Connection(http.client.HTTPConnection):
    """HTTP on a Unix socket."""

    def __init__(self, path, timeout=20):
        super().__init__("emulator", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)

    def ask(self, verb, target, body=None):
        """The status and the JSON of an answer."""
        text = json.dumps(body) if body is not None else None
        self.request(verb, target, text, {"authorization": "Bearer owner"})
        response = self.getresponse()
        data = response.read()
        return response.status, json.loads(data) if data[:1] in (b"{", b"[") else None


class Steps:
    """What was done, in order, in a file and in memory."""

    def __init__(self, path):
        self.file, self.lines, self.lock = open(path, "w"), [], threading.Lock()
        self.begin = time.monotonic()

    def add(self, text):
        with self.lock:
            line = f"{time.monotonic() - self.begin:9.3f} {text}"
            self.lines.append(line)
            del self.lines[:-500]
            self.file.write(line + "\n")
            self.file.flush()

    def tail(self, count):
        with self.lock:
            return "\n".join(self.lines[-count:])


class Machine:
    """One daemon and one emulator, each on a folder that outlives it."""

    def __init__(self, folder, options, steps):
        self.folder, self.options, self.steps = folder, options, steps
        os.makedirs(folder)
        self.client = os.path.join(folder, "hearth.sock")
        self.control = os.path.join(folder, "control.sock")
        # The gateway's sockets: that of programs that ask the backend first, and that of the cache.
        self.gateways = [
            os.path.join(folder, name) for name in ("firestore.sock", "firestore-local.sock")]
        self.backend = os.path.join(folder, "backend.sock")
        self.processes = {}
        # How often something was cut that may have lost an answer.
        self.cut_count = 0
        self.start("emulator")
        self.start("daemon")
        if not self.await_ready(60):
            raise SystemExit(f"kills: daemon and emulator do not start: {self._log_tail()}")

    def _command(self, name):
        hearthd = os.path.join(self.options.binaries, "hearthd")
        if name == "emulator":
            return [hearthd, "emulate", "--firestore", "unix:" + self.backend,
                    "--data", os.path.join(self.folder, "backend")]
        flags = {
            "database.project": "demo",
            "upstream.emulator": "unix:" + self.backend,
            "store.folder": os.path.join(self.folder, "store"),
            "sockets.client": self.client,
            "sockets.control": self.control,
        }
        if self.options.exactly_once:
            flags["queue.exactlyOnce"] = self.options.exactly_once
        return [hearthd] + [word for key in flags for word in ("--" + key, flags[key])]

    def start(self, name):
        """Starts a process, and does not wait for it."""
        with open(os.path.join(self.folder, name + ".log"), "a") as log:
            self.processes[name] = subprocess.Popen(self._command(name), stdout=log, stderr=log)

    def kill(self, name):
        """Ends a process as `kill -9` does."""
        process = self.processes[name]
        if process.poll() is not None:
            raise AssertionError(
                f"the {name} ended by itself, with {process.returncode}: {self._log_tail(name)}")
        process.send_signal(signal.SIGKILL)
        process.wait()
        self.cut_count += 1

    def end(self):
        for process in self.processes.values():
            process.kill()
            process.wait()

    def spoil(self, chance):
        """Has the backend lose answers for a while; without chance, has it lose none."""
        try:
            connection = Connection(self.backend, timeout=5)
            if chance is None:
                connection.ask("DELETE", FAULTS)
                return
            fault = chance.choice([
                {"method": "Write", "kind": "cutStream", "messages": chance.randrange(1, 8)},
                {"method": "Listen", "kind": "cutStream", "messages": chance.randrange(1, 12)},
                {"method": "Write", "kind": "delay", "milliseconds": chance.randrange(80)},
                {"method": "Write", "kind": "slowStream", "milliseconds": chance.randrange(30)},
            ])
            connection.ask("POST", FAULTS, {"faults": [fault]})
            self.cut_count += 1
            self.steps.add(f"fault {fault}")
        except (OSError, http.client.HTTPException):
            pass  # It is just being killed or started, and loses answers that way.

    def await_ready(self, seconds):
        """Waits until both can be connected to. Returns whether they can."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if all(self._can_connect(path) for path in (self.backend, self.client)):
                return True
            time.sleep(0.01)
        return False

    @staticmethod
    def _can_connect(path):
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(path)
                return True
            except OSError:
                return False

    def _log_tail(self, name="daemon"):
        with open(os.path.join(self.folder, name + ".log"), errors="replace") as log:
            return log.read()[-2_000:]


class Backend:
    """What the emulator holds."""

    def __init__(self, machine):
        self.connection = Connection(machine.backend, timeout=60)

    def documents(self, collection):
        """Its documents by id, each with its fields as plain values and when it came to be.

        The time is there as something that can be compared, and as seconds and nanoseconds.
        """
        found, token = {}, ""
        while True:
            status, page = self.connection.ask(
                "GET", f"{DOCUMENTS}/{collection}?pageSize=1000&pageToken={token}")
            assert status == 200, page
            for entry in page.get("documents", []):
                fields = {name: plain(value) for name, value in entry.get("fields", {}).items()}
                found[entry["name"].rsplit("/", 1)[1]] = {
                    "fields": fields, "create": microseconds(entry["createTime"]),
                    "moment": moment(entry["createTime"])}
            token = page.get("nextPageToken", "")
            if not token:
                return found


def plain(value):
    """A value of REST as Python has it."""
    (kind, inner), = value.items()
    return int(inner) if kind == "integerValue" else inner


def microseconds(text):
    """A moment as REST writes it, as something that can be compared."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    return whole, int((fraction + "000000")[:6])


def moment(text):
    """The same moment as gRPC tells it: seconds and nanoseconds."""
    whole, fraction = microseconds(text)
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")), fraction * 1_000
