import HearthModel
import HearthProtocol

/// Writes the frames of one snapshot from the bytes of encoded documents, without decoding a
/// document.
///
/// The writer writes the few tags of `Snapshot` and `ListedDocument` by hand, with the numbers of
/// `hearth.proto`. Tests read the result with the generated messages.
package struct SnapshotWriter: Sendable {
    private enum Tag {
        /// Field 1 of ListedDocument, with a length.
        static let document: UInt8 = 0x0A
        /// Field 2 of ListedDocument, a number.
        static let hasPendingWrites: UInt8 = 0x10
        /// Field 3 of Snapshot, with a length.
        static let documents: UInt8 = 0x1A
        /// Field 4 of Snapshot, with a length.
        static let removed: UInt8 = 0x22
    }

    private let kind: UInt8
    private let id: UInt64
    private let base: UInt64?
    private let partByteCountMax: Int
    private var parts: [[UInt8]] = []
    private var body: [UInt8] = []

    /// Begins a snapshot.
    ///
    /// - Parameters:
    ///   - kind: The kind of an answer or of a snapshot.
    ///   - id: The snapshot's number.
    ///   - base: The number of the snapshot that the difference starts from; `nil` for the whole
    ///     state.
    ///   - partByteCountMax: Bytes after which another frame begins.
    package init(
        kind: UInt8, id: UInt64, base: UInt64?,
        partByteCountMax: Int = WireLimits.snapshotPartByteCountMax
    ) {
        self.kind = kind
        self.id = id
        self.base = base
        self.partByteCountMax = partByteCountMax
    }

    /// Begins the answer to a one-time read.
    package static func answer(id: UInt64 = 1) -> SnapshotWriter {
        SnapshotWriter(kind: UInt8(ProtoWireEventKind.answer.rawValue), id: id, base: nil)
    }

    /// Appends a document.
    ///
    /// - Parameter documentBytes: A `google.firestore.v1.Document` of the session's database.
    package mutating func append(documentBytes: [UInt8], hasPendingWrites: Bool) {
        let inner = 1 + Self.varintByteCount(documentBytes.count) + documentBytes.count
        let byteCount = inner + (hasPendingWrites ? 2 : 0)
        makeRoom(for: byteCount)
        body.append(Tag.documents)
        Self.appendVarint(byteCount, to: &body)
        body.append(Tag.document)
        Self.appendVarint(documentBytes.count, to: &body)
        body.append(contentsOf: documentBytes)
        if hasPendingWrites {
            body.append(Tag.hasPendingWrites)
            body.append(1)
        }
    }

    /// Appends the full name of a document that is no longer among the results.
    package mutating func append(removed name: String) {
        makeRoom(for: name.utf8.count)
        body.append(Tag.removed)
        Self.appendVarint(name.utf8.count, to: &body)
        body.append(contentsOf: name.utf8)
    }

    /// How many bytes the body of the current frame has.
    var byteCount: Int { body.count }

    /// Ends the snapshot and returns its frames.
    ///
    /// - Parameters:
    ///   - flags: The flags, which every frame has, and the rejected writes, which the last frame
    ///     has.
    ///   - number: The request's number; 0 for the frames of a snapshot that many listeners share.
    ///   - hasMore: Whether another writer makes further frames of the same snapshot.
    package mutating func finish(
        _ flags: Event.SnapshotFlags, number: UInt64 = 0, hasMore: Bool = false
    ) -> [Frame] {
        parts.append(body)
        body = []
        var frames: [Frame] = []
        for (index, part) in parts.enumerated() {
            var rest = ProtoWireSnapshot()
            rest.id = id
            rest.base = base ?? 0
            rest.isFromCache = flags.isFromCache
            rest.hasPendingWrites_p = flags.hasPendingWrites
            rest.excludesMetadataChanges = flags.excludesMetadataChanges
            rest.hasMore_p = hasMore || index < parts.count - 1
            if !rest.hasMore_p {
                rest.rejectedWrites = flags.rejectedWrites.map(WireCodec.encode)
                rest.changeNumber = flags.changeNumber
            }
            frames.append(
                Frame(kind: kind, request: number, body: part + FirestoreCodec.bytes(of: rest)))
        }
        return frames
    }

    private mutating func makeRoom(for byteCount: Int) {
        guard !body.isEmpty, byteCount > partByteCountMax - body.count else { return }
        parts.append(body)
        body = []
    }

    private static func varintByteCount(_ number: Int) -> Int {
        max(1, (Int.bitWidth - number.leadingZeroBitCount + 6) / 7)
    }

    private static func appendVarint(_ number: Int, to bytes: inout [UInt8]) {
        var rest = number
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}
