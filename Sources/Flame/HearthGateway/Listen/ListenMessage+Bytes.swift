import HearthModel
import HearthProtocol

extension ListenMessage {
    /// The bytes of the `ListenResponse`, or of several.
    ///
    /// - Parameter documents: Where a document's bytes come from, which all listeners share.
    /// - Throws: `internalError` for a document that no message can hold.
    func bytes(
        _ codec: FirestoreCodec, _ documents: DocumentBytes
    ) throws(HearthError) -> [[UInt8]] {
        switch self {
        case .changed(let document, let shape, let id):
            return [try Self.bytes(of: document, shape.projection, for: id, codec, documents)]
        case .told(let shared, let id):
            return try shared.messages(to: id) { (document) throws(HearthError) in
                try Self.bytes(of: document, nil, for: id, codec, documents)
            }
        case .added(let id):
            return [Self.bytes(TargetWatchChange(kind: .added, targets: [id]))]
        case .reset(let id):
            return [Self.bytes(TargetWatchChange(kind: .reset, targets: [id]))]
        case .deleted(let key, let id, let time):
            let document = Document.missing(key, at: SnapshotVersion(time))
            let change = DocumentWatchChange(
                updated: [], removed: [id], key: key, document: document)
            return [try Self.bytes(change, codec)]
        case .removed(let key, let id, let time):
            return [try Self.bytes(Self.removal(of: key, from: id, time), codec)]
        case .current(let id, let mark): return [Self.bytes(Self.point(.current, [id], mark))]
        case .settled(let mark): return [Self.bytes(Self.point(.noChange, [], mark))]
        case .alive: return [Self.bytes(TargetWatchChange(kind: .noChange, targets: []))]
        case .ended(let id, let error):
            return [Self.bytes(TargetWatchChange(kind: .removed(error), targets: [id]))]
        }
    }

    private static func bytes(
        of document: Document, _ projection: [FieldPath]?, for id: WireTargetID,
        _ codec: FirestoreCodec, _ documents: DocumentBytes
    ) throws(HearthError) -> [UInt8] {
        let bytes =
            if let projection {
                try codec.answerBytes(document, projection)
            } else {
                try documents.bytes(of: document, in: codec.database)
            }
        return FirestoreCodec.documentChangeBytes(bytes, of: id)
    }

    private static func bytes(_ change: TargetWatchChange) -> [UInt8] {
        FirestoreCodec.targetChangeBytes(change)
    }

    private static func bytes(
        _ change: DocumentWatchChange, _ codec: FirestoreCodec
    ) throws(HearthError) -> [UInt8] {
        try codec.encoded { () throws(CodecError) in
            try codec.watchChangeBytes(.document(change))
        }
    }

    private static func removal(
        of key: DocumentKey, from id: WireTargetID, _ time: Timestamp
    ) -> DocumentWatchChange {
        var change = DocumentWatchChange(updated: [], removed: [id], key: key, document: nil)
        change.readAt = SnapshotVersion(time)
        return change
    }

    private static func point(
        _ kind: TargetWatchChange.Kind, _ ids: [WireTargetID], _ mark: ResumeMark
    ) -> TargetWatchChange {
        TargetWatchChange(
            kind: kind, targets: ids, resumeToken: ResumeToken(mark.bytes),
            readAt: SnapshotVersion(mark.readAt))
    }
}
