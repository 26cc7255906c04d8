/// What must hold of a document before a write may change it.
package enum Precondition: Hashable, Sendable {
    /// Nothing.
    case none
    /// The document exists, or does not.
    case exists(Bool)
    /// The document exists and was last changed then.
    case updateTime(SnapshotVersion)

    /// Whether the cached document fulfils it.
    package func isMet(by document: Document) -> Bool {
        switch self {
        case .none: true
        case .exists(let exists): exists == document.isFound
        case .updateTime(let version): document.isFound && document.version == version
        }
    }
}
