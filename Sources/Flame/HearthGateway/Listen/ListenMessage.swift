import HearthModel

/// One message of a watch stream to its client.
///
/// A document is a reference, and becomes bytes only when the client can take them. Messages are
/// small: a thousand streams may have two each to move.
enum ListenMessage: Sendable {
    /// The target is taken up.
    case added(WireTargetID)
    /// All that was told of the target is void.
    case reset(WireTargetID)
    /// A document is new in the target, or changed.
    indirect case changed(Document, ListenShape, WireTargetID)
    /// Documents are new in the target, or changed, and other clients are told the same.
    case told(SharedDocuments, WireTargetID)
    /// A document of the target exists no more.
    case deleted(DocumentKey, WireTargetID, at: Timestamp)
    /// A document belongs to the target no more.
    case removed(DocumentKey, WireTargetID, at: Timestamp)
    /// The target has been told whole.
    case current(WireTargetID, ResumeMark)
    /// All targets have been told up to a point.
    case settled(ResumeMark)
    /// Nothing has happened, and the stream lives.
    case alive
    /// The target is over; with an error, it was refused.
    case ended(WireTargetID, HearthError?)

    /// The message's approximate size in memory until the client takes it.
    var byteCount: Int {
        switch self {
        case .changed(let document, _, _): document.heldByteCount
        case .told(let shared, _): shared.byteCount
        case .deleted(let key, _, _), .removed(let key, _, _):
            128 + key.path.string.utf8.count
        case .ended(_, let error?): 128 + error.message.utf8.count
        case .added, .reset, .current, .settled, .alive, .ended(_, nil): 128
        }
    }
}

extension Document {
    /// What it takes in memory, about.
    var heldByteCount: Int { 256 + key.path.string.utf8.count + fields.byteCountBound }
}
