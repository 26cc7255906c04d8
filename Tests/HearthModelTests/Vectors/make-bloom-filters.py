#!/usr/bin/env python3
"""Writes BloomFilterVectors.swift: filters made after the published algorithm, with hashlib alone.

A name's MD5 is two little-endian 64-bit numbers, h1 and h2. Its bits are
(h1 + i * h2 mod 2^64) mod bitCount for i below hashCount, each counted from the
least significant bit of its byte. Of each filter the file keeps a digest of its
bitmap and one of its answers, which are asked of its members and then of as many
other names, 2,000 at most.

    Tests/HearthModelTests/Vectors/make-bloom-filters.py > \\
        Tests/HearthModelTests/Vectors/BloomFilterVectors.swift
"""
import hashlib
import math
import struct

PREFIX = "projects/project-1/databases/database-1/documents/"
SPELLINGS = {
    "plain": lambda number: f"{PREFIX}coll/doc{number}",
    "foreign": lambda number: f"{PREFIX}r\u00e4ume/{number}/\u90e8\u5c4b/\U0001f525{number * 7}",
}


def words(data):
    return struct.unpack("<QQ", hashlib.md5(data).digest())


def bits_of(name, bit_count, hash_count):
    h1, h2 = words(name.encode())
    return [((h1 + i * h2) % 2**64) % bit_count for i in range(hash_count)]


def vector(spelling, count, bit_count, hash_count):
    name = SPELLINGS[spelling]
    bitmap = bytearray((bit_count + 7) // 8)
    for number in range(count):
        for bit in bits_of(name(number), bit_count, hash_count):
            bitmap[bit // 8] |= 1 << (bit % 8)
    answers = bytearray()
    for number in range(count + min(count, 2_000)):
        bits = bits_of(name(number), bit_count, hash_count)
        answers.append(all(bitmap[bit // 8] >> (bit % 8) & 1 for bit in bits))
    assert all(answers[:count])
    return (spelling, count, bit_count, hash_count, words(bytes(bitmap))[0], words(answers)[0])


def best(count, rate):
    """The size that gives so many wrong answers, and the number of hashes that suits it."""
    bit_count = max(1, math.ceil(-count * math.log(rate) / math.log(2) ** 2))
    return bit_count, max(1, round(bit_count / count * math.log(2)))


def vectors():
    for count in (1, 2, 3, 7, 20, 100, 500, 2_000):
        for rate in (0.5, 0.1, 0.01, 0.0001):
            yield vector("plain", count, *best(count, rate))
    for count, rate in ((10_000, 0.1), (10_000, 0.001), (50_000, 0.01)):
        yield vector("plain", count, *best(count, rate))
    for padding in range(8):
        yield vector("foreign", 100, 120 * 8 - padding, 7)
    # Few bits, powers of two, primes, more hashes than bits.
    for bit_count, hash_count in (
        (1, 1), (2, 3), (7, 1), (8, 8), (9, 16), (61, 13), (64, 7), (127, 50), (128, 50), (256, 1),
        (997, 7), (1_024, 7), (4_096, 16), (7_919, 30), (65_536, 16), (65_537, 16), (1_000_003, 1),
    ):
        yield vector("foreign", 40, bit_count, hash_count)


print("""/// One filter, and digests of its bitmap and of its answers.
struct BloomFilterVector: Sendable {
    /// How its members are written.
    enum Spelling: Sendable { case plain, foreign }

    let spelling: Spelling
    let count: Int
    let bitCount: UInt64
    let hashCount: Int
    let bitmap: UInt64
    let answers: UInt64

    init(
        _ spelling: Spelling, _ count: Int, _ bitCount: UInt64, _ hashCount: Int,
        _ bitmap: UInt64, _ answers: UInt64
    ) {
        self.spelling = spelling
        self.count = count
        self.bitCount = bitCount
        self.hashCount = hashCount
        self.bitmap = bitmap
        self.answers = answers
    }

    /// Made by make-bloom-filters.py: spelling, members, bits, hashes, digests.
    static let all: [BloomFilterVector] = [""")
for spelling, count, bit_count, hash_count, bitmap, answers in vectors():
    print(f"        .init(.{spelling}, {count:_}, {bit_count:_}, {hash_count}, "
          f"0x{bitmap:016x}, 0x{answers:016x}),")
print("    ]\n}")
