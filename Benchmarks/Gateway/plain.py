"""A gRPC client that costs little: calls are frames made beforehand, and of the answers no more is read
than their ends. What a server takes for a call is then seen beside a client that takes next to nothing.
"""

import socket
import struct

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
END_STREAM, END_HEADERS, ACK = 0x1, 0x4, 0x1
SERVICE = "/google.firestore.v1.Firestore/"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def text(value):
    return bytes((len(value),)) + value.encode()


def header_block(method, metadata=()):
    """The headers of a call, none of them compressed or kept in a table."""
    block = b"\x83\x86"  # POST, http
    block += b"\x04" + text(SERVICE + method)
    block += b"\x01" + text("localhost")
    block += b"\x0f\x10" + text("application/grpc")
    block += b"\x00" + text("te") + text("trailers")
    for name, value in metadata:
        block += b"\x00" + text(name) + text(value)
    return block


def message(body):
    return b"\x00" + struct.pack(">I", len(body)) + body


class PlainClient:
    """One connection. `address` is a path, or HOST:PORT."""

    def __init__(self, address):
        if address.startswith("/"):
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address)
        else:
            host, port = address.rsplit(":", 1)
            self.socket = socket.create_connection((host, int(port)))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unread = b""
        self.next_stream = 1
        # As much as may come at all, for each stream and for all.
        settings = frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0x7FFFFFFF))
        window = frame(8, 0, 0, struct.pack(">I", 0x7FFFFFFF - 65_535))
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + settings + window)

    def close(self):
        self.socket.close()

    def begin(self, method, body, metadata=(), is_over=True):
        """The bytes of a call, and its stream."""
        stream = self.next_stream
        self.next_stream += 2
        call = frame(HEADERS, END_HEADERS, stream, header_block(method, metadata))
        return call + frame(DATA, END_STREAM if is_over else 0, stream, message(body)), stream

    def frames(self):
        """Reads once, and returns the frames that are whole: kind, flags, stream, payload."""
        got = self.socket.recv(1 << 18)
        if not got:
            raise ConnectionError("the server has closed the connection")
        data, at, found = self.unread + got, 0, []
        while len(data) - at >= 9:
            size = int.from_bytes(data[at : at + 3], "big")
            if len(data) - at < 9 + size:
                break
            kind, flags = data[at + 3], data[at + 4]
            payload = data[at + 9 : at + 9 + size]
            if kind == SETTINGS and not flags & ACK:
                self.socket.sendall(frame(SETTINGS, ACK, 0))
            elif kind == PING and not flags & ACK:
                self.socket.sendall(frame(PING, ACK, 0, payload))
            elif kind == RESET and not any(payload):
                pass  # The call was answered before its request was read.
            elif kind in (RESET, GOAWAY):
                raise ConnectionError(f"the server has ended the call: {payload!r}")
            else:
                stream = int.from_bytes(data[at + 5 : at + 9], "big")
                found.append((kind, flags, stream, payload))
            at += 9 + size
        self.unread = data[at:]
        return found

    def call_all(self, method, bodies, in_flight, metadata=()):
        """Makes a call for each body, so many at a time; every one must be answered with a message."""
        block = header_block(method, metadata)
        stream, calls = self.next_stream, []
        for body in bodies:
            calls.append(
                frame(HEADERS, END_HEADERS, stream, block)
                + frame(DATA, END_STREAM, stream, message(body)))
            stream += 2
        self.next_stream = stream
        self.socket.sendall(b"".join(calls[:in_flight]))
        begun, ended, answered = min(in_flight, len(calls)), 0, 0
        while ended < len(calls):
            now = 0
            for kind, flags, _, _ in self.frames():
                if kind == DATA:
                    answered += 1
                elif kind == HEADERS and flags & END_STREAM:
                    now += 1
            ended += now
            if now and begun < len(calls):
                self.socket.sendall(b"".join(calls[begun : begun + now]))
                begun = min(begun + now, len(calls))
        if answered < len(calls):
            raise ConnectionError(f"{len(calls) - answered} of {len(calls)} calls were refused")
