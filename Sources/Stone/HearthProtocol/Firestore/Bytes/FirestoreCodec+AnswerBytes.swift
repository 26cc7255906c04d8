package import HearthModel

/// Encodes answers with one document each straight to bytes, without generated messages.
///
/// One call may give many such answers.
extension FirestoreCodec {
    /// The bytes of a `RunQueryResponse` with a document.
    ///
    /// - Parameters:
    ///   - document: A document that exists.
    ///   - readTime: The time of the query's snapshot.
    ///   - isDone: Whether this answer is the last.
    /// - Throws: `CodecError` for a document that no message can hold.
    package func queryAnswerBytes(
        _ document: Document, readTime: Timestamp, isDone: Bool
    ) throws(CodecError) -> [UInt8] {
        var writer = WireWriter()
        let start = writer.begin(1)
        try write(document, to: &writer)
        writer.end(start)
        Self.write(readTime, field: 3, to: &writer)
        if isDone { writer.varint(6, 1) }
        return writer.bytes
    }

    /// The bytes of a `BatchGetDocumentsResponse` with a document that was found.
    ///
    /// - Throws: `CodecError` for a document that no message can hold.
    package func batchGetAnswerBytes(
        _ document: Document, readTime: Timestamp
    ) throws(CodecError) -> [UInt8] {
        var writer = WireWriter()
        let start = writer.begin(1)
        try write(document, to: &writer)
        writer.end(start)
        Self.write(readTime, field: 4, to: &writer)
        return writer.bytes
    }

    /// The bytes of a `ListenResponse`.
    ///
    /// - Throws: `CodecError` for a document that no message can hold.
    package func watchChangeBytes(_ change: WatchChange) throws(CodecError) -> [UInt8] {
        if case .target(let change) = change { return Self.targetChangeBytes(change) }
        guard case .document(let change) = change, let document = change.document,
            document.isFound
        else { return Self.bytes(of: try encode(change)) }
        var writer = WireWriter()
        let start = writer.begin(3)
        let inner = writer.begin(1)
        try write(document, to: &writer)
        writer.end(inner)
        Self.write(change.updated, field: 5, to: &writer)
        Self.write(change.removed, field: 6, to: &writer)
        writer.end(start)
        return writer.bytes
    }

    /// The bytes of a `ListenResponse` with a document that is new in a target, or changed.
    ///
    /// - Parameter document: The document's bytes, which many targets may share.
    package static func documentChangeBytes(
        _ document: [UInt8], of target: WireTargetID
    ) -> [UInt8] {
        var writer = WireWriter(capacity: document.count + 32)
        let start = writer.begin(3)
        writer.data(1, document)
        write([target], field: 5, to: &writer)
        writer.end(start)
        return writer.bytes
    }

    /// The bytes of a `ListenResponse` about targets.
    ///
    /// A change of a document tells each of its listeners of a point, who may be a thousand.
    package static func targetChangeBytes(_ change: TargetWatchChange) -> [UInt8] {
        if change.isRefusal { return bytes(of: response(change)) }
        var writer = WireWriter(capacity: 128)
        let start = writer.begin(2)
        let kind = UInt64(change.kind.proto.rawValue)
        if kind != 0 { writer.varint(1, kind) }
        write(change.targets, field: 2, to: &writer)
        if let token = change.resumeToken, !token.bytes.isEmpty { writer.data(4, token.bytes) }
        if change.readAt != .zero { write(change.readAt.timestamp, field: 6, to: &writer) }
        writer.end(start)
        return writer.bytes
    }

    private static func write(
        _ targets: [WireTargetID], field: UInt8, to writer: inout WireWriter
    ) {
        if targets.isEmpty { return }
        let start = writer.begin(field)
        for target in targets {
            // A negative number is as long as one of 64 bits.
            writer.packed(UInt64(bitPattern: Int64(target.rawValue)))
        }
        writer.end(start)
    }
}
