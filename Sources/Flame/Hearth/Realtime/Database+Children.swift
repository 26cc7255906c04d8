import HearthModel
import HearthWire

extension Database {
    /// The children of a place, as the daemon's cache has them and the first waiting writes make them. The daemon does
    /// not ask the backend, and does not look below a child.
    ///
    /// - Parameters:
    ///   - path: The place.
    ///   - prefix: The text that the keys begin with; empty for all children.
    ///   - countMax: How many children at most.
    /// - Returns: The keys, each with whether there are children below.
    /// - Throws: `DatabaseError`: `permissionDenied` without the right to read the place,
    ///   `unavailable` if no daemon answers or its store cannot be read, `invalidArgument` for a
    ///   text that is no place.
    /// - Complexity: One question to the daemon.
    package func cachedChildren(
        of path: String, beginningWith prefix: String, countMax: Int
    ) async throws -> [(key: String, hasChildren: Bool)] {
        let list = try await children(of: path, in: .cache(beginningWith: prefix), countMax)
        return list.children.map { ($0.key.text, $0.hasChildren) }
    }

    /// The children of a place, as the backend has them, in the order of keys. The backend sends keys alone, and the
    /// cache does not change.
    ///
    /// - Parameters:
    ///   - after: The last key of the part before; `nil` for the first part.
    ///   - countMax: How many children at most.
    /// - Returns: Keys, each with whether there may be children below; and whether there are more keys.
    /// - Throws: `DatabaseError` as `cachedChildren`; `unavailable` too if the backend cannot be asked,
    ///   `permissionDenied` too if the backend's rules do not let the daemon read the place.
    /// - Complexity: One question to the backend, whose answer has keys alone.
    package func backendChildren(
        of path: String, after: String?, countMax: Int
    ) async throws -> (children: [(key: String, mayHaveChildren: Bool)], hasMore: Bool) {
        var key: ChildKey?
        if let after {
            guard let read = ChildKey(after) else {
                throw DatabaseError(.invalidArgument, "\(after) is no key of a tree.")
            }
            key = read
        }
        let list = try await children(of: path, in: .backend(after: key), countMax)
        return (list.children.map { ($0.key.text, $0.hasChildren) }, list.hasMore)
    }

    private func children(
        of path: String, in source: Inquiry.ChildPage.Source, _ countMax: Int
    ) async throws -> Report.ChildList {
        guard let place = RealtimePath(path) else {
            throw DatabaseError(.invalidArgument, "\(path) is no place of a tree.")
        }
        let answer = try await operatorDesk.inquire(
            .children(Inquiry.ChildPage(of: place, in: source, countMax: countMax)))
        guard case .children(let list) = answer else { throw operatorDesk.unexpected(answer) }
        return list
    }
}
