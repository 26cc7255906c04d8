"""Guests who do their worst to the gateway, each told of its place, and going on until it is ended."""

import os
import random
import secrets
import socket
import struct
import time

import gateway
from gateway import (
    CONTINUATION, DATA, END_HEADERS, END_STREAM, GREETING, HEADERS, PING, RESET, SERVICE, SETTINGS,
    Channel, envelope, field, frame, headers_of, prefixed, wire)

DATABASE = "projects/demo/databases/(default)"
ROOT = DATABASE + "/documents"
CROWD = {"from": [{"collection_id": "crowd"}]}
# Calls of a connection at once, and what a guest keeps the daemon from ending, in bytes.
CALL_COUNT, HALF_BYTES = 500, 256 << 20


def requests():
    """Requests for what a guest has no right to, by their methods."""
    named = wire.encode(gateway.GET_DOCUMENT, {"name": f"{ROOT}/crowd/1"})
    query = wire.encode(gateway.QUERY_TARGET, {"parent": ROOT, "structured_query": CROWD})
    write = {"update": {"name": f"{ROOT}/guests/x", "fields": wire.to_fields({"n": 1})}}
    writes = wire.encode(gateway.COMMIT, {"database": DATABASE, "writes": [write]})
    database = {1: ("database", "string", False)}
    begin = wire.encode(database, {"database": DATABASE})
    names = {1: ("database", "string", False), 2: ("documents", "string", True)}
    many = [f"{ROOT}/crowd/{number}" for number in range(1_000)]
    # An aggregation and a pipeline hold the query one level deeper.
    counted = wire.encode(
        {1: ("parent", "string", False), 2: ("query", gateway.QUERY_TARGET, False)},
        {"parent": ROOT, "query": {"parent": "", "structured_query": CROWD}})
    return [
        ("GetDocument", named), ("DeleteDocument", named), ("RunQuery", query),
        ("PartitionQuery", query), ("RunAggregationQuery", counted), ("Commit", writes),
        ("BatchWrite", writes), ("BeginTransaction", begin), ("Rollback", begin),
        ("ExecutePipeline", begin), ("ListCollectionIds", wire.encode(
            {1: ("parent", "string", False)}, {"parent": ROOT})),
        ("ListDocuments", wire.encode(
            {1: ("parent", "string", False), 2: ("collection_id", "string", False)},
            {"parent": ROOT, "collection_id": "crowd"})),
        ("BatchGetDocuments", wire.encode(names, {"database": DATABASE, "documents": many})),
    ]


def refused_calls(place):
    """Calls of all methods for what the guest has no right to, a hundred at a time."""
    channel, kinds = Channel(random.choice(place.gateways)), requests()
    while True:
        asked = []
        for number in range(100):
            method, body = kinds[number % len(kinds)]
            asked.append((method, channel.ask(method, body)))
        for method, stream in asked:
            try:
                channel.wait(stream)
            except gateway.Refused:
                continue
            place.betray(f"{method} answered a guest")


def broken_calls(place):
    """Requests of chance, without a database, with another, and messages cut short."""
    while True:
        channel = Channel(random.choice(place.gateways))
        for method, body in requests() * 5:
            stream = channel.begin(method)
            cut = random.randrange(len(body))
            wrong = random.choice([
                envelope(random.randbytes(60)), envelope(body[:cut]), envelope(body)[:cut + 5],
                envelope(b""), b"\1" + envelope(body)[1:], envelope(body) * 2,
                envelope(wire.encode({1: ("database", "string", False)}, {
                    "database": f"projects/p{secrets.token_hex(4)}/databases/d"}))])
            channel.send(stream, wrong, is_last=True)
        try:
            while True:
                channel.receive()
        except socket.timeout:
            pass


def half_calls(place):
    """Calls whose requests have come and which never end, a megabyte in each."""
    body = bytes(1 << 20)
    held = []
    for path in place.gateways:
        channel = Channel(path, patience=2)
        held.append(channel)
        for number in range(HALF_BYTES // len(body) // len(place.gateways)):
            stream = channel.begin(random.choice(["GetDocument", "Commit", "RunQuery", "Write"]))
            # Half of the messages lack their last byte.
            channel.send(stream, envelope(body)[:len(body) + 5 - number % 2])
    while True:
        for channel in held:
            channel.socket.sendall(frame(PING, 0, 0, bytes(8)))
        time.sleep(0.1)


def header_floods(place):
    """Lists of headers without end, long ones of every call, and tables that grow."""
    while True:
        raw = Channel(random.choice(place.gateways)).socket
        long = headers_of(
            SERVICE + "GetDocument", *((f"hearth-{number}", "x" * 900) for number in range(60)))
        choice = random.randrange(4)
        if choice == 0:
            raw.sendall(frame(HEADERS, 0, 1, headers_of(SERVICE + "Commit")))
            for _ in range(20_000):
                raw.sendall(frame(CONTINUATION, 0, 1, field("x", "y" * 50)))
        for number in range(300):
            stream = 2 * number + 1
            if choice == 1:
                send_headers(raw, stream, long)
            elif choice == 2:
                # One entry of the table, said ten thousand times.
                entry = b"\x40" + prefixed(1, 7) + b"x" + prefixed(4_000, 7) + b"y" * 4_000
                send_headers(raw, stream, entry + b"\xbe" * 10_000)
            else:
                raw.sendall(frame(HEADERS, END_HEADERS, stream, random.randbytes(2_000)))


def send_headers(raw, stream, block):
    """Sends headers in as many frames as they need."""
    parts = [block[at:at + 16_384] for at in range(0, len(block), 16_384)]
    for number, part in enumerate(parts):
        flags = END_HEADERS if number == len(parts) - 1 else 0
        raw.sendall(frame(CONTINUATION if number else HEADERS, flags, stream, part))


def unread_listens(place):
    """Streams of listeners, to what may and may not be listened to, that nobody reads."""
    window = random.choice([0, (1 << 31) - 1])
    channel = Channel(random.choice(place.gateways), window=window)
    target = {"query": {"parent": ROOT, "structured_query": CROWD}}
    streams = []
    for number in range(CALL_COUNT):
        stream = channel.begin("Listen")
        streams.append(stream)
        body = wire.encode(
            gateway.LISTEN, {"database": DATABASE, "add_target": {**target, "target_id": number + 1}})
        channel.send(stream, envelope(body))
    while True:
        stream = random.choice(streams)
        more = wire.encode(gateway.LISTEN, {
            "database": DATABASE, "add_target": {**target, "target_id": random.randrange(1, 1 << 30)}})
        channel.socket.sendall(frame(DATA, 0, stream, envelope(more)))
        time.sleep(0.001)


def rapid_resets(place):
    """Calls that are given up as soon as they have begun."""
    while True:
        raw, kinds = Channel(random.choice(place.gateways)).socket, requests()
        for number in range(20_000):
            method, body = kinds[number % len(kinds)]
            stream = 2 * number + 1
            raw.sendall(
                frame(HEADERS, END_HEADERS, stream, headers_of(SERVICE + method))
                + frame(DATA, END_STREAM, stream, envelope(body))
                + frame(RESET, 0, stream, struct.pack(">I", 8)))


def window_games(place):
    """Answers of which one byte may come at a time, and frames that set and ask without end."""
    while True:
        channel = Channel(random.choice(place.gateways), window=0)
        raw = channel.socket
        for method, body in requests():
            channel.ask(method, body)
        for number in range(3_000):
            raw.sendall(frame(PING, 0, 0, os.urandom(8)))
            raw.sendall(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, number % 2)))


def gateway_connections(place):
    """As many connections as the gateway takes, some with half a greeting."""
    held = []
    while True:
        for path in place.gateways:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.setblocking(False)
            try:
                connection.connect(path)
                connection.send(GREETING[:random.randrange(len(GREETING) + 1)])
                held.append(connection)
            except OSError:
                connection.close()
        if len(held) > 400:
            for connection in held[:200]:
                connection.close()
            held = held[200:]


ATTACKS = {
    "calls": refused_calls, "brokencalls": broken_calls, "halfcalls": half_calls,
    "headers": header_floods, "unreadlistens": unread_listens, "resets": rapid_resets,
    "windows": window_games, "gateconnections": gateway_connections,
}
