import HearthModel
import HearthProtocol
import HearthRPC

extension ListenMessage {
    /// Sends the message as a `ListenResponse`, or as several.
    ///
    /// - Throws: `internalError` for a document that no message can hold.
    func send(to sender: any CallSender, _ encoder: ListenEncoder) throws(HearthError) {
        switch self {
        case .changed(let document, let shape, let id):
            sender.send(try encoder.bytes(of: document, shape.projection, for: id))
        case .told(let shared, let id):
            let messages = try shared.messages(to: id) { (document) throws(HearthError) in
                try encoder.bytes(of: document, nil, for: id)
            }
            for message in messages { sender.send(message) }
        case .added(let id):
            sender.send(Self.bytes(TargetWatchChange(kind: .added, targets: [id])))
        case .reset(let id):
            sender.send(Self.bytes(TargetWatchChange(kind: .reset, targets: [id])))
        case .deleted(let key, let id, let time):
            let document = Document.missing(key, at: SnapshotVersion(time))
            let change = DocumentWatchChange(
                updated: [], removed: [id], key: key, document: document)
            sender.send(try encoder.bytes(change))
        case .removed(let key, let id, let time):
            sender.send(try encoder.bytes(Self.removal(of: key, from: id, time)))
        case .current(let id, let mark): sender.send(Self.bytes(Self.point(.current, [id], mark)))
        case .settled(let mark): sender.send(Self.bytes(Self.point(.noChange, [], mark)))
        case .alive: sender.send(Self.bytes(TargetWatchChange(kind: .noChange, targets: [])))
        case .ended(let id, let error):
            sender.send(Self.bytes(TargetWatchChange(kind: .removed(error), targets: [id])))
        }
    }

    private static func bytes(_ change: TargetWatchChange) -> [UInt8] {
        FirestoreCodec.targetChangeBytes(change)
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
