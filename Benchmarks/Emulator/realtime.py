"""Puts load on the Realtime Database of `hearthd emulate` and tells what it cost.

    realtime.py [--count N] [--leaves N] [--only WORD] [--unix PATH] [--sender FILE] PORT COMMAND...

Starts the command, which is to serve at the port of 127.0.0.1 and at the Unix socket, prints a
table with what is promised beside it, and ends it. CPU is the server's own, user and system, from
/proc; frames are made before the clock starts. The sender is Benchmarks/Emulator/sender.c, which sends the
same bytes to as many connections and nothing else, a call each: what it takes is the kernel's. Ends
with 1 if a figure is above its promise.
"""

import argparse
import json
import os
import resource
import socket
import struct
import subprocess
import sys
import time

TICK = os.sysconf("SC_CLK_TCK")
TREE = "bench"
PIECE = 16_384  # Characters of a frame, as official clients cut a message.


def connection(place):
    """A connection to a port of 127.0.0.1, or to the path of a Unix socket."""
    if isinstance(place, str):
        made = socket.socket(socket.AF_UNIX)
        made.connect(place)
        return made
    made = socket.create_connection(("127.0.0.1", place))
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class Line:
    """A connection of the protocol, with nothing of an SDK on top."""

    def __init__(self, place):
        self.socket = connection(place)
        self.file = self.socket.makefile("rb", buffering=1 << 16)
        head = [
            f"GET /.ws?v=5&ns={TREE} HTTP/1.1", "host: localhost", "upgrade: websocket",
            "connection: Upgrade", "sec-websocket-version: 13",
            "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==", "", "",
        ]
        self.socket.sendall("\r\n".join(head).encode())
        assert b" 101 " in self.file.readline()
        while self.file.readline() != b"\r\n":
            pass
        self.read()  # Hello.

    @staticmethod
    def frame(text):
        """A text as the bytes of one frame, with a mask that changes nothing."""
        data = text.encode()
        head = b"\x81"
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        elif len(data) < 1 << 16:
            head += bytes([0x80 | 126]) + struct.pack(">H", len(data))
        else:
            head += bytes([0x80 | 127]) + struct.pack(">Q", len(data))
        return head + bytes(4) + data

    @classmethod
    def request(cls, number, action, body):
        message = {"t": "d", "d": {"r": number, "a": action, "b": body}}
        text = json.dumps(message, separators=(",", ":"))
        if len(text) <= PIECE:
            return cls.frame(text)
        pieces = [text[first:first + PIECE] for first in range(0, len(text), PIECE)]
        return b"".join(map(cls.frame, [str(len(pieces)), *pieces]))

    def ask(self, number, action, body):
        """Sends a request, and reads up to its answer."""
        self.socket.sendall(self.request(number, action, body))
        return self.answer(number)

    def answer(self, number):
        while True:
            message = self.read()
            if f'"r":{number},'.encode() in message[:40]:
                assert b'"s":"ok"' in message, message
                return message

    def read(self):
        """The next message, put together from its pieces."""
        first = self.piece()
        if not first.isdigit():
            return first
        return b"".join(self.piece() for _ in range(int(first)))

    def piece(self):
        length = self.file.read(2)[1]
        if length == 126:
            length = struct.unpack(">H", self.file.read(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.file.read(8))[0]
        return self.file.read(length)


class Server:
    def __init__(self, port, command):
        self.port = port
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                Line(port).socket.close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    raise SystemExit("realtime: the server does not start")
                time.sleep(0.05)

    def cpu(self):
        with open(f"/proc/{self.process.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def resident(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            for line in file:
                if line.startswith("VmRSS"):
                    return int(line.split()[1]) * 1_024

    def spent(self, body):
        """The server's CPU while something is done, in seconds."""
        before = self.cpu()
        body()
        return self.cpu() - before

    def end(self):
        self.process.terminate()
        self.process.wait()


def puts(server, count, window):
    """CPU of a put, with so many on the way."""
    line = Line(server.port)
    frames = [
        Line.request(n + 1, "p", {"p": f"/bench/k{n % 1_000:06}", "d": {"n": n, "s": "hello"}})
        for n in range(count)
    ]

    def run():
        for first in range(0, count, window):
            line.socket.sendall(b"".join(frames[first : first + window]))
            line.answer(min(first + window, count))

    return server.spent(run) / count * 1e6


def fan_out(server, place, count, listeners):
    """CPU of one change for each of many listeners, each on a connection of its own."""
    lines = [Line(place) for _ in range(listeners)]
    for line in lines:
        line.ask(1, "q", {"p": "/told", "h": ""})
    spent = told(server, place, count, lines, 1)
    for line in lines:
        line.socket.close()
    return spent


def fan_out_shared(server, place, count, connections, listeners):
    """CPU of one change for each of many listeners, which share a few connections."""
    lines = [Line(place) for _ in range(connections)]
    each = listeners // connections
    for line in lines:
        for tag in range(1, each + 1):
            query = {"i": ".key", "l": 1_000 + tag, "vf": "l"}
            line.ask(tag, "q", {"p": "/told", "q": query, "t": tag, "h": ""})
    spent = told(server, place, count, lines, each)
    for line in lines:
        line.socket.close()
    return spent


def told(server, place, count, lines, each):
    """CPU of one change for each listener, of which every connection has so many."""
    writer = Line(place)

    def run():
        for number in range(count):
            writer.ask(number + 1, "p", {"p": "/told/n", "d": {"n": number, "s": "hello"}})
            for line in lines:
                for _ in range(each):
                    line.read()

    return server.spent(run) / count / len(lines) / each * 1e6


def plain(sender, place, count, listeners):
    """CPU of a plain sender for each message of as many bytes as the change of `fan_out` has."""
    message = '{"t":"d","d":{"a":"d","b":{"p":"told/n","d":{"n":100,"s":"hello"}}}}'
    command = [sender, str(place), str(listeners), str(count), str(len(message) + 2)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    process.stdout.readline()  # Ready.
    made = [connection(place) for _ in range(listeners)]
    made[0].sendall(b"x")
    for _ in range(count):
        for one in made:
            one.recv(1 << 16)
        made[0].sendall(b"x")
    spent = float(process.stdout.read())
    process.wait()
    for one in made:
        one.close()
    return spent


def listener_rows(server, unix, sender):
    """One change to 1,000 listeners over each way, and what the kernel takes for a call each."""
    ways = [("TCP", server.port, free_port())]
    if unix:
        ways.append(("a Unix socket", unix, f"{unix}.plain"))
    rows = []
    for name, place, other in ways:
        rows.append((f"change to 1,000 listeners over {name}, each, CPU us",
                     fan_out(server, place, 200, 1_000), 4))
        if sender:
            floor = plain(sender, other, 200, 1_000)
            rows.append((f"the same by a plain sender over {name}", floor, None))
    rows.append(("change to 1,000 listeners on 10 connections, each, CPU us",
                 fan_out_shared(server, server.port, 200, 10, 1_000), 4))
    return rows


def memory_of_leaves(server, count):
    """Bytes resident for each of many leaves in small records."""
    line = Line(server.port)
    before = server.resident()
    size = 20_000
    for number, first in enumerate(range(0, count // 4, size)):
        records = {
            f"r{n:07}": {"name": f"record {n}", "count": n, "ratio": n / 7, "isEven": n % 2 == 0}
            for n in range(first, min(first + size, count // 4))
        }
        line.ask(number + 1, "m", {"p": "/records", "d": records})
    return (server.resident() - before) / count


def memory_of_lines(server, count):
    """Bytes resident for each of many idle connections."""
    before = server.resident()
    lines = [Line(server.port) for _ in range(count)]
    grown = server.resident() - before
    for line in lines:
        line.socket.close()
    return grown / count


def first_data(server, children, count):
    """CPU of telling a new listener many children, in milliseconds."""
    line = Line(server.port)
    line.ask(1, "p", {"p": "/large", "d": {
        f"k{n:06}": {"a": n, "b": f"text {n}", "c": n % 2 == 0} for n in range(children)
    }})

    def run():
        for number in range(count):
            line.ask(2 * number + 2, "q", {"p": "/large", "h": ""})
            line.ask(2 * number + 3, "n", {"p": "/large"})

    return server.spent(run) / count * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--leaves", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["memory", "put", "listeners", "children"])
    parser.add_argument("--unix")
    parser.add_argument("--sender")
    parser.add_argument("port", type=int)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8_192), hard))
    server = Server(options.port, options.command)
    try:
        rows = []
        if options.only in (None, "memory"):
            rows += [
                ("idle connection, resident, kB", memory_of_lines(server, 2_000) / 1_000, 20),
                ("leaf of a million, resident, bytes", memory_of_leaves(server, options.leaves),
                 160),
            ]
        if options.only in (None, "put"):
            rows += [
                ("put, 64 in flight, CPU us", puts(server, options.count, 64), 18),
                ("put, alone, CPU us", puts(server, options.count // 4, 1), 80),
            ]
        if options.only in (None, "listeners"):
            rows += listener_rows(server, options.unix, options.sender)
        if options.only in (None, "children"):
            rows.append(
                ("10,000 children to a new listener, CPU ms", first_data(server, 10_000, 20), 30))
    finally:
        server.end()
    print("| Realtime Database, by the emulator | figure | at most |\n|---|---|---|")
    for name, figure, most in rows:
        print(f"| {name} | {figure:.1f} | {most or ''} |")
    sys.exit(any(most and figure > most for _, figure, most in rows))


main()
