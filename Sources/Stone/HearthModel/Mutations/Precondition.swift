/// What must hold of a document before a write may change it.
package enum Precondition: Hashable, Sendable {
    /// Nothing.
    case none
    /// The document exists, or does not.
    case exists(Bool)
    /// The document exists and was last changed then.
    ///
    /// A time that is marked as a promise means the batch with this promise, whenever the backend
    /// applies that batch.
    case updateTime(SnapshotVersion)

    /// Whether the cached document fulfils it.
    package func isMet(by document: Document) -> Bool {
        switch self {
        case .none: true
        case .exists(let exists): exists == document.isFound
        case .updateTime(let version):
            // A promise was judged when the write was accepted, and is judged again when it is sent.
            document.isFound && (document.version == version || version.timestamp.isPromise)
        }
    }
}
