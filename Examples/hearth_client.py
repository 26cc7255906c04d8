#!/usr/bin/env python3
"""A whole client of hearthd in one file of plain Python: get, set, delete, query, listen, status.

Read it beside Sources/Stone/HearthWire/PROTOCOL.md. It shows that this page and hearth.proto are all that
another language needs, and checks the daemon from outside: it shares no code with it, not even a
protobuf library. A lost connection is made again: writes are sent again under their numbers, and
listeners listen again.

    hearth_client.py get rooms/hall --source cache
    hearth_client.py set rooms/hall '{"name": "Hall", "lights": 3}' --until accepted
    hearth_client.py query rooms --where lights '>' 1 --order-by lights --limit 5
    hearth_client.py listen rooms --count 2
    hearth_client.py status

Every line of output is one JSON object.
"""

import argparse
import base64
import json
import os
import secrets
import socket
import struct
import sys
import time

# ---- Protobuf: a schema is {field number: (name, type, is repeated)}; a type is a word or a schema.


def read_varint(data, at):
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def encode(schema, message):
    """The bytes of a message given as a dictionary. What is absent is left out."""
    out = bytearray()
    for number, (name, kind, repeated) in schema.items():
        if name not in message:
            continue
        for value in message[name] if repeated else [message[name]]:
            if kind == "double":
                out += varint(number << 3 | 1) + struct.pack("<d", value)
            elif kind == "fixed64":
                out += varint(number << 3 | 1) + struct.pack("<Q", value)
            elif kind == "varint":
                out += varint(number << 3 | 0) + varint(int(value))
            else:
                if kind == "string":
                    value = value.encode()
                elif kind != "bytes":
                    value = encode(kind, value)
                out += varint(number << 3 | 2) + varint(len(value)) + value
    return bytes(out)


def decode(schema, data):
    """A message as a dictionary; fields that the schema does not know are skipped."""
    message, at = {}, 0
    while at < len(data):
        key, at = read_varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            raw, at = read_varint(data, at)
        elif wire == 1:
            raw, at = data[at : at + 8], at + 8
        elif wire == 2:
            size, at = read_varint(data, at)
            raw, at = data[at : at + size], at + size
        elif wire == 5:
            raw, at = data[at : at + 4], at + 4
        else:
            raise ValueError(f"wire type {wire}")
        if number not in schema:
            continue
        name, kind, repeated = schema[number]
        if kind == "varint":
            value = raw - (1 << 64) if raw >> 63 else raw
        elif kind == "double":
            value = struct.unpack("<d", raw)[0]
        elif kind == "fixed64":
            value = struct.unpack("<Q", raw)[0]
        elif kind == "string":
            value = raw.decode()
        elif kind == "bytes":
            value = bytes(raw)
        else:
            value = decode(kind, raw)
        if repeated:
            message.setdefault(name, []).append(value)
        else:
            message[name] = value
    return message


# ---- The messages of google.firestore.v1 that are needed, and those of hearth.proto.

TIMESTAMP = {1: ("seconds", "varint", False), 2: ("nanos", "varint", False)}
LAT_LNG = {1: ("latitude", "double", False), 2: ("longitude", "double", False)}
VALUE = {}
FIELDS_ENTRY = {1: ("key", "string", False), 2: ("value", VALUE, False)}
VALUE.update(
    {
        1: ("boolean_value", "varint", False),
        2: ("integer_value", "varint", False),
        3: ("double_value", "double", False),
        5: ("reference_value", "string", False),
        6: ("map_value", {1: ("fields", FIELDS_ENTRY, True)}, False),
        8: ("geo_point_value", LAT_LNG, False),
        9: ("array_value", {1: ("values", VALUE, True)}, False),
        10: ("timestamp_value", TIMESTAMP, False),
        11: ("null_value", "varint", False),
        17: ("string_value", "string", False),
        18: ("bytes_value", "bytes", False),
    }
)
DOCUMENT = {
    1: ("name", "string", False),
    2: ("fields", FIELDS_ENTRY, True),
    3: ("create_time", TIMESTAMP, False),
    4: ("update_time", TIMESTAMP, False),
}
WRITE = {1: ("update", DOCUMENT, False), 2: ("delete", "string", False)}
FIELD = {2: ("field_path", "string", False)}
FIELD_FILTER = {
    1: ("field", FIELD, False),
    2: ("op", "varint", False),
    3: ("value", VALUE, False),
}
FILTER = {}
COMPOSITE_FILTER = {1: ("op", "varint", False), 2: ("filters", FILTER, True)}
FILTER.update(
    {1: ("composite_filter", COMPOSITE_FILTER, False), 2: ("field_filter", FIELD_FILTER, False)}
)
STRUCTURED_QUERY = {
    2: (
        "from",
        {2: ("collection_id", "string", False), 3: ("all_descendants", "varint", False)},
        True,
    ),
    3: ("where", FILTER, False),
    4: ("order_by", {1: ("field", FIELD, False), 2: ("direction", "varint", False)}, True),
    5: ("limit", {1: ("value", "varint", False)}, False),
}
OPERATORS = {
    "<": 1, "<=": 2, ">": 3, ">=": 4, "==": 5, "!=": 6,
    "array-contains": 7, "in": 8, "array-contains-any": 9, "not-in": 10,
}  # fmt: skip

HELLO = {
    1: ("version_min", "varint", False),
    2: ("version_max", "varint", False),
    3: ("client_id_high", "fixed64", False),
    4: ("client_id_low", "fixed64", False),
    5: ("program", "string", False),
    6: ("database", "string", False),
    7: ("answered_below", "varint", False),
}
WELCOME = {
    1: ("version", "varint", False),
    2: ("session_id", "varint", False),
    3: ("database", "string", False),
    4: ("daemon_version", "string", False),
    8: ("store_generation", "fixed64", False),
}
TARGET = {
    1: ("document", "string", False),
    2: (
        "query",
        {
            1: ("parent", "string", False),
            2: ("structured_query", STRUCTURED_QUERY, False),
            3: ("limit_type", "varint", False),
        },
        False,
    ),
}
GET = {1: ("target", TARGET, False), 2: ("source", "varint", False)}
LISTEN = {
    1: ("target", TARGET, False),
    2: ("include_metadata_changes", "varint", False),
    3: ("cache_only", "varint", False),
}
SNAPSHOT = {
    1: ("id", "varint", False),
    2: ("base", "varint", False),
    3: (
        "documents",
        {1: ("document", DOCUMENT, False), 2: ("has_pending_writes", "varint", False)},
        True,
    ),
    4: ("removed", "string", True),
    5: ("is_from_cache", "varint", False),
    6: ("has_pending_writes", "varint", False),
    8: ("has_more", "varint", False),
}
FAILURE = {1: ("code", "varint", False), 2: ("message", "string", False)}
WRITE_REQUEST = {
    1: ("sequence", "varint", False),
    2: ("answered_below", "varint", False),
    3: ("writes", WRITE, True),
    78: ("sent_to_generation", "fixed64", False),
}
WRITE_ANSWER = {
    1: ("sequence", "varint", False),
    2: ("batch_id", "varint", False),
    3: ("failure", FAILURE, False),
    4: ("may_have_been_applied", "varint", False),
}
STATUS = {
    1: ("daemon_version", "string", False),
    2: ("uptime_seconds", "varint", False),
    3: ("degraded_reasons", "string", True),
    4: ("database", "string", False),
    6: ("upstream", "string", False),
    7: ("online_state", "varint", False),
    9: ("queue_batch_count", "varint", False),
    11: ("dead_letter_count", "varint", False),
    12: ("client_count", "varint", False),
    13: ("listener_count", "varint", False),
}

# Requests, then events.
K_HELLO, K_GET, K_LISTEN, K_UNLISTEN, K_WRITE, K_STATUS = 1, 3, 4, 5, 6, 16
E_WELCOME, E_FAILED, E_ANSWER, E_SNAPSHOT, E_LISTEN_FAILED = 128, 130, 131, 132, 133
E_ACCEPTED, E_COMMITTED, E_REJECTED, E_STATUS = 134, 135, 136, 138


class Failed(Exception):
    """The daemon, or the backend behind it, refused."""

    def __init__(self, failure):
        self.code = failure.get("code", 0)
        super().__init__(failure.get("message", ""))


# ---- Values as JSON.


def to_value(plain):
    if plain is None:
        return {"null_value": 0}
    if isinstance(plain, bool):
        return {"boolean_value": plain}
    if isinstance(plain, int):
        return {"integer_value": plain}
    if isinstance(plain, float):
        return {"double_value": plain}
    if isinstance(plain, str):
        return {"string_value": plain}
    if isinstance(plain, list):
        return {"array_value": {"values": [to_value(item) for item in plain]}}
    return {"map_value": {"fields": to_fields(plain)}}


def to_fields(plain):
    return [{"key": key, "value": to_value(item)} for key, item in plain.items()]


def from_value(value):
    kind, inner = next(iter(value.items()))
    if kind == "null_value":
        return None
    if kind == "boolean_value":
        return bool(inner)
    if kind == "array_value":
        return [from_value(item) for item in inner.get("values", [])]
    if kind == "map_value":
        return from_fields(inner.get("fields", []))
    if kind == "bytes_value":
        return {"$bytes": base64.b64encode(inner).decode()}
    if kind == "timestamp_value":
        return {"$time": [inner.get("seconds", 0), inner.get("nanos", 0)]}
    if kind == "geo_point_value":
        return {"$point": [inner.get("latitude", 0.0), inner.get("longitude", 0.0)]}
    if kind == "reference_value":
        return {"$reference": inner}
    return inner


def from_fields(fields):
    return {field["key"]: from_value(field["value"]) for field in fields}


# ---- The client.


class Client:
    """One client, through however many sessions. Calls are made one after another."""

    def __init__(self, path=None, database="", patience=30, program="hearth_client.py"):
        self.path = path or default_socket()
        self.database = database
        self.patience = patience
        self.program = program
        # By which the daemon knows writes that are sent again. For the life of this process.
        self.identity = (secrets.randbits(64), secrets.randbits(64))
        self.last_sequence = 0
        self.answered_below = 1
        self.socket = None
        self.connect()

    def connect(self):
        """Begins a session; tries again for a while if there is no daemon."""
        deadline, pause = time.monotonic() + self.patience, 0.05
        while True:
            try:
                return self.greet()
            except OSError:
                if time.monotonic() + pause > deadline:
                    raise
            time.sleep(pause)
            pause = min(2 * pause, 2)

    def greet(self):
        if self.socket:
            self.socket.close()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(self.path)
        self.last_request = 0
        hello = {
            "version_min": 1,
            "version_max": 1,
            "client_id_high": self.identity[0],
            "client_id_low": self.identity[1],
            "program": self.program,
            "database": self.database,
            "answered_below": self.answered_below,
        }
        number = self.send(K_HELLO, encode(HELLO, hello))
        self.welcome = decode(WELCOME, self.receive(number, E_WELCOME)[1])
        # Whatever the default is in another session, documents have been named in this one.
        self.database = self.welcome["database"]
        self.root = self.database + "/documents"

    def send(self, kind, body=b"", number=None):
        """Sends a frame and returns its request number."""
        if number is None:
            self.last_request += 1
            number = self.last_request
        self.socket.sendall(struct.pack(">IBQ", 9 + len(body), kind, number) + body)
        return number

    def read_exactly(self, count):
        data = bytearray()
        while len(data) < count:
            chunk = self.socket.recv(min(65536, count - len(data)))
            if not chunk:
                raise ConnectionError("the daemon closed the connection")
            data += chunk
        return bytes(data)

    def receive(self, wanted_number, *wanted):
        """The next event of a request that is of a wanted kind. Failures raise.

        Events of other requests are late ones, of calls that did not wait for their end.
        """
        while True:
            length, kind, number = struct.unpack(">IBQ", self.read_exactly(13))
            body = self.read_exactly(length - 9)
            if number not in (0, wanted_number):
                continue
            if kind in (E_FAILED, E_LISTEN_FAILED):
                failed = Failed(decode(FAILURE, body))
                if number == 0 and failed.code in (8, 14):  # The session ends; that passes.
                    raise ConnectionError(str(failed))
                raise failed
            if kind in wanted:
                return kind, body

    def ask(self, kind, body, event):
        """Asks once, again if the connection is lost before the answer. Not for writes."""
        while True:
            try:
                return self.snapshot(self.send(kind, body), event)
            except ConnectionError:
                self.connect()

    def snapshot(self, number, kind):
        """A whole answer or snapshot, of however many frames."""
        documents, removed = [], []
        while True:
            part = decode(SNAPSHOT, self.receive(number, kind)[1])
            documents += part.get("documents", [])
            removed += part.get("removed", [])
            if not part.get("has_more"):
                return {**part, "documents": documents, "removed": removed}

    def plain(self, listed):
        document = listed["document"]
        return {
            "path": document["name"][len(self.root) + 1 :],
            "data": from_fields(document.get("fields", [])),
            "hasPendingWrites": bool(listed.get("has_pending_writes")),
        }

    def target(self, path, where=(), order_by=(), limit=None, group=False):
        if not group and path.count("/") % 2 == 1:
            return {"document": f"{self.root}/{path}"}
        parent, _, collection = path.rpartition("/")
        query = {"from": [{"collection_id": collection, "all_descendants": group}]}
        filters = [
            {
                "field_filter": {
                    "field": {"field_path": field},
                    "op": OPERATORS[op],
                    "value": to_value(value),
                }
            }
            for field, op, value in where
        ]
        if len(filters) == 1:
            query["where"] = filters[0]
        elif filters:
            query["where"] = {"composite_filter": {"op": 1, "filters": filters}}
        query["order_by"] = [
            {
                "field": {"field_path": field.lstrip("-")},
                "direction": 2 if field.startswith("-") else 1,
            }
            for field in order_by
        ]
        if limit is not None:
            query["limit"] = {"value": limit}
        above = f"{self.root}/{parent}" if parent else self.root
        return {"query": {"parent": above, "structured_query": query}}

    def get(self, target, source="default"):
        sources = {"default": 0, "server": 1, "cache": 2}
        request = encode(GET, {"target": target, "source": sources[source]})
        answer = self.ask(K_GET, request, E_ANSWER)
        return {
            "documents": [self.plain(listed) for listed in answer["documents"]],
            "isFromCache": bool(answer.get("is_from_cache")),
        }

    def write(self, writes, until="committed"):
        """Writes, and waits until the daemon has it, or the backend."""
        self.last_sequence += 1
        request = {
            "sequence": self.last_sequence,
            "answered_below": self.answered_below,
            "writes": writes,
        }
        while True:
            generation = self.welcome.get("store_generation", 0)
            try:
                answer = self.settle(self.send(K_WRITE, encode(WRITE_REQUEST, request)), until)
                break
            except ConnectionError:
                # The daemon knows the sequence, and does nothing twice; stores that were restored
                # meanwhile may not know it, and tell so by the number of those that it was sent to.
                request.setdefault("sent_to_generation", generation)
                self.connect()
        self.answered_below = self.last_sequence + 1
        return answer

    def settle(self, number, until):
        kind, body = self.receive(number, E_ACCEPTED, E_REJECTED)
        if kind == E_REJECTED:  # Sent before, and nobody knows what became of it.
            raise Failed(decode(WRITE_ANSWER, body).get("failure", {}))
        accepted = decode(WRITE_ANSWER, body)
        if until == "committed":
            kind, body = self.receive(number, E_COMMITTED, E_REJECTED)
            if kind == E_REJECTED:
                raise Failed(decode(WRITE_ANSWER, body).get("failure", {}))
        return {"batch": accepted.get("batch_id", 0), "stage": until}

    def set(self, path, data, until="committed"):
        document = {"name": f"{self.root}/{path}", "fields": to_fields(data)}
        return self.write([{"update": document}], until)

    def delete(self, path, until="committed"):
        return self.write([{"delete": f"{self.root}/{path}"}], until)

    def listen(self, target, include_metadata_changes=False, cache_only=False):
        """Yields what changed, what was removed, and how many documents there are now."""
        options = {
            "target": target,
            "include_metadata_changes": include_metadata_changes,
            "cache_only": cache_only,
        }
        view, known, number = {}, None, None
        while True:
            try:
                if number is None:
                    number = self.send(K_LISTEN, encode(LISTEN, options))
                snapshot = self.snapshot(number, E_SNAPSHOT)
            except ConnectionError:
                self.connect()
                number = None
                continue
            base = snapshot.get("base", 0)
            if base not in (0, known):  # We do not have what it differs from.
                self.send(K_UNLISTEN, number=number)
                number = None
                continue
            known = snapshot.get("id", 0)
            changed = {listed["document"]["name"]: listed for listed in snapshot["documents"]}
            if base:
                removed = [name for name in snapshot["removed"] if view.pop(name, None)]
            else:
                removed = [name for name in view if name not in changed]
                changed = {
                    name: new  # Its update_time alone may differ; nobody has seen that.
                    for name, new in changed.items()
                    if name not in view or self.plain(view[name]) != self.plain(new)
                }
                view = {name: view[name] for name in view if name not in removed}
            view.update(changed)
            yield {
                "isWhole": not base,
                "changed": [self.plain(listed) for listed in changed.values()],
                "removed": [name[len(self.root) + 1 :] for name in removed],
                "count": len(view),
                "isFromCache": bool(snapshot.get("is_from_cache")),
            }

    def status(self):
        return decode(STATUS, self.receive(self.send(K_STATUS), E_STATUS)[1])


def default_socket():
    if os.environ.get("HEARTH_SOCKET"):
        return os.environ["HEARTH_SOCKET"]
    system = "/run/hearth/hearth.sock"
    folder = os.environ.get("XDG_RUNTIME_DIR")
    if os.path.exists(system) or not folder:
        return system
    return f"{folder}/hearth/hearth.sock"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--socket")
    parser.add_argument("--database", default="", help="projects/P/databases/D")
    parser.add_argument("--patience", type=float, default=30, help="seconds without a daemon")
    commands = parser.add_subparsers(dest="command", required=True)
    get = commands.add_parser("get")
    write = commands.add_parser("set")
    delete = commands.add_parser("delete")
    query = commands.add_parser("query")
    listen = commands.add_parser("listen")
    commands.add_parser("status")
    for command in (get, write, delete, query, listen):
        command.add_argument("path")
    write.add_argument("data", type=json.loads)
    for command in (get, query):
        command.add_argument("--source", default="default", choices=["default", "server", "cache"])
    for command in (write, delete):
        command.add_argument("--until", default="committed", choices=["accepted", "committed"])
    for command in (query, listen):
        command.add_argument("--where", nargs=3, action="append", default=[])
        command.add_argument("--order-by", action="append", default=[])
        command.add_argument("--limit", type=int)
        command.add_argument("--group", action="store_true")
    listen.add_argument("--count", type=int, help="end after so many snapshots")
    listen.add_argument("--metadata", action="store_true")
    listen.add_argument("--cache-only", action="store_true")
    options = parser.parse_args()

    def show(answer):
        print(json.dumps(answer, ensure_ascii=False), flush=True)

    def target():
        where = [(field, op, json.loads(value)) for field, op, value in options.where]
        return client.target(options.path, where, options.order_by, options.limit, options.group)

    try:
        client = Client(options.socket, options.database, options.patience)
        if options.command == "get":
            show(client.get(client.target(options.path), options.source))
        elif options.command == "set":
            show(client.set(options.path, options.data, options.until))
        elif options.command == "delete":
            show(client.delete(options.path, options.until))
        elif options.command == "query":
            show(client.get(target(), options.source))
        elif options.command == "status":
            show(client.status())
        else:
            news = client.listen(target(), options.metadata, options.cache_only)
            for number, snapshot in enumerate(news, 1):
                show(snapshot)
                if number == options.count:
                    break
    except (Failed, OSError) as error:
        show({"error": str(error), "code": getattr(error, "code", None)})
        sys.exit(1)


if __name__ == "__main__":
    main()
