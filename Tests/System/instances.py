"""A program with a session to an instance of the Realtime Database, and guests who do their worst to one."""

import json
import os
import random
import secrets
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples"))
import hearth_client as wire  # noqa: E402
from writers import Writers  # noqa: E402

# What Examples/hearth_client.py has no need of.
HELLO = {
    **wire.HELLO, 9: ("service", "varint", False), 10: ("instance", "string", False)}
REALTIME = 1
TARGET = {1: ("path", "string", False), 2: ("query", "string", False)}
LISTEN = {1: ("target", TARGET, False), 2: ("is_silent", "varint", False)}
GET = {1: ("target", TARGET, False), 2: ("source", "varint", False)}
ANSWER = {1: ("is_from_cache", "varint", False), 2: ("nodes", "bytes", False)}
PLACED = {
    1: ("place", "string", False), 2: ("node", "bytes", False), 3: ("json", "string", False)}
UPDATE = {1: ("path", "string", False), 2: ("parts", PLACED, True)}
CHANGE = {1: ("set", PLACED, False), 2: ("update", UPDATE, False)}
WRITE = {
    1: ("sequence", "varint", False), 2: ("answered_below", "varint", False),
    3: ("change", CHANGE, False)}
RUN = {1: ("path", "string", False), 2: ("shows_estimate", "varint", False)}
PROPOSE = {1: ("round", "varint", False), 2: ("node", "bytes", False)}
ORDER = {
    1: ("write", CHANGE, False), 2: ("cancel", "string", False), 3: ("scope", "varint", False)}
K_LISTEN, K_GET, K_WRITE, K_PURGE, K_RUN, K_PROPOSE, K_ORDER = range(32, 39)
E_NODE = 174
CACHE = 2
# A whole number as the bytes of a node: its kind, and the number as a varint.
ONE = b"\x03\x02"


def change(place, content):
    """A change that sets one place to what is JSON."""
    return {"set": {"place": place, "json": json.dumps(content)}}


class Program(wire.Client):
    """A program that speaks to the daemon's own instance."""

    def greet(self):
        if self.socket:
            self.socket.close()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(self.patience)
        self.socket.connect(self.path)
        self.last_request = 0
        hello = {
            "version_min": 1, "version_max": 1, "client_id_high": self.identity[0],
            "client_id_low": self.identity[1], "program": "instances.py",
            "answered_below": self.answered_below, "service": REALTIME}
        self.receive(self.send(wire.K_HELLO, wire.encode(HELLO, hello)), wire.E_WELCOME)

    def set(self, place, content):
        """Writes a place; returns when that is accepted."""
        self.last_sequence += 1
        self.answered_below = self.last_sequence
        self.set_again(place, content)

    def set_again(self, place, content):
        """Sends the last write once more, under its number."""
        write = {
            "sequence": self.last_sequence, "answered_below": self.last_sequence,
            "change": change(place, content)}
        self.receive(self.send(K_WRITE, wire.encode(WRITE, write)), wire.E_ACCEPTED)

    def get(self, place):
        """The bytes of what the cache has at a place; `None` if it does not know."""
        body = wire.encode(GET, {"target": {"path": place}, "source": CACHE})
        try:
            _, answer = self.receive(self.send(K_GET, body), E_NODE)
        except wire.Failed:
            return None
        return wire.decode(ANSWER, answer).get("nodes", b"\x00")


class InstanceLoad(Writers):
    """Several programs that count each place up once, and know which writes were accepted."""

    ends = (OSError, wire.Failed)
    pause_seconds = 0.003

    def __init__(self, path, name, count=2, sends_again=False):
        self.path, self.accepted, self.sends_again = path, [], sends_again
        self.again_count = 0
        super().__init__([(f"load/{name}-{writer}",) for writer in range(count)])

    def begin(self, prefix):
        program = Program(self.path, patience=30 if self.sends_again else 3)

        def write(number):
            place = f"/{prefix}-{number}"
            self._count_up(program, place)
            self.accepted.append(place)
        return write

    def _count_up(self, program, place):
        send, one = program.set, {".sv": {"increment": 1}}
        while True:
            try:
                return send(place, one)
            except OSError:
                if not self.sends_again:
                    raise
            self.again_count += 1
            program.connect()
            send = program.set_again


def check_counted(path, places):
    """What is wrong if each of these places was to be counted up once."""
    program = Program(path)
    wrong = []
    for place in places:
        found = program.get(place)
        if found != ONE:
            wrong.append(f"{place} is {found and found.hex()}, counted up once")
    return wrong


# ---- The attacks: each is told of its place, and goes on until it is ended.


def bad_nodes(place):
    """Requests to an instance of no sense: bodies of chance, nodes without end, queries that are none."""
    deep = b"\x06\x01\x05\x01a" * 40_000 + b"\x02"
    queries = ["{", "[]", '{"l": -1}', '{"i": ".nothing"}', '{"sp": {}}', "null", "{}" * 5_000]
    while True:
        guest = place.guest(service=REALTIME)
        for kind in range(K_LISTEN, K_ORDER + 2):
            guest.send(kind, random.randbytes(random.randrange(60)))
        for node in (deep, b"\x06\xff\xff\xff\xff\x0f", b"\x05\xff\xff\xff\xff\x0f", b"\x07" * 1_000):
            written = {"set": {"place": "/a", "node": node}}
            guest.send(K_WRITE, wire.encode(WRITE, {"sequence": 0, "change": written}))
            guest.send(K_ORDER, wire.encode(ORDER, {"write": written}))
        for query in queries:
            target = {"path": "/" + "a/" * 40, "query": query}
            guest.send(K_LISTEN, wire.encode(LISTEN, {"target": target}))
            guest.send(K_GET, wire.encode(GET, {"target": target}))
        guest.drain()


def invented_instances(place):
    """An instance of a new name in every session."""
    while True:
        place.guest(service=REALTIME, instance=f"n{secrets.token_hex(4)}").send(
            K_GET, wire.encode(GET, {"target": {"path": "/"}}))


def node_listeners(place):
    """Three hundred listeners to places and queries of an instance, begun again and again."""
    guest = place.guest(service=REALTIME)
    while True:
        numbers = []
        for number in range(300):
            query = json.dumps({"i": "number", "sp": -number, "l": 1 + number, "vf": "l"})
            target = {"path": "/crowd", "query": random.choice(["", query])}
            numbers.append(guest.send(K_LISTEN, wire.encode(LISTEN, {"target": target})))
            guest.drain()
        for number in numbers:
            guest.send(wire.K_UNLISTEN, b"", number)
            guest.drain()


def unread_nodes(place):
    """Whole instances that nobody reads."""
    guest = place.guest(service=REALTIME)
    body = wire.encode(GET, {"target": {"path": "/crowd"}, "source": CACHE})
    while True:
        for _ in range(100):
            guest.send(K_GET, body)


def idle_transactions(place):
    """Transactions that never propose anything, or propose to rounds that nobody asked for."""
    while True:
        guest = place.guest(service=REALTIME)
        for number in range(200):
            body = wire.encode(RUN, {"path": f"/own/{number % 7}", "shows_estimate": 1})
            asked = guest.send(K_RUN, body)
            round_ = random.choice([0, 1, 1 << 40])
            guest.send(K_PROPOSE, wire.encode(PROPOSE, {"round": round_, "node": ONE}), asked)
            guest.drain()


def many_orders(place):
    """Thousands of orders for the end, of programs that end soon."""
    while True:
        guest = place.guest(service=REALTIME)
        for number in range(2_000):
            order = {"write": change(f"/own/{secrets.token_hex(4)}", "x" * 500), "scope": number % 3}
            guest.send(K_ORDER, wire.encode(ORDER, order))
            guest.drain()


def large_nodes(place):
    """Writes of a megabyte, and updates of ten thousand places, to an instance."""
    guest = place.guest(service=REALTIME)
    large = change("/own/large", "x" * 900_000)
    parts = [{"place": f"k{number}", "json": "1"} for number in range(10_000)]
    many = {"update": {"path": "/own", "parts": parts}}
    bodies = [wire.encode(WRITE, {"sequence": 0, "change": one}) for one in (large, many)]
    while True:
        for body in bodies:
            guest.send(K_WRITE, body)
            guest.drain()
        guest.send(K_PURGE)
        guest.drain()


ATTACKS = {
    "nodes": bad_nodes, "instances": invented_instances, "watchers": node_listeners,
    "unreadnodes": unread_nodes, "transactions": idle_transactions, "orders": many_orders,
    "largenodes": large_nodes,
}
