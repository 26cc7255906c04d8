"""A backend, a daemon and consoles for a test of the page, as processes that can be ended and started again."""

import json
import os
import pwd
import re
import signal
import socket
import subprocess

from daemon import await_true

DB = "demo/(default)"
INSTANCE = "https://demo-default-rtdb.firebaseio.com"
# The user of few rights.
GUEST = "nobody"
# What the backend lets programs do; a write to what is secret is a dead letter.
RULES = """
rules_version = '2';
service cloud.firestore {
  match /databases/{database}/documents {
    match /{path=**} { allow read: if true; allow write: if path[0] != 'secrets'; }
  }
}
"""


class Site:
    """`hearthd emulate`, `hearthd` and any number of `hearth console`."""

    def __init__(self, binaries, folder):
        self.hearthd, self.hearth = (os.path.abspath(os.path.join(binaries, name)) for name in ("hearthd", "hearth"))
        self.folder, self.processes = folder, {}
        os.chmod(folder, 0o755)
        self.socket = os.path.join(folder, "hearth.sock")
        self.backend = os.path.join(folder, "backend.sock")
        self.port = None
        self.start_backend()
        self.start_daemon()

    def start_backend(self):
        """Starts the emulator on the port that it had before, and returns when it answers."""
        rules = os.path.join(self.folder, "rules")
        with open(rules, "w") as file:
            file.write(RULES)
        address = f"127.0.0.1:{self.port or free_port()}"
        self.port = int(address.rsplit(":", 1)[1])
        self.run("emulator", [self.hearthd, "emulate", "--firestore", address, "--rules", rules,
                              "--data", os.path.join(self.folder, "backend")])
        await_true(lambda: can_connect(self.port), "the emulator answers")

    def start_daemon(self):
        """Starts the daemon, and returns when it answers."""
        self.run_daemon("daemon", self.socket, user="ada")

    def start_administrator(self):
        """Starts a second daemon, which has an administrator's rights at the backend, and returns its socket when it answers."""
        socket_path = os.path.join(self.folder, "administrator.sock")
        self.run_daemon("administrator", socket_path)
        return socket_path

    def run_daemon(self, name, socket_path, user=None):
        """Starts a daemon with a store of its own. Without a user, the emulator takes the daemon for an administrator."""
        config = os.path.join(self.folder, f"{name}.toml")
        with open(config, "w") as file:
            file.write(f"""
[database]
project = "demo"
[upstream]
emulator = "127.0.0.1:{self.port}"
{f'user = "{user}"' if user else ""}
[realtime]
emulator = "127.0.0.1:{self.port}"
[sockets]
client = "{socket_path}"
clientMode = "0666"
[store]
folder = "{os.path.join(self.folder, name + '-store')}"
[access]
guest = "allow user {GUEST} read write below public"
""")
        self.run(name, [self.hearthd, "--config", config])
        await_true(lambda: self.call("status", "--json", socket_path=socket_path).stdout, f"{name} answers")

    def run(self, name, command, **more):
        with open(os.path.join(self.folder, name + ".log"), "ab") as log:
            self.processes[name] = subprocess.Popen(command, **{"stdout": log, "stderr": log, **more})

    def stop(self, name, how=signal.SIGTERM):
        process = self.processes.pop(name)
        process.send_signal(how)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def end(self):
        for name in list(self.processes):
            self.stop(name, signal.SIGKILL if name == "emulator" else signal.SIGTERM)

    def call(self, *words, timeout=30, socket_path=None):
        """Runs the command line tool, before another daemon if its socket is named."""
        return subprocess.run([self.hearth, *words], env=self.environment(socket_path=socket_path),
                              capture_output=True, text=True, timeout=timeout)

    def do(self, *words):
        """Runs the command line tool, which must succeed."""
        result = self.call(*words)
        assert result.returncode == 0, f"hearth {' '.join(words)}: {result.stderr}"
        return result.stdout

    def environment(self, folder=None, socket_path=None, opener=None):
        screen = {"DISPLAY": ":0", "PATH": opener + os.pathsep + os.environ["PATH"]} if opener else {}
        return dict(os.environ, HEARTH_SOCKET=socket_path or self.socket, XDG_RUNTIME_DIR=folder or self.folder, **screen)

    def runtime_folder(self, name):
        """A folder of the user's own for a process, as a session's manager makes one."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return folder

    def console(self, name="console", user=None, socket_path=None, opener=None):
        """Starts a console, of another user or before another daemon if one is named. Returns the file that lets a browser in,
        and the address. Without the folder of an `xdg-open`, the console asks nobody to open the file."""
        folder, command = self.runtime_folder(name), []
        if user:
            entry = pwd.getpwnam(user)
            os.chown(folder, entry.pw_uid, entry.pw_gid)
            command = ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
        words = ["console", "--json", *([] if opener else ["--no-browser"])]
        self.run(name, [*command, self.hearth, *words], env=self.environment(folder, socket_path, opener),
                 stdout=subprocess.PIPE, cwd="/")
        line = self.processes[name].stdout.readline()
        assert line, f"hearth console told nothing: {self.log(name)}"
        told = json.loads(line)
        return "file://" + told["file"], told["address"]

    def watched_emulator(self, rules, name="watched"):
        """Starts an emulator with a console of its own. Returns the emulator's port, the file that lets a browser in, and
        the console's address, which stands in the file."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        path, port = os.path.join(folder, "firestore.rules"), free_port()
        with open(path, "w") as file:
            file.write(rules)
        self.run(name, [self.hearthd, "emulate", "--firestore", f"127.0.0.1:{port}", "--rules", path,
                        "--console", "127.0.0.1:0"], env=self.environment(folder))
        await_true(lambda: can_connect(port), "the emulator answers")
        entry = os.path.join(folder, "hearth", f"console-{self.processes[name].pid}.html")
        await_true(lambda: os.path.exists(entry), f"the console's file is there: {self.log(name)}")
        with open(entry) as file:
            address = re.search(r'action="(http://127\.0\.0\.1:\d+)/enter"', file.read())[1]
        return port, "file://" + entry, address

    def log(self, name):
        with open(os.path.join(self.folder, name + ".log"), errors="replace") as log:
            return log.read()[-1_500:]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def can_connect(port):
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Listening:
    """A program that listens, as long as the block lasts."""

    def __init__(self, site, *words):
        self.site, self.words = site, words

    def __enter__(self):
        self.process = subprocess.Popen(
            [self.site.hearth, "listen", *self.words], env=self.site.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

