import HearthEngine
import HearthFirestore
import HearthModel

/// A path that a test spells.
func path(_ text: String) -> ResourcePath {
    (try? ResourcePath(parsing: text)) ?? .root
}

/// A document's name that a test spells.
func key(_ text: String) -> DocumentKey {
    guard let key = DocumentKey(path(text)) else {
        preconditionFailure("\(text) is no document's path")
    }
    return key
}

/// A version by a small number.
func version(_ number: Int64) -> SnapshotVersion {
    SnapshotVersion(Timestamp(microseconds: number))
}

/// A found document, read when it was changed.
func found(_ name: String, _ fields: MapValue = [:], at number: Int64 = 1) -> Document {
    var document = Document.found(
        key(name), at: version(number), fields, createdAt: version(1))
    document.readAt = version(number)
    return document
}

/// A document that does not exist.
func missing(_ name: String, at number: Int64 = 1) -> Document {
    var document = Document.missing(key(name), at: version(number))
    document.readAt = version(number)
    return document
}

/// A document whose existence is known, and nothing else.
func unknown(_ name: String, at number: Int64 = 1) -> Document {
    var document = Document.unknown(key(name), at: version(number))
    document.readAt = version(number)
    return document
}

/// A write that replaces a document.
func set(_ name: String, _ fields: MapValue = ["a": .integer(1)]) -> Mutation {
    Mutation(key: key(name), kind: .set(fields))
}

/// Who writes in tests.
let author = Writer(uid: 1_000, gid: 100, pid: 42, unit: "mail.service", program: "mail")

/// A batch in a user's queue.
func batch(
    _ id: Int64, _ mutations: Mutation..., user: UserID = .unauthenticated,
    state: BatchState = .queued
) -> QueuedBatch {
    QueuedBatch(
        batch: MutationBatch(
            id: BatchID(id), writtenAt: Timestamp(seconds: 1_000 + id, nanoseconds: 7),
            mutations: mutations),
        user: user, state: state, writer: author)
}

/// A target of a collection.
func target(_ collection: String) -> Target {
    Query(path: path(collection)).target
}

/// A value of every kind, nested.
let everyValue: MapValue = [
    "null": .null, "true": .boolean(true), "false": .boolean(false), "int": .integer(.min),
    "double": .double(-0.0), "nan": .double(.nan),
    "time": .timestamp(Timestamp(seconds: -5, nanoseconds: 1_000)),
    "text": .string("a\u{0}b\u{e9}e\u{301}\u{1F525}"), "empty": .string(""),
    "bytes": .bytes([0, 1, 255]), "none": .bytes([]),
    "ref": .reference(DocumentName(database: DatabaseID(project: "p"), key: key("a/b"))),
    "other": .reference(DocumentName(database: DatabaseID(project: "q"), key: key("a/b/c/d"))),
    "point": .geoPoint(GeoPoint(latitude: 1.5, longitude: -2.5)),
    "list": .array([.integer(1), .map(["x": .array([])]), .string("s")]),
    "map": .map(["inner": .map(["leaf": .integer(7)]), "void": .map([:])]),
    "vector": .vector([1, 2, 3]), "\u{e9}": .integer(1), "e\u{301}": .integer(2),
]

extension QueuedBatch {
    /// The batch as programs before the twelfth step left it.
    var withoutPromise: QueuedBatch {
        QueuedBatch(
            batch: batch.promised(at: nil), user: user, state: state, writer: writer,
            storedByteCount: storedByteCount)
    }
}

extension Overlay {
    /// The effect as programs before the twelfth step left it.
    var withoutPromise: Overlay { Overlay(largestBatchID: largestBatchID, mutation: mutation) }
}
