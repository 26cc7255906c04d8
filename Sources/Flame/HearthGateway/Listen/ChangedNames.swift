import HearthModel

/// The documents that may have changed since a client was last told.
enum ChangedNames: Equatable, Sendable {
    /// These and no others.
    case only(Set<DocumentKey>)
    /// Any: only a comparison of all can tell.
    case all

    /// The target keeps at least this many names one by one. With more names, comparing all
    /// documents costs no more.
    static let countMin = 64

    /// Nothing has changed.
    static let nothing = ChangedNames.only([])

    /// Adds names.
    ///
    /// - Parameter count: How many documents there are to compare. The target keeps no more names
    ///   than documents. So a client that never reads costs no more memory than its last picture.
    mutating func add(_ names: some Sequence<DocumentKey>, outOf count: Int) {
        guard case .only(var known) = self else { return }
        self = .nothing
        known.formUnion(names)
        self = known.count > max(count, Self.countMin) ? .all : .only(known)
    }
}
