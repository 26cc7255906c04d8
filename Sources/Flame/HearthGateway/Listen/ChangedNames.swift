import HearthModel

/// The documents that may have changed since a client was last told.
enum ChangedNames: Equatable, Sendable {
    /// These and no others.
    case only(Set<DocumentKey>)
    /// Any: only a comparison of all can tell.
    case all

    /// Names that are kept one by one, at least. Beyond that, a comparison of all costs no more.
    static let countMin = 64

    /// Nothing has changed.
    static let nothing = ChangedNames.only([])

    /// Adds names.
    ///
    /// - Parameter count: How many documents there are to compare: no more names than that are
    ///   kept, so that a client which never reads costs no more than what it is shown.
    mutating func add(_ names: some Sequence<DocumentKey>, outOf count: Int) {
        guard case .only(var known) = self else { return }
        self = .nothing
        known.formUnion(names)
        self = known.count > max(count, Self.countMin) ? .all : .only(known)
    }
}
