import HearthModel
import HearthProtocol

/// The frames of one snapshot or answer, made one at a time.
///
/// The caller can do other work between the frames of a large snapshot.
package struct SnapshotParts: FrameParts {
    private let codec: WireCodec
    private let kind: UInt8
    private let snapshot: Event.Snapshot
    private let partByteCountMax: Int
    private var documentIndex = 0
    private var removedIndex = 0
    /// The bytes of a document that found no room in the last part.
    private var left: [UInt8]?
    /// Whether all parts have been made.
    package private(set) var isAtEnd = false

    /// Begins a snapshot, or an answer.
    ///
    /// - Parameters:
    ///   - snapshot: The whole snapshot.
    ///   - isAnswer: Whether the frames are an answer's.
    ///   - codec: The session's codec.
    ///   - partByteCountMax: Bytes of documents after which another frame begins.
    package init(
        of snapshot: Event.Snapshot, isAnswer: Bool, _ codec: WireCodec,
        partByteCountMax: Int = WireLimits.snapshotPartByteCountMax
    ) {
        self.codec = codec
        self.snapshot = snapshot
        self.partByteCountMax = partByteCountMax
        let kind = isAnswer ? ProtoWireEventKind.answer : .snapshot
        self.kind = UInt8(kind.rawValue)
    }

    /// The next frame, under the number 0; `nil` after the last frame.
    ///
    /// - Throws: The error of a document that cannot be encoded. After an error there are no
    ///   further frames.
    package mutating func next() throws(WireError) -> Frame? {
        guard !isAtEnd else { return nil }
        isAtEnd = true
        var writer = SnapshotWriter(
            kind: kind, id: snapshot.id, base: snapshot.base, partByteCountMax: .max)
        if try appendDocuments(to: &writer), try appendRemoved(to: &writer) {
            return writer.finish(snapshot.flags).first
        }
        isAtEnd = false
        return writer.finish(snapshot.flags, hasMore: true).first
    }

    /// - Returns: Whether all documents found room.
    private mutating func appendDocuments(to writer: inout SnapshotWriter) throws(WireError) -> Bool
    {
        let codec = try codec.eventCodec()
        while documentIndex < snapshot.documents.count {
            let listed = snapshot.documents[documentIndex]
            let bytes: [UInt8]
            if let left {
                bytes = left
            } else {
                bytes = try at("documents", codec.documentBytes(listed.document))
            }
            left = bytes
            guard hasRoom(for: bytes.count, writer) else { return false }
            writer.append(documentBytes: bytes, hasPendingWrites: listed.hasPendingWrites)
            left = nil
            documentIndex += 1
        }
        return true
    }

    /// - Returns: Whether all names found room.
    private mutating func appendRemoved(to writer: inout SnapshotWriter) throws(WireError) -> Bool {
        let codec = try codec.eventCodec()
        while removedIndex < snapshot.removed.count {
            let name = codec.name(of: snapshot.removed[removedIndex])
            guard hasRoom(for: name.utf8.count, writer) else { return false }
            writer.append(removed: name)
            removedIndex += 1
        }
        return true
    }

    private func hasRoom(for byteCount: Int, _ writer: SnapshotWriter) -> Bool {
        writer.byteCount == 0 || writer.byteCount + byteCount <= partByteCountMax
    }
}
