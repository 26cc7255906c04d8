"""A program that speaks gRPC to the daemon's gateway: calls of one request, on one connection.

Only what these tests need of HTTP/2 and of gRPC, in plain Python, so that no package must be installed.
"""

import collections
import os
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Examples"))
import hearth_client as wire  # noqa: E402

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, END_HEADERS, ACK = 1, 4, 1
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
FRAME_BYTES_MAX = 16_384
WINDOW_BYTES = 65_535
SERVICE = "/google.firestore.v1.Firestore/"
# Of a call that the client gave up, and of one that the daemon never answered.
CANCELLED, UNAVAILABLE = 1, 14

TRANSFORM = {1: ("field_path", "string", False), 3: ("increment", wire.VALUE, False)}
WRITE = {
    **wire.WRITE,
    3: ("update_mask", {1: ("field_paths", "string", True)}, False),
    7: ("update_transforms", TRANSFORM, True),
}
COMMIT = {1: ("database", "string", False), 2: ("writes", WRITE, True)}
COMMITTED = {1: ("write_results", {1: ("update_time", wire.TIMESTAMP, False)}, True)}
GET_DOCUMENT = {1: ("name", "string", False)}
QUERY_TARGET = {
    1: ("parent", "string", False), 2: ("structured_query", wire.STRUCTURED_QUERY, False)}
LISTEN = {
    1: ("database", "string", False),
    2: ("add_target", {2: ("query", QUERY_TARGET, False), 5: ("target_id", "varint", False)}, False)}

# The characters of HPACK's code, by the length of theirs: within a length they follow each other.
CODE = {
    5: "012aceiost", 6: " %-./3456789=A_bdfghlmnpru", 7: ":BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz",
    8: "&*,;XZ", 10: "!\"()?", 11: "'+|", 12: "#>", 13: "\0$@[]~", 14: "^}", 15: "<`{"}


class Refused(Exception):
    """A call that was answered with an error."""

    def __init__(self, status, message):
        super().__init__(f"status {status}: {message}")
        self.status = status


def frame(kind, flags, stream, body=b""):
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


def settings(**values):
    """A frame of settings; those that are named by their number, as `_4`."""
    return frame(SETTINGS, 0, 0, b"".join(
        struct.pack(">HI", int(name[1:]), value) for name, value in values.items()))


def envelope(body):
    """A message as gRPC frames it."""
    return struct.pack(">BI", 0, len(body)) + body


def prefixed(number, bits, first=0):
    """A number behind the first bits of a byte."""
    most = (1 << bits) - 1
    if number < most:
        return bytes([first | number])
    return bytes([first | most]) + wire.varint(number - most)


def field(name, value):
    """A header that enters no table."""
    return b"\0" + b"".join(
        prefixed(len(text), 7) + text for text in (name.encode(), value.encode()))


def headers_of(path, *more):
    """The headers of a call; more of them are pairs."""
    fields = [
        (":method", "POST"), (":scheme", "http"), (":path", path), (":authority", "localhost"),
        ("te", "trailers"), ("content-type", "application/grpc"),
        ("authorization", "Bearer owner"), *more]
    return b"".join(field(name, value) for name, value in fields)


def characters():
    """HPACK's code: the character of each code, by the code's length and value."""
    found, code, last = {}, 0, 5
    for length, text in CODE.items():
        code <<= length - last
        for character in text:
            found[length, code] = character
            code += 1
        last = length
    return {**found, (19, 0x7FFF0): "\\"}


class HeaderReader:
    """Reads headers of a peer that was told to keep no table."""

    known = characters()

    def __init__(self, data):
        self.data, self.at = data, 0

    def fields(self):
        """The headers that are written out, by their names."""
        found = {}
        while self.at < len(self.data):
            first = self.data[self.at]
            if first & 0x80:
                self._number(7)
            elif first & 0xE0 == 0x20:
                self._number(5)
            else:
                index = self._number(6 if first & 0x40 else 4)
                name = self._text() if index == 0 else str(index)
                found[name] = self._text()
        return found

    def _number(self, bits):
        most = (1 << bits) - 1
        value = self.data[self.at] & most
        self.at += 1
        if value < most:
            return value
        more, self.at = wire.read_varint(self.data, self.at)
        return value + more

    def _text(self):
        is_coded = self.data[self.at] & 0x80
        length = self._number(7)
        raw = self.data[self.at:self.at + length]
        self.at += length
        return self._decoded(raw) if is_coded else raw.decode("latin-1")

    def _decoded(self, raw):
        text, code, length = [], 0, 0
        for byte in raw:
            for bit in range(7, -1, -1):
                code, length = code << 1 | byte >> bit & 1, length + 1
                if (length, code) in self.known:
                    text.append(self.known[length, code])
                    code = length = 0
        return "".join(text)


def connected(path, patience):
    """A socket that is connected, once there is room for one more."""
    end = time.monotonic() + patience
    while True:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(patience)
        try:
            connection.connect(path)
            return connection
        except BlockingIOError:  # Too many wait to be let in.
            connection.close()
            if time.monotonic() > end:
                raise
            time.sleep(0.002)


class Answer:
    """What came on one stream."""

    def __init__(self):
        self.data, self.fields, self.is_whole = bytearray(), {}, False

    def messages(self):
        """The messages that have come whole."""
        found, at = [], 0
        while at + 5 <= len(self.data):
            length = struct.unpack(">I", self.data[at + 1:at + 5])[0]
            if at + 5 + length > len(self.data):
                break
            found.append(bytes(self.data[at + 5:at + 5 + length]))
            at += 5 + length
        return found


class Channel:
    """One connection to the gateway. Not for several threads."""

    def __init__(self, path, patience=30, window=(1 << 31) - 1):
        self.socket = connected(path, patience)
        self.received, self.last_stream = bytearray(), -1
        self.is_greeted = False
        self.answers, self.headers = {}, {}
        # What may still be sent: of all streams, and of each of them.
        self.window, self.stream_window, self.windows = WINDOW_BYTES, WINDOW_BYTES, {}
        # The peer keeps no table of headers, and need not wait for us.
        self.socket.sendall(
            GREETING + settings(_1=0, _4=window)
            + frame(WINDOW, 0, 0, struct.pack(">I", (1 << 31) - 1 - WINDOW_BYTES)))

    def close(self):
        self.socket.close()

    def greet(self):
        """Waits until the daemon has said how it speaks."""
        while not self.is_greeted:
            self.receive()

    def begin(self, method, *more):
        """Begins a call; returns its stream."""
        self.last_stream += 2
        stream = self.last_stream
        self.answers[stream], self.windows[stream] = Answer(), self.stream_window
        self.socket.sendall(
            frame(HEADERS, END_HEADERS, stream, headers_of(SERVICE + method, *more)))
        return stream

    def send(self, stream, data, is_last=False):
        """Sends bytes of a stream, as fast as the peer takes them."""
        at = 0
        while True:
            answer = self.answers[stream]
            count = min(len(data) - at, FRAME_BYTES_MAX, self.window, self.windows[stream])
            if answer.is_whole:
                return
            if count == 0 and at < len(data):
                self.receive()
                continue
            is_end = is_last and at + count == len(data)
            self.socket.sendall(
                frame(DATA, END_STREAM if is_end else 0, stream, data[at:at + count]))
            self.window -= count
            self.windows[stream] -= count
            at += count
            if at == len(data):
                return

    def ask(self, method, body, *more):
        """Makes a call of one request without waiting for it; returns its stream."""
        stream = self.begin(method, *more)
        self.send(stream, envelope(body), is_last=True)
        return stream

    def wait(self, stream):
        """The messages and the headers that answer a call.

        Raises `Refused` if it is an error, and `OSError` if the connection ends before it.
        """
        answer = self.answers[stream]
        while not answer.is_whole:
            self.receive()
        del self.answers[stream], self.windows[stream]
        status = int(answer.fields.get("grpc-status", UNAVAILABLE))
        if status != 0:
            raise Refused(status, answer.fields.get("grpc-message", "no word"))
        return answer.messages(), answer.fields

    def call(self, method, body, *more):
        """The answer to a call of one request."""
        return self.wait(self.ask(method, body, *more))

    def receive(self):
        """Takes what has come, after waiting for it."""
        data = self.socket.recv(1 << 18)
        if not data:
            raise ConnectionError("the daemon closed the connection")
        self.received += data
        at = 0
        while at + 9 <= len(self.received):
            length = int.from_bytes(self.received[at:at + 3], "big")
            if at + 9 + length > len(self.received):
                break
            kind, flags, stream = struct.unpack(">BBI", self.received[at + 3:at + 9])
            self._take(kind, flags, stream, bytes(self.received[at + 9:at + 9 + length]))
            at += 9 + length
        del self.received[:at]

    def _take(self, kind, flags, stream, body):
        answer = self.answers.get(stream)
        if kind == DATA:
            if answer:
                answer.data += body
            if body:
                self.socket.sendall(frame(WINDOW, 0, 0, struct.pack(">I", len(body))))
        elif kind in (HEADERS, CONTINUATION):
            known = self.headers.setdefault(stream, bytearray())
            known += body
            if flags & END_HEADERS:
                fields = HeaderReader(bytes(self.headers.pop(stream))).fields()
                if answer:
                    answer.fields.update(fields)
        elif kind == RESET and answer:
            answer.fields.setdefault("grpc-status", str(CANCELLED))
            answer.is_whole = True
        elif kind == SETTINGS and not flags & ACK:
            self._obey(body)
        elif kind == PING and not flags & ACK:
            self.socket.sendall(frame(PING, ACK, 0, body))
        elif kind == WINDOW:
            count = struct.unpack(">I", body)[0]
            if stream == 0:
                self.window += count
            elif stream in self.windows:
                self.windows[stream] += count
        if answer and kind in (DATA, HEADERS) and flags & END_STREAM:
            answer.is_whole = True

    def _obey(self, body):
        self.is_greeted = True
        for name, value in struct.iter_unpack(">HI", body):
            if name == 4:
                for stream in self.windows:
                    self.windows[stream] += value - self.stream_window
                self.stream_window = value
        self.socket.sendall(frame(SETTINGS, ACK, 0))


class Client:
    """A program that gets and commits documents of one database."""

    def __init__(self, path, database, patience=30):
        self.channel, self.database = Channel(path, patience), database

    def close(self):
        self.channel.close()

    def commit(self, writes):
        """Commits writes; returns what the answer says of them."""
        body = wire.encode(COMMIT, {"database": self.database, "writes": writes})
        messages, fields = self.channel.call("Commit", body)
        if len(messages) != 1 or "hearth-batch" not in fields:
            raise AssertionError(f"a commit was answered by {messages} and {fields}")
        # Not the time of the commit: a commit that is sent again, since its answer was lost, changes
        # nothing any more and comes later.
        first = wire.decode(COMMITTED, messages[0])["write_results"][0]
        return Receipt(
            int(fields["hearth-batch"]), fields["hearth-state"], moment(first["update_time"]))

    def document(self, path):
        """A document, as it was sent."""
        body = wire.encode(GET_DOCUMENT, {"name": f"{self.database}/documents/{path}"})
        messages, _ = self.channel.call("GetDocument", body)
        return wire.decode(wire.DOCUMENT, messages[0])

    def get(self, path):
        """The fields of a document, as plain values."""
        return wire.from_fields(self.document(path).get("fields", []))


# What a commit was answered by: its place in the queue, "accepted" or "committed", and when its first
# document changed.
Receipt = collections.namedtuple("Receipt", "batch state time")


def moment(timestamp):
    """A time as something that can be compared: seconds and nanoseconds."""
    return timestamp.get("seconds", 0), timestamp.get("nanos", 0)
