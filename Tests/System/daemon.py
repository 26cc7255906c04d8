"""A hearthd of its own for a test of disks: started, written to, killed and looked at."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from urllib.parse import quote

from writers import Writers


class Daemon:
    """One daemon that never reaches a backend, so that its queue holds every accepted write."""

    def __init__(self, binaries, store, sockets):
        self.hearthd = os.path.join(binaries, "hearthd")
        self.hearth = os.path.join(binaries, "hearth")
        self.store = store
        self.socket = os.path.join(sockets, "hearth.sock")
        self.control = os.path.join(sockets, "control.sock")
        # The gateway's sockets: that of programs that ask the backend first, and that of the cache.
        self.gateways = [
            os.path.join(sockets, name) for name in ("firestore.sock", "firestore-local.sock")]
        self.log_path = os.path.join(sockets, "hearthd.log")
        self.process = None

    @property
    def database(self):
        """The file of the database."""
        return os.path.join(self.store, "firestore", "demo", "(default).sqlite")

    @property
    def instance(self):
        """The file of the instance of the Realtime Database."""
        name = "demo-default-rtdb"
        return os.path.join(self.store, "realtime", name + "%2efirebaseio%2ecom", name + ".sqlite")

    def start(self, *more):
        """Starts the daemon, with more flags if there are any, and returns when it answers."""
        flags = {
            "database.project": "demo",
            "upstream.isEnabled": "false",
            "upstream.emulator": "unix:" + os.path.join(os.path.dirname(self.socket), "nobody"),
            "realtime.emulator": "unix:" + os.path.join(os.path.dirname(self.socket), "nobody"),
            "store.folder": self.store,
            "sockets.client": self.socket,
            "sockets.control": self.control,
        }
        command = [self.hearthd] + [word for key in flags for word in ("--" + key, flags[key])]
        with open(self.log_path, "a") as log:
            # A service leads a session of its own.
            self.process = subprocess.Popen(
                [*command, *more], stdout=log, stderr=log, start_new_session=True)
        await_true(lambda: self.run("status", "--json").stdout, "the daemon answers")

    def kill(self):
        """Ends the daemon as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def run(self, *words, timeout=30):
        """Runs the command line tool."""
        environment = dict(os.environ, HEARTH_SOCKET=self.socket)
        try:
            return subprocess.run(
                [self.hearth, *words], env=environment, capture_output=True, text=True,
                timeout=timeout)
        except subprocess.TimeoutExpired as expired:
            return subprocess.CompletedProcess(expired.cmd, 124, "", "no end")

    def reasons(self):
        """Why the daemon is degraded, if it is, and what it has lost."""
        lines = self.run("status", "--json").stdout.splitlines()
        statuses = [json.loads(line) for line in lines]
        reasons = [reason for status in statuses for reason in status["degradedReasons"]]
        reasons += [loss["account"] for status in statuses for loss in status["losses"]]
        return reasons if lines else ["no answer"]

    def queued(self):
        """How often each document is written to in the queue."""
        counts = {}
        result = self.run("queue", "list", "--json", "--limit", "1000000")
        assert result.returncode == 0, result.stderr
        for line in result.stdout.splitlines():
            for document in json.loads(line)["documents"]:
                path = document.split("/documents/")[-1]
                counts[path] = counts.get(path, 0) + 1
        return counts

    def problems(self):
        """What SQLite's own check finds in the files."""
        lines = []
        for path in (self.database, self.instance):
            if not os.path.exists(path):
                continue
            connection = sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)
            lines += [row[0] for row in connection.execute("PRAGMA integrity_check")]
            connection.close()
        return [line for line in lines if line != "ok"]


class Load(Writers):
    """Several programs that write one document after another, and know which were accepted."""

    def __init__(self, daemon, name, count=3):
        self.daemon, self.accepted, self.refused = daemon, [], []
        super().__init__([(f"{name}-{writer}",) for writer in range(count)])

    def begin(self, name):
        def write(number):
            path = f"load/{name}-{number}"
            result = self.daemon.run("set", path, f"number={number}", "--timeout", "3s")
            (self.accepted if result.returncode == 0 else self.refused).append(path)
        return write


def await_true(condition, what, seconds=30):
    """Waits for a condition, with a deadline."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.02)
    raise AssertionError(f"waited in vain: {what}")


def unable(reason):
    """Ends the test where the machine does not allow it: aloud, and with status 77."""
    print(f"{os.path.basename(sys.argv[0])}: skipped: {reason}", file=sys.stderr)
    sys.exit(77)
