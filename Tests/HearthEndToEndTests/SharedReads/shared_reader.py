"""Asks for the memory file of hot documents, by the letter of PROTOCOL.md, and tries to do harm with it.

Prints a line for each answer: `none` or `file`, what was possible with the descriptor, and what the file
before says now. Ends with its standard input.
"""

import array
import fcntl
import mmap
import os
import socket
import struct
import sys


def varint(data, at):
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, at
        shift += 7


def numbers(body):
    """The fields of a message that has only numbers."""
    fields, at = {}, 0
    while at < len(body):
        key, at = varint(body, at)
        fields[key >> 3], at = varint(body, at)
    return fields


def possible(name, attempt):
    try:
        attempt()
        return [name]
    except (OSError, ValueError):
        return []


def harm(file, size):
    """What the descriptor allows beyond reading."""
    found = possible("map", lambda: mmap.mmap(file, size))
    found += possible("write", lambda: os.pwrite(file, b"x", 0))
    found += possible("cut", lambda: os.ftruncate(file, 0))
    found += possible("mode", lambda: os.fchmod(file, 0o666))
    found += possible("reopen", lambda: os.open(f"/proc/self/fd/{file}", os.O_RDWR))
    seal = 0x409  # F_ADD_SEALS
    found += possible("seal", lambda: fcntl.fcntl(file, seal, 0x8))
    return found


def said(mapped):
    """Whether a file has ended, and whether any byte of an entry is left."""
    words = struct.unpack("<7Q", mapped[:56])
    first = 64 + words[5] * 16
    blank = not any(mapped[8 * first :])
    return f"{'ended' if words[2] == 0 else 'counts'} {'blank' if blank else 'full'}"


def send(connection, kind, number, body=b""):
    connection.sendall(struct.pack(">IBQ", 9 + len(body), kind, number) + body)


def main():
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(os.environ["HEARTH_SOCKET"])
    send(connection, 1, 1, b"\x08\x01\x10\x01")
    stream, files, old = b"", [], None
    while True:
        data, ancillary, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(16))
        if not data:
            return
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                files += array.array("i", content[: len(content) // 4 * 4])
        stream += data
        while len(stream) >= 4 and len(stream) >= 4 + struct.unpack(">I", stream[:4])[0]:
            length, kind, number = struct.unpack(">IBQ", stream[:13])
            body, stream = stream[13 : 4 + length], stream[4 + length :]
            if kind == 128:
                send(connection, 85, 2)
            if kind != 215:
                continue
            fields = numbers(body)
            before = f" {said(old)}" if old else ""
            old = None
            if fields.get(1):
                file, size = files.pop(0), fields[2]
                print(f"file {harm(file, size)}{before}", flush=True)
                old = mmap.mmap(file, size, prot=mmap.PROT_READ)
            else:
                print(f"none{before}", flush=True)


main()
