#!/usr/bin/env python3
"""Asks Google's Firestore emulator how it orders, matches and transforms, and writes the answers
down as Swift facts beside this file.

Usage: start the emulator, then
    FIRESTORE_EMULATOR_HOST=127.0.0.1:8080 ./ask-emulator.py

Needs the Python package google-cloud-firestore, for its protobuf messages and its stub. The
client's own ideas of values are not used, so every question goes out exactly as it stands here.
"""

import os
import struct
import sys

import grpc
from google.api_core import exceptions
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport
from google.cloud.firestore_v1.types import common, document, firestore, query, write
from google.protobuf import timestamp_pb2

PROJECT = "demo"
DATABASE = f"projects/{PROJECT}/databases/(default)"
ROOT = f"{DATABASE}/documents"
HERE = os.path.dirname(os.path.abspath(__file__))

# ---- Values: tuples of a tag and parts ----------------------------------------------------------

NULL = ("null",)
NAN = ("double", float("nan"))
INF = float("inf")
MAX = 2**63 - 1
MIN = -(2**63)


def boolean(x): return ("boolean", x)
def i(x): return ("integer", x)
def d(x): return ("double", float(x))
def s(x): return ("string", x)
def b(*x): return ("bytes", bytes(x))
def t(seconds, nanos=0): return ("timestamp", seconds, nanos)
def r(path, project=PROJECT, database="(default)"): return ("reference", project, database, path)
def g(lat, lon): return ("geoPoint", float(lat), float(lon))
def a(*x): return ("array", list(x))
def m(**x): return ("map", sorted(x.items(), key=lambda e: e[0].encode()))
def pairs(*x): return ("map", sorted(x, key=lambda e: e[0].encode()))
def v(*x): return ("map", [("__type__", s("__vector__")), ("value", a(*[d(e) for e in x]))])


def proto(value):
    tag = value[0]
    if tag == "null": return document.Value(null_value=0)
    if tag == "boolean": return document.Value(boolean_value=value[1])
    if tag == "integer": return document.Value(integer_value=value[1])
    if tag == "double": return document.Value(double_value=value[1])
    if tag == "string": return document.Value(string_value=value[1])
    if tag == "bytes": return document.Value(bytes_value=value[1])
    if tag == "timestamp":
        result = document.Value()
        stamp = timestamp_pb2.Timestamp(seconds=value[1], nanos=value[2])
        document.Value.pb(result).timestamp_value.CopyFrom(stamp)
        return result
    if tag == "reference":
        name = f"projects/{value[1]}/databases/{value[2]}/documents/{value[3]}"
        return document.Value(reference_value=name)
    if tag == "geoPoint":
        return document.Value(geo_point_value={"latitude": value[1], "longitude": value[2]})
    if tag == "array":
        return document.Value(array_value={"values": [proto(e) for e in value[1]]})
    if tag == "map":
        return document.Value(map_value={"fields": {k: proto(e) for k, e in value[1]}})
    raise ValueError(tag)


def plain(value):
    """A protobuf value as a tuple."""
    pb = document.Value.pb(value)
    kind = pb.WhichOneof("value_type")
    if kind == "null_value": return NULL
    if kind == "boolean_value": return boolean(pb.boolean_value)
    if kind == "integer_value": return i(pb.integer_value)
    if kind == "double_value": return d(pb.double_value)
    if kind == "string_value": return s(pb.string_value)
    if kind == "bytes_value": return ("bytes", pb.bytes_value)
    if kind == "timestamp_value": return t(pb.timestamp_value.seconds, pb.timestamp_value.nanos)
    if kind == "reference_value":
        parts = pb.reference_value.split("/", 5)
        return r(parts[5], parts[1], parts[3])
    if kind == "geo_point_value": return g(pb.geo_point_value.latitude, pb.geo_point_value.longitude)
    if kind == "array_value": return a(*[plain(e) for e in value.array_value.values])
    if kind == "map_value": return pairs(*[(k, plain(e)) for k, e in value.map_value.fields.items()])
    raise ValueError(kind)


def bits(x):
    if x != x: return "NaN"
    return struct.pack(">d", x).hex()


def text(value):
    """A short spelling that tells apart all that strict equality tells apart."""
    tag = value[0]
    if tag == "null": return "null"
    if tag == "boolean": return "true" if value[1] else "false"
    if tag == "integer": return f"i{value[1]}"
    if tag == "double": return f"d{bits(value[1])}"
    if tag == "string": return f"s{value[1].encode().hex()}"
    if tag == "bytes": return f"b{value[1].hex()}"
    if tag == "timestamp": return f"t{value[1]}.{value[2]}"
    if tag == "reference": return f"r{value[1]}/{value[2]}/{value[3]}"
    if tag == "geoPoint": return f"g{bits(value[1])},{bits(value[2])}"
    if tag == "array": return "[" + ",".join(text(e) for e in value[1]) + "]"
    if tag == "map":
        return "{" + ",".join(f"{k.encode().hex()}:{text(e)}" for k, e in value[1]) + "}"
    raise ValueError(tag)


def swift_string(x):
    out = '"'
    for c in x:
        if c in '"\\': out += "\\" + c
        elif 0x20 <= ord(c) < 0x7F: out += c
        else: out += "\\u{%X}" % ord(c)
    return out + '"'


def swift_double(x):
    if x != x: return ".nan"
    if x in (INF, -INF): return ".infinity" if x > 0 else "-.infinity"
    if abs(x) == 5e-324: return ("-" if x < 0 else "") + ".leastNonzeroMagnitude"
    if abs(x) > 1e15: return x.hex()
    return repr(x)


def swift(value):
    """A value as a Swift expression of type `Value`."""
    tag = value[0]
    if tag == "null": return ".null"
    if tag == "boolean": return f".boolean({'true' if value[1] else 'false'})"
    if tag == "integer": return f".integer({'.min' if value[1] == MIN else value[1]})"
    if tag == "double": return f".double({swift_double(value[1])})"
    if tag == "string": return f".string({swift_string(value[1])})"
    if tag == "bytes": return f".bytes([{', '.join(str(e) for e in value[1])}])"
    if tag == "timestamp":
        return f".timestamp(Timestamp(seconds: {value[1]}, nanoseconds: {value[2]}))"
    if tag == "reference":
        return (f'reference({swift_string(value[3])}, project: "{value[1]}", '
                f'database: "{value[2]}")')
    if tag == "geoPoint":
        return (f".geoPoint(GeoPoint(latitude: {swift_double(value[1])}, "
                f"longitude: {swift_double(value[2])}))")
    if tag == "array": return f".array([{', '.join(swift(e) for e in value[1])}])"
    if tag == "map":
        if not value[1]: return ".map(.empty)"
        entries = ", ".join(f"({swift_string(k)}, {swift(e)})" for k, e in value[1])
        return f".map(MapValue([{entries}]))"
    raise ValueError(tag)


# ---- What is asked ------------------------------------------------------------------------------

VALUES = [
    NULL, boolean(False), boolean(True),
    NAN, d(-INF), d(-1.7976931348623157e308), d(-9.223372036854778e18), i(MIN), d(-2.0**63),
    i(MIN + 1), d(-9223372036854774784.0), i(-9007199254740993), d(-9007199254740992.0),
    i(-9007199254740992), i(-9007199254740991), d(-1.5), i(-1), d(-1), d(-0.5), d(-5e-324),
    d(-0.0), i(0), d(0), d(5e-324), d(0.5), i(1), d(1), d(1.5), i(2), i(9007199254740991),
    i(9007199254740992), d(9007199254740992.0), i(9007199254740993), d(9007199254740994.0),
    i(9007199254740994), d(9223372036854774784.0), i(MAX - 1), i(MAX), d(2.0**63),
    d(1.7976931348623157e308), d(INF),
    t(-62135596800), t(-1, 999999000), t(0), t(0, 1000), t(1, 0), t(253402300799, 999999000),
    s(""), s("\0"), s(" "), s("10"), s("9"), s("A"), s("a"), s("a\0"), s("aa"), s("ab"), s("b"),
    s("e\u0301"), s("f"), s("~"), s("\u00e9"), s("\u212b"), s("\uac00"), s("\ue000"),
    s("\ufb00"), s("\ufffd"), s("\U00010000"), s("\U0001f600"),
    b(), b(0), b(0, 0), b(1), b(0x7F), b(0x80), b(0xFF), b(0xFF, 0),
    r("c/a"), r("c/a!"), r("c/a/d/e"), r("c/a0"), r("c/b"), r("c/10"), r("c/9"), r("c/__id7__"),
    r("c/__id10__"), r("c/_"), r("c!/a"), r("c/a", database="other"), r("c/a", project="alpha"),
    r("c/a", project="zeta"),
    g(-90, -180), g(-0.0, 0), g(0, 0), g(0, -0.0), g(0, 1), g(0.5, -1), g(90, 180),
    a(), a(NULL), a(NAN), a(d(-0.0)), a(i(0)), a(i(1)), a(d(1)), a(i(1), i(2)), a(i(1), s("a")),
    a(i(2)), a(s("a")), a(s("\u00e9")), a(s("e\u0301")), a(m()), a(m(a=i(1))), a(m(a=d(1))),
    a(r("c/a")),
    v(1), v(2), v(-0.0, 9), v(0, 5), v(0, 0, 0),
    m(), pairs(("A", i(9))), m(a=NULL), m(a=NAN), m(a=i(1)), m(a=d(1)), m(a=i(1), b=i(2)),
    m(a=i(2)), m(a=a(i(1))), m(a=m()), m(a=m(b=i(1))), m(aa=i(0)), m(b=i(0)),
    pairs(("\u00e9", i(1))), pairs(("e\u0301", i(1))), m(a=v(1)),
]

LISTS = [
    a(NULL), a(NAN), a(NULL, i(1)), a(NAN, i(1)), a(i(1), s("a")), a(d(-0.0), boolean(True)),
    a(d(9007199254740992.0), i(9007199254740993)), a(s("\u00e9")), a(s("e\u0301")),
    a(a(i(1)), m(a=d(1))), a(a(d(1), i(2)), v(1)), a(m(), a()), a(r("c/a"), r("c/b")),
    a(t(0), b(0), g(0, 0)), a(a(NULL)), a(a(NAN)), a(m(a=NULL)), a(m(a=NAN)),
]

IDS = [
    "__id7__", "__id10__", "__id-3__", "__id0__", "__id9223372036854775807__",
    "__id-9223372036854775808__", "__id9223372036854775808__", "__id007__", "__id-0__",
    "__id+7__", "__id__", "__idx__", "__id7_", "_id7__", "__id7__x", "__ID7__",
    "0", "10", "9", "A", "B", "_", "__", "a", "a!", "a-", "a0", "aa", "b", " ", "!", "~", "{",
    "\u00e9", "e\u0301", "f", "\u212b", "\ue000", "\ufb00", "\U00010000", "\U0001f600", "\uac00",
    "__x", "x__", "__x__", ".a", "...", "..",
]

FIELD_PATHS = [
    "a", "a.b", "_", "a1", "1a", "a..b", ".a", "a.", "", "`a`", "`a.b`", "`1a`", "``", "a.``",
    "``.a", "`a", "a`", "`a``b`", "a`b`", "`a`b", "`a\\`b`", "`a\\\\b`", "a\\.b", "`a\\.b`",
    "a\\b", "`a\\b`", "`a\\", "a-b", "a b", "\u00e9", "`\u00e9`", "a~b", "`a~*/[]b`", "__name__",
    "`__x__`", "a.`b`.c", "a\\`b", "`a`.`b`", "$a", "`$a`", "a.1", "a.`1`",
]

BASES = [
    None, NULL, boolean(True), s("x"), a(), m(), t(5), NAN, d(INF), d(-INF), i(0), d(0.0),
    d(-0.0), i(3), d(3.0), d(2.5), i(-4), i(MAX), i(MIN), d(2.0**63), i(9007199254740993),
    a(i(1), d(1.0), i(2), i(1)), a(NAN, NULL, s("a"), NAN), a(d(-0.0), i(0)),
    a(m(a=i(1)), m(a=d(1.0)), s("\u00e9")), v(1, 2),
]

NUMBERS = [
    i(0), i(1), i(-1), i(3), d(3.0), d(2.5), d(0.0), d(-0.0), NAN, d(INF), d(-INF), i(MAX), i(MIN),
    d(9007199254740992.0), d(2.0**63), d(-2.0**63),
]

ELEMENTS = [
    [], [i(1)], [d(1.0)], [i(1), d(1.0)], [d(0.0), i(0), d(-0.0)], [NAN, NAN], [NULL],
    [s("e\u0301"), s("\u00e9")], [m(a=d(1.0))], [i(2), s("b"), i(2)], [v(1), m()],
]

MASKS = [
    # (document, values, mask)
    (m(a=i(1), b=i(2)), m(a=i(9)), ["a"]),
    (m(a=i(1), b=i(2)), m(), ["a"]),
    (m(a=i(1), b=i(2)), m(a=i(9), b=i(9)), []),
    (m(a=m(b=i(1), c=i(2))), m(a=m(b=i(9))), ["a.b"]),
    (m(a=m(b=i(1), c=i(2))), m(a=m(b=i(9))), ["a"]),
    (m(a=m(b=i(1), c=i(2))), m(), ["a.b"]),
    (m(a=m(b=i(1))), m(), ["a.b"]),
    (m(a=i(5)), m(a=m(b=m(c=i(1)))), ["a.b.c"]),
    (m(a=i(5)), m(), ["a.b.c"]),
    (m(), m(), ["a.b.c"]),
    (m(a=a(i(1))), m(a=m(b=i(1))), ["a.b"]),
    (m(a=i(1)), m(a=m(b=i(1), c=i(2))), ["a", "a.b"]),
    (m(a=m(x=i(1))), m(a=m(b=i(1), c=i(2))), ["a.b", "a"]),
    (m(a=m(x=i(1))), m(a=i(7)), ["a.b"]),
    (pairs(("\u00e9", i(1)), ("e\u0301", i(2))), pairs(("e\u0301", i(3))), ["`e\u0301`"]),
    (pairs(("a.b", i(1)), ("a", m(b=i(2)))), pairs(("a.b", i(9))), ["`a.b`"]),
    (m(a=v(1, 2)), m(a=m(b=i(1))), ["a.b"]),
    (m(a=v(1, 2)), m(), ["a.b"]),
    (m(a=v(1, 2)), m(), ["a.value"]),
]

NAMES = ["a", "b", "c"]
DOCUMENTS = [
    m(a=i(1), b=i(1)), m(a=i(2), b=i(1)), m(a=i(2), b=i(2)), m(a=i(3)), m(b=i(1)), m(b=i(3)),
    m(a=d(2.0), b=s("x"), c=i(1)), m(a=NULL, b=i(1), c=i(2)), m(a=s("2"), b=i(1), c=i(3)),
    m(a=a(i(1), i(2)), b=i(2), c=i(4)), m(a=i(5), b=NULL, c=NULL), m(c=i(9)), m(),
    m(a=NAN, b=i(1), c=i(5)), m(a=m(x=i(1)), b=m(x=i(2)), c=i(0)), m(a=i(-1), b=i(-1), c=i(-1)),
]


def f(field, op, value): return ("field", field, op, value)
def both(*x): return ("and", x)
def either(*x): return ("or", x)


QUERIES = [
    # (filter, orders, start, end, limit); a cursor is (values, inclusive); "^" means descending
    (None, [], None, None, None),
    (None, ["a"], None, None, None),
    (None, ["^a"], None, None, None),
    (None, ["b", "^a"], None, None, None),
    (None, ["a.x"], None, None, None),
    (None, ["__name__"], None, None, 3),
    (None, ["^b", "__name__"], None, None, 6),
    (f("a", "==", i(2)), [], None, None, None),
    (f("a", "==", i(2)), ["b"], None, None, None),
    (f("a", ">", i(1)), [], None, None, None),
    (f("a", ">", i(1)), ["^a"], None, None, 2),
    (f("a", "!=", i(2)), [], None, None, None),
    (f("a", "not-in", a(i(2), s("2"))), [], None, None, None),
    (f("a", "in", a(i(2), s("2"))), [], None, None, None),
    (f("a", "array-contains", i(2)), ["c"], None, None, None),
    (either(f("a", ">", i(1)), f("b", "==", i(1))), [], None, None, None),
    (either(f("a", "==", i(1)), f("b", "==", i(1))), [], None, None, None),
    (either(f("a", "==", i(1)), f("b", ">", i(1))), [], None, None, None),
    (either(f("a", ">", i(2)), f("b", ">", i(2))), [], None, None, None),
    (either(f("a", ">", i(1)), f("b", "==", i(1))), ["b"], None, None, None),
    (both(f("a", ">=", i(2)), f("b", "<=", i(2))), [], None, None, None),
    (both(f("a", ">=", i(2)), f("b", "<=", i(2))), ["^b"], None, None, None),
    (both(f("b", "==", i(1)), either(f("a", "==", i(1)), f("a", "==", i(2)))), [], None, None, None),
    (both(either(f("a", "==", i(1)), f("c", ">", i(1))), f("b", "==", i(1))), [], None, None, None),
    (f("a.x", "==", i(1)), [], None, None, None),
    (None, ["a"], ([i(2)], True), None, None),
    (None, ["a"], ([i(2)], False), None, None),
    (None, ["a"], None, ([i(2)], True), None),
    (None, ["a"], None, ([i(2)], False), None),
    (None, ["^a"], ([i(2)], True), ([i(-1)], False), None),
    (None, ["a", "b"], ([i(2), i(1)], False), None, None),
    (None, ["a", "b"], ([d(2.0), i(2)], True), ([i(5)], False), None),
    (None, ["a", "__name__"], ([i(2), r("queries/d01")], False), None, None),
    (None, ["^a", "^__name__"], None, ([i(2), r("queries/d02")], True), None),
    (None, ["__name__"], ([r("queries/d03")], True), ([r("queries/d06")], False), None),
    (f("a", ">", i(1)), ["a"], ([i(3)], True), None, None),
    (f("__name__", ">", r("queries/d10")), [], None, None, None),
    (f("__name__", "in", a(r("queries/d01"), r("queries/d10"))), [], None, None, None),
    (f("__name__", "not-in", a(r("queries/d01"), r("queries/d10"))), [], None, None, None),
    (f("__name__", "!=", r("queries/d00")), [], None, None, None),
    (both(f("a", ">", i(0)), f("__name__", ">", r("queries/d01"))), [], None, None, None),
    (both(f("b", ">", i(0)), f("a", ">", i(0))), ["^b"], None, None, None),
]

# ---- The emulator -------------------------------------------------------------------------------

client = FirestoreClient(transport=FirestoreGrpcTransport(
    channel=grpc.insecure_channel(os.environ["FIRESTORE_EMULATOR_HOST"])))
METADATA = [("authorization", "Bearer owner")]
OPERATORS = {
    "<": 1, "<=": 2, ">": 3, ">=": 4, "==": 5, "!=": 6, "array-contains": 7, "in": 8,
    "array-contains-any": 9, "not-in": 10,
}
SWIFT_OPERATORS = {
    "<": ".lessThan", "<=": ".lessThanOrEqual", ">": ".greaterThan", ">=": ".greaterThanOrEqual",
    "==": ".equal", "!=": ".notEqual", "array-contains": ".arrayContains", "in": ".isIn",
    "array-contains-any": ".arrayContainsAny", "not-in": ".isNotIn",
}
UNARY = {"isNaN": 2, "isNull": 3, "isNotNaN": 4, "isNotNull": 5}


def update(path, fields, **more):
    doc = document.Document(name=f"{ROOT}/{path}", fields={k: proto(e) for k, e in fields})
    return write.Write(update=doc, **more)


def commit(writes):
    request = firestore.CommitRequest(database=DATABASE, writes=writes)
    return client.commit(request, metadata=METADATA)


def clear():
    names = []
    for collection in ["values", "ids", "transforms", "masks", "queries", "paths"]:
        names += run(query.StructuredQuery(from_=[{"collection_id": collection}]))
    for start in range(0, len(names), 400):
        commit([write.Write(delete=f"{ROOT}/{n}") for n in names[start:start + 400]])


def run(structured, parent=ROOT):
    request = firestore.RunQueryRequest(parent=parent, structured_query=structured)
    prefix = len(ROOT) + 1
    return [e.document.name[prefix:] for e in client.run_query(request, metadata=METADATA)
            if e.document.name]


def field_filter(field, op, value):
    return query.StructuredQuery.Filter(field_filter={
        "field": {"field_path": field}, "op": OPERATORS[op], "value": proto(value)})


def full_filter(spec):
    if spec[0] == "field": return field_filter(*spec[1:])
    return query.StructuredQuery.Filter(composite_filter={
        "op": 1 if spec[0] == "and" else 2, "filters": [full_filter(e) for e in spec[1]]})


def order(text):
    return {"field": {"field_path": text.lstrip("^")}, "direction": 2 if text[:1] == "^" else 1}


def numbers(names):
    return [int(n.rsplit("/", 1)[1][1:]) for n in names]


def ranges(indices):
    """A set of small numbers, such as `1,4-7`; `-` if it is empty."""
    parts = []
    for index in sorted(indices):
        if parts and parts[-1][1] == index - 1: parts[-1][1] = index
        else: parts.append([index, index])
    return ",".join(str(x) if x == y else f"{x}-{y}" for x, y in parts) or "-"


# ---- The questions ------------------------------------------------------------------------------


def ask_order():
    for start in range(0, len(VALUES), 100):
        commit([update(f"values/d{n:03}", [("v", VALUES[n])])
                for n in range(start, min(start + 100, len(VALUES)))])
    up = numbers(run(query.StructuredQuery(
        from_=[{"collection_id": "values"}], order_by=[order("v"), order("__name__")])))
    down = numbers(run(query.StructuredQuery(
        from_=[{"collection_id": "values"}], order_by=[order("^v"), order("__name__")])))
    assert sorted(up) == list(range(len(VALUES))), "some value was not sorted"
    place = {n: k for k, n in enumerate(down)}
    groups = [[up[0]]]
    for left, right in zip(up, up[1:]):
        # Names ascend both ways, so two that keep their order both ways are tied.
        if place[left] < place[right]: groups[-1].append(right)
        else: groups.append([right])
    return [" ".join(str(e) for e in group) for group in groups]


def ask_matches():
    lines = []

    def ask(label, filter):
        structured = query.StructuredQuery(from_=[{"collection_id": "values"}], where=filter)
        try:
            answer = ranges(numbers(run(structured)))
        except exceptions.GoogleAPICallError:
            answer = "refused"
        lines.append(f"{label} {answer}")

    for op in ["<", "<=", ">", ">=", "==", "!=", "array-contains"]:
        for n, value in enumerate(VALUES): ask(f"{op} v{n}", field_filter("v", op, value))
    for op in ["in", "not-in", "array-contains-any"]:
        for n, value in enumerate(VALUES): ask(f"{op} [v{n}]", field_filter("v", op, a(value)))
        for n, value in enumerate(LISTS): ask(f"{op} l{n}", field_filter("v", op, value))
    for name, op in UNARY.items():
        ask(f"{name} -", query.StructuredQuery.Filter(
            unary_filter={"field": {"field_path": "v"}, "op": op}))
    return lines


def ask_ids():
    kept = []
    refused = []
    for n, name in enumerate(IDS):
        try:
            commit([update(f"ids/{name}", [("v", i(n))])])
            kept.append(name)
        except exceptions.GoogleAPICallError:
            refused.append(name)
    names = [e.split("/", 1)[1] for e in run(query.StructuredQuery(
        from_=[{"collection_id": "ids"}], order_by=[order("__name__")]))]
    return names, refused


def ask_field_paths():
    accepted, refused = [], []
    for path in FIELD_PATHS:
        structured = query.StructuredQuery(
            from_=[{"collection_id": "paths"}], order_by=[order(path)])
        try:
            run(structured)
            accepted.append(path)
        except exceptions.GoogleAPICallError:
            refused.append(path)
    return accepted, refused


def ask_transforms():
    lines = []
    operations = []
    for kind in ["increment", "maximum", "minimum"]:
        operations += [(kind, n, {kind: proto(e)}) for n, e in enumerate(NUMBERS)]
    for kind, wire in [("union", "append_missing_elements"), ("remove", "remove_all_from_array")]:
        operations += [(kind, n, {wire: {"values": [proto(x) for x in e]}})
                       for n, e in enumerate(ELEMENTS)]
    for kind, n, operation in operations:
        answers = []
        for k, base in enumerate(BASES):
            path = f"transforms/{kind}-{n}-{k}"
            fields = [] if base is None else [("v", base)]
            transform = write.DocumentTransform.FieldTransform(field_path="v", **operation)
            try:
                commit([update(path, fields),
                        write.Write(update={"name": f"{ROOT}/{path}"},
                                    update_mask=common.DocumentMask(),
                                    update_transforms=[transform])])
                got = client.get_document(
                    firestore.GetDocumentRequest(name=f"{ROOT}/{path}"), metadata=METADATA)
                answer = text(plain(got.fields["v"]))
            except exceptions.GoogleAPICallError:
                answer = "refused"
            answers.append(answer)
        lines.append(f"{kind} {n} " + " ".join(answers))
    return lines


def ask_masks():
    lines = []
    for n, (base, values, mask) in enumerate(MASKS):
        path = f"masks/d{n}"
        commit([update(path, base[1]),
                update(path, values[1], update_mask=common.DocumentMask(field_paths=mask))])
        got = client.get_document(
            firestore.GetDocumentRequest(name=f"{ROOT}/{path}"), metadata=METADATA)
        lines.append(text(pairs(*[(k, plain(e)) for k, e in got.fields.items()])))
    return lines


def ask_queries():
    commit([update(f"queries/d{n:02}", e[1]) for n, e in enumerate(DOCUMENTS)])
    lines = []
    for filter, orders, start, end, limit in QUERIES:
        structured = query.StructuredQuery(
            from_=[{"collection_id": "queries"}], order_by=[order(e) for e in orders])
        if filter: structured.where = full_filter(filter)
        if start:
            structured.start_at = query.Cursor(values=[proto(e) for e in start[0]], before=start[1])
        if end:
            structured.end_at = query.Cursor(values=[proto(e) for e in end[0]], before=not end[1])
        if limit: structured.limit = limit
        try:
            lines.append(" ".join(str(e) for e in numbers(run(structured))))
        except exceptions.GoogleAPICallError as error:
            lines.append("refused")
            print("refused:", filter, orders, error.message, file=sys.stderr)
    return lines


# ---- Swift --------------------------------------------------------------------------------------


def swift_path(text):
    if text == "__name__": return ".documentID"
    return "FieldPath([" + ", ".join(swift_string(e) for e in text.split(".")) + "])"


def swift_filter(spec):
    if spec[0] == "field":
        return f".field({swift_path(spec[1])}, {SWIFT_OPERATORS[spec[2]]}, {swift(spec[3])})"
    return f".{spec[0]}([{', '.join(swift_filter(e) for e in spec[1])}])"


def swift_query(filter, orders, start, end, limit):
    def bound(cursor):
        if not cursor: return "nil"
        return (f"Bound([{', '.join(swift(e) for e in cursor[0])}], "
                f"isInclusive: {'true' if cursor[1] else 'false'})")

    keys = ", ".join(
        f"OrderBy({swift_path(e.lstrip('^'))}, .{'descending' if e[0] == '^' else 'ascending'})"
        for e in orders)
    return (f"query([{swift_filter(filter) if filter else ''}], [{keys}], {bound(start)}, "
            f"{bound(end)}, {limit or 'nil'})")


def table(name, comment, lines):
    body = "\n".join("        " + e for e in lines)
    return f'    /// {comment}\n    static let {name} = #"""\n{body}\n        """#\n'


def array(name, comment, type, items):
    body = "\n".join(f"        {e}," for e in items)
    return f"    /// {comment}\n    static let {name}: [{type}] = [\n{body}\n    ]\n"


def main():
    clear()
    names, refused = ask_ids()
    accepted_paths, refused_paths = ask_field_paths()
    parts = [
        array("values", "The values that were asked about, by number.", "Value",
              [swift(e) for e in VALUES]),
        array("lists", "Operands of `in`, `not-in` and `array-contains-any`, by number.", "Value",
              [swift(e) for e in LISTS]),
        table("order", "The values' numbers in ascending order; one line for each set of ties.",
              ask_order()),
        table("matches", "Operator, operand, and the numbers of the values that match.",
              ask_matches()),
        array("documentIDs", "Document ids in the order of their names.", "String",
              [swift_string(e) for e in names]),
        array("refusedDocumentIDs", "Document ids that were refused.", "String",
              [swift_string(e) for e in refused]),
        array("fieldPaths", "Field paths that were accepted.", "String",
              [swift_string(e) for e in accepted_paths]),
        array("refusedFieldPaths", "Field paths that were refused.", "String",
              [swift_string(e) for e in refused_paths]),
        array("bases", "The values that were transformed, by number.", "Value?",
              [swift(e) if e else "nil" for e in BASES]),
        array("numbers", "Operands of increment, maximum and minimum, by number.", "Value",
              [swift(e) for e in NUMBERS]),
        array("elements", "Operands of array union and removal, by number.", "[Value]",
              ["[" + ", ".join(swift(x) for x in e) + "]" for e in ELEMENTS]),
        table("transforms", "Transform, operand, and what became of each base.",
              ask_transforms()),
        array("masks", "Document, values, mask and outcome of a masked write.",
              "(document: Value, values: Value, mask: [String], outcome: String)",
              [f"({swift(x)}, {swift(y)}, [{', '.join(swift_string(e) for e in z)}], "
               f"{swift_string(o)})" for (x, y, z), o in zip(MASKS, ask_masks())]),
        array("documents", "The fields of the documents `queries/d00`, `queries/d01` ...", "Value",
              [swift(e) for e in DOCUMENTS]),
        array("queries", "Queries on those documents, and the numbers of the results in order.",
              "(query: Query, results: String)",
              [f"({swift_query(*q)}, {swift_string(o)})" for q, o in zip(QUERIES, ask_queries())]),
    ]
    with open(os.path.join(HERE, "EmulatorFacts.swift"), "w") as out:
        out.write("// Made by ask-emulator.py from the answers of Google's Firestore emulator.\n")
        out.write("// swift-format-ignore-file\n\n")
        out.write("import HearthModel\n\n")
        out.write("/// What Google's Firestore emulator answered.\n")
        out.write("enum EmulatorFacts {\n" + "\n".join(parts) + "}\n")


main()
