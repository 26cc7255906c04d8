import HearthModel
import HearthProtocol

extension ListenMessage {
    /// The bytes of a `ListenResponse`.
    ///
    /// - Parameter documents: Where a document's bytes come from, which all listeners share.
    /// - Throws: `internalError` for a document that no message can hold.
    func bytes(
        _ codec: FirestoreCodec, _ documents: DocumentBytes
    ) throws(HearthError) -> [UInt8] {
        guard case .changed(let document, let shape, let id) = self else {
            return try codec.encoded { () throws(CodecError) in try codec.watchChangeBytes(change) }
        }
        let bytes =
            if let projection = shape.projection {
                try codec.answerBytes(document, projection)
            } else {
                try documents.bytes(of: document, in: codec.database)
            }
        return FirestoreCodec.documentChangeBytes(bytes, of: id)
    }

    /// The message as the codec knows it, unless it holds a found document.
    private var change: WatchChange {
        switch self {
        case .added(let id): .target(TargetWatchChange(kind: .added, targets: [id]))
        case .reset(let id): .target(TargetWatchChange(kind: .reset, targets: [id]))
        case .changed(let document, _, let id):
            .document(
                DocumentWatchChange(
                    updated: [id], removed: [], key: document.key, document: document))
        case .deleted(let key, let id, let time):
            .document(
                DocumentWatchChange(
                    updated: [], removed: [id], key: key,
                    document: .missing(key, at: SnapshotVersion(time))))
        case .removed(let key, let id, let time): .document(Self.removal(of: key, from: id, time))
        case .current(let id, let mark): .target(Self.point(.current, [id], mark))
        case .settled(let mark): .target(Self.point(.noChange, [], mark))
        case .alive: .target(TargetWatchChange(kind: .noChange, targets: []))
        case .ended(let id, let error):
            .target(TargetWatchChange(kind: .removed(error), targets: [id]))
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
