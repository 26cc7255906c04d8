"""Measures the daemon's gateway beside the same client at `hearthd emulate`, by turns.

    gateway.py HEARTHD TOOLS [--count N] [--rounds N]

CPU is the daemon's own, of all its threads, as the scheduler counts it. Prints a line of JSON for each
measurement and a table at the end; a figure that misses its goal is marked.
"""

import argparse
import json
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
os.environ.setdefault("GOOGLE_CLOUD_DISABLE_GRPC_LOGS", "1")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from delay import DelayedLine  # noqa: E402
from plain import DATA, PlainClient  # noqa: E402

from google.cloud import firestore  # noqa: E402
from google.cloud.firestore_v1.types import firestore as rpc  # noqa: E402
from google.cloud.firestore_v1.types import write as writes  # noqa: E402

PROJECT = "demo-bench"
DATABASE = f"projects/{PROJECT}/databases/(default)"
ROOT = f"{DATABASE}/documents"


def cpu(pid):
    """Seconds of processor time, of all threads."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{task}/schedstat") as file:
                total += int(file.read().split()[0])
        except FileNotFoundError:
            pass  # A thread that has just ended.
    return total / 1e9


def resident(pid):
    """Bytes that the process holds by itself."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith("Private_Dirty"):
                return int(line.split()[1]) * 1024


def await_path(path):
    deadline = time.monotonic() + 30
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            raise TimeoutError(path)
        time.sleep(0.01)


def name(collection, number):
    return f"{ROOT}/{collection}/d{number:06}"


def set_request(path, number):
    pb = rpc.CommitRequest.pb(rpc.CommitRequest())
    pb.database = DATABASE
    write = writes.Write.pb(writes.Write())
    write.update.name = path
    write.update.fields["number"].integer_value = number
    write.update.fields["text"].string_value = "x" * 240
    pb.writes.append(write)
    return pb


def get_request(path):
    pb = rpc.BatchGetDocumentsRequest.pb(rpc.BatchGetDocumentsRequest())
    pb.database = DATABASE
    pb.documents.append(path)
    return pb.SerializeToString()


def transaction_request():
    pb = rpc.BeginTransactionRequest.pb(rpc.BeginTransactionRequest())
    pb.database = DATABASE
    pb.options.read_only.SetInParent()
    return pb.SerializeToString()


def listen_request(path):
    pb = rpc.ListenRequest.pb(rpc.ListenRequest())
    pb.database = DATABASE
    pb.add_target.target_id = 2
    pb.add_target.documents.documents.append(path)
    return pb.SerializeToString()


class Server:
    """A `hearthd` of our own."""

    def __init__(self, hearthd, folder, *flags):
        os.makedirs(folder, exist_ok=True)
        self.folder = folder
        self.log = open(f"{folder}/log", "w")
        environment = {k: v for k, v in os.environ.items() if not k.endswith("_EMULATOR_HOST")}
        self.process = subprocess.Popen(
            [hearthd, *flags], stdout=self.log, stderr=self.log, env=environment)
        self.pid = self.process.pid

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.log.close()


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder, self.results = options, folder, []
        self.servers = []

    def emulator(self):
        path = f"{self.folder}/emulator.sock"
        server = Server(
            self.options.hearthd, f"{self.folder}/emulator", "emulate", "--firestore", f"unix:{path}")
        self.servers.append(server)
        await_path(path)
        return server, path

    def daemon(self, name, upstream, *flags):
        folder = f"{self.folder}/{name}"
        server = Server(
            self.options.hearthd, folder, "--database.project", PROJECT,
            "--store.folder", f"{folder}/store", "--log.level", "error",
            "--sockets.client", f"{folder}/client.sock", "--sockets.control", f"{folder}/control.sock",
            "--gateway.socket", f"{folder}/firestore.sock",
            "--gateway.localSocket", f"{folder}/local.sock",
            *(["--upstream.emulator", upstream] if upstream else ["--upstream.isEnabled", "false"]),
            *flags)
        self.servers.append(server)
        await_path(f"{folder}/client.sock")
        if "--gateway.isEnabled" not in flags:
            await_path(f"{folder}/local.sock")
        return server

    def stop(self, *servers):
        for server in servers or list(self.servers):
            server.stop()
            self.servers.remove(server)

    def note(self, what, value, unit, goal):
        """Notes a figure and the highest value that it should have."""
        line = {"name": what, "value": round(value, 1), "unit": unit, "goal": round(goal, 1)}
        self.results.append(line)
        print(json.dumps(line), flush=True)

    def cost(self, server, count, body):
        """The server's CPU for each of so many operations, in microseconds."""
        before = cpu(server.pid)
        body()
        return (cpu(server.pid) - before) / count * 1e6


def fill(path, collection, count):
    """Writes documents by one connection."""
    client = PlainClient(path)
    bodies = []
    for first in range(0, count, 40):  # What one frame holds.
        pb = rpc.CommitRequest.pb(rpc.CommitRequest())
        pb.database = DATABASE
        for number in range(first, min(first + 40, count)):
            pb.writes.extend(set_request(name(collection, number), number).writes)
        bodies.append(pb.SerializeToString())
    client.call_all("Commit", bodies, 1)
    client.close()


def official(path):
    """Google's own client at a socket."""
    os.environ["FIRESTORE_EMULATOR_HOST"] = f"unix:{path}"
    return firestore.Client(project=PROJECT)


def median_us(operation, count):
    times = []
    for number in range(count):
        began = time.perf_counter()
        operation(number)
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1e6


def by_turns(rounds, *operations):
    """The medians of what takes turns, so that a noisy machine is noisy for all."""
    times = [[] for _ in operations]
    for _ in range(rounds):
        for place, operation in enumerate(operations):
            times[place].append(operation())
    return [statistics.median(of_one) for of_one in times]


def reads(bench, emulator_path):
    """What programs with Google's client wait for, and what a read takes of the daemon."""
    count, rounds = bench.options.count, bench.options.rounds
    fill(emulator_path, "rooms", 20_000)
    daemon = bench.daemon("reads", f"unix:{emulator_path}")
    local, standard = f"{daemon.folder}/local.sock", f"{daemon.folder}/firestore.sock"
    near, direct = official(local), official(emulator_path)
    for _ in official(standard).collection("rooms").stream():
        pass  # All that is cached from here on.

    def get(client):
        return lambda: median_us(
            lambda n: client.document(f"rooms/d{n % 1_000:06}").get(), max(count // 20, 100))

    here, there = by_turns(rounds, get(near), get(direct))
    bench.note("Python get, cache-first, beside direct", here, "us", there * 1.05)

    plain = PlainClient(local)
    hot = [get_request(name("rooms", number % 1_000)) for number in range(count)]
    plain.call_all("BatchGetDocuments", hot, 64)
    spent = by_turns(rounds, lambda: bench.cost(
        daemon, count, lambda: plain.call_all("BatchGetDocuments", hot, 64)))
    bench.note("get from memory, 64 in flight, CPU", spent[0], "us", 30)
    spent = by_turns(rounds, lambda: bench.cost(
        daemon, count // 4, lambda: plain.call_all("BatchGetDocuments", hot[: count // 4], 1)))
    bench.note("get from memory, 1 in flight, CPU", spent[0], "us", 60)
    cold = [get_request(name("rooms", 1_000 + number)) for number in range(18_000)]
    spent = bench.cost(daemon, len(cold), lambda: plain.call_all("BatchGetDocuments", cold, 64))
    bench.note("get of a document that nobody has asked for, 64 in flight, CPU", spent, "us", 60)

    forwarded = PlainClient(standard)
    # The emulator keeps 10,000 transactions open at most.
    begin = [transaction_request()] * min(count // 10, 9_000 // (rounds + 1))
    forwarded.call_all("BeginTransaction", begin[:20], 1)
    spent = by_turns(rounds, lambda: bench.cost(
        daemon, len(begin), lambda: forwarded.call_all("BeginTransaction", begin, 8)))
    bench.note("forwarded call, CPU", spent[0], "us", 500)
    bench.stop(daemon)


def far(bench, emulator_path):
    """Reads and writes of a program whose backend is 40 ms away."""
    line = DelayedLine(f"{bench.folder}/far.sock", emulator_path, 0.040)
    daemon = bench.daemon("far", f"unix:{line.path}")
    here, there = official(f"{daemon.folder}/firestore.sock"), official(line.path)

    def get(client):
        return lambda: median_us(lambda n: client.document(f"rooms/d{n:06}").get(), 30)

    def put(client):
        return lambda: median_us(lambda n: client.document(f"far/d{n % 10}").set({"n": n}), 30)

    for client in (here, there):
        get(client)(), put(client)()
    times = by_turns(bench.options.rounds, get(here), get(there), put(here), put(there))
    bench.note("Python get at 40 ms, beside direct", times[0] / 1e3, "ms", times[1] / 1e3 + 1)
    bench.note("Python set at 40 ms, beside direct", times[2] / 1e3, "ms", times[3] / 1e3 + 1)
    bench.stop(daemon)
    line.stop()


def accepted(bench, tools):
    """Writes that are answered once they are durable, beside those of the daemon's own protocol."""
    count = bench.options.count
    for writers, more in ((1, 60), (64, 40)):
        of_wire, of_gateway = [], []
        for round in range(bench.options.rounds):
            n = count // 4 if writers == 1 else count
            daemon = bench.daemon(f"accepted{writers}-{round}", None)
            told = subprocess.run(
                [f"{tools}/HearthBenchmarks", "accepted-write", "--socket",
                 f"{daemon.folder}/client.sock", "--daemon", str(daemon.pid), "--count", str(n),
                 "--writers", str(writers)], capture_output=True, text=True, check=True)
            of_wire.append(json.loads(told.stdout.splitlines()[-1])["daemonCPUus"])
            plain = PlainClient(f"{daemon.folder}/local.sock")
            bodies = [set_request(name("plain", number), number).SerializeToString()
                      for number in range(n)]
            of_gateway.append(bench.cost(
                daemon, n, lambda: plain.call_all("Commit", bodies, writers)))
            plain.close()
            bench.stop(daemon)
        bench.note(f"accepted set, {writers} in flight, CPU", statistics.median(of_gateway), "us",
                   statistics.median(of_wire) + more)


def hear(path, count, told):
    """A process with many listeners to one document; tells when all have heard of a change."""
    client = PlainClient(path)
    body = listen_request(f"{ROOT}/heard/one")
    for _ in range(count):
        client.socket.sendall(client.begin("Listen", body, is_over=False)[0])
    heard, unread = {}, {}
    while True:
        for kind, _, stream, payload in client.frames():
            if kind != DATA:
                continue
            data = unread.pop(stream, b"") + payload
            while len(data) >= 5 and len(data) >= 5 + int.from_bytes(data[1:5], "big"):
                size = int.from_bytes(data[1:5], "big")
                if data[5] == 0x1A:  # A document has changed.
                    heard[stream] = heard.get(stream, 0) + 1
                data = data[5 + size :]
            if data:
                unread[stream] = data
        # A listener that was told of two changes at once has heard of the second.
        if len(heard) == count:
            heard = {}
            told.put(1)


def listeners(bench, tools, count=1_000, processes=10):
    """One write that a thousand listeners in ten processes hear of."""
    rounds = max(bench.options.count // 200, 20)
    daemon = bench.daemon("heard", None)
    told = subprocess.run(
        [f"{tools}/HearthBenchmarks", "write-to-listeners", "--socket", f"{daemon.folder}/client.sock",
         "--daemon", str(daemon.pid), "--count", str(rounds), "--listeners", str(count),
         "--processes", str(processes)], capture_output=True, text=True, check=True)
    goal = json.loads(told.stdout.splitlines()[-1])["daemonCPUus"] * 1.5
    writer = PlainClient(f"{daemon.folder}/local.sock")
    one = f"{ROOT}/heard/one"
    writer.call_all("Commit", [set_request(one, 0).SerializeToString()], 1)
    context = multiprocessing.get_context("fork")
    heard = context.Queue()
    crowd = [
        context.Process(
            target=hear, args=(f"{daemon.folder}/local.sock", count // processes, heard), daemon=True)
        for _ in range(processes)]
    for process in crowd:
        process.start()
    for _ in crowd:
        heard.get(timeout=60)

    def write_all():
        for number in range(1, rounds + 1):
            writer.call_all("Commit", [set_request(one, number).SerializeToString()], 1)
            for _ in crowd:
                heard.get(timeout=60)

    bench.note(f"write to {count} listeners, CPU", bench.cost(daemon, rounds, write_all), "us", goal)
    for process in crowd:
        process.kill()
    bench.stop(daemon)


def memory(bench):
    """What idle connections hold, and what a daemon holds whose gateway nobody uses."""
    count = 200
    daemon = bench.daemon("idle", None)
    path = f"{daemon.folder}/local.sock"
    body = get_request(name("none", 0))

    def connect():
        client = PlainClient(path)
        client.socket.sendall(client.begin("BatchGetDocuments", body)[0])
        while not any(kind == 1 and flags & 1 for kind, flags, _, _ in client.frames()):
            pass
        return client

    first = [connect() for _ in range(20)]
    before = resident(daemon.pid)
    clients = [connect() for _ in range(count)]
    held = (resident(daemon.pid) - before) / count / 1e3
    bench.note("idle connection that has asked once", held, "kB", 60)
    for client in first + clients:
        client.close()
    bench.stop(daemon)

    def empty(is_enabled):
        daemon = bench.daemon(f"empty-{is_enabled}", None, "--gateway.isEnabled", is_enabled)
        time.sleep(1)  # Until what a start leaves behind is gone.
        held = resident(daemon.pid) / 1e6
        bench.stop(daemon)
        return held

    with_gateway, without = by_turns(
        bench.options.rounds, lambda: empty("true"), lambda: empty("false"))
    bench.note("daemon whose gateway nobody uses, beside one without", with_gateway, "MB", without + 0.5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("hearthd")
    parser.add_argument("tools", help="the folder of the built benchmarks")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hearth-bench.") as folder:
        bench = Bench(options, folder)
        try:
            emulator, path = bench.emulator()
            reads(bench, path)
            far(bench, path)
            bench.stop(emulator)
            accepted(bench, options.tools)
            listeners(bench, options.tools)
            memory(bench)
        finally:
            bench.stop()
    print()
    for line in bench.results:
        mark = "" if line["value"] <= line["goal"] else "  missed"
        print(f"{line['name']:<68} {line['value']:>9} {line['unit']:<3} goal {line['goal']:>9}{mark}")


if __name__ == "__main__":
    main()
