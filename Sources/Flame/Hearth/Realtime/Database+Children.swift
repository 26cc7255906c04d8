import HearthModel
import HearthWire

extension Database {
    /// The children of a place, as the daemon's cache has them and the first waiting writes make them. The daemon does
    /// not ask the backend, and does not look below a child.
    ///
    /// - Returns: Keys that begin with a text, each with whether there are children below.
    /// - Throws: `DatabaseError`: `permissionDenied` without the right to read the place, `unavailable` if no
    ///   daemon answers or its store cannot be read, `invalidArgument` for a text that is no place.
    /// - Complexity: One question to the daemon.
    package func cachedChildren(
        of path: String, beginningWith prefix: String, countMax: Int
    ) async throws -> [(key: String, hasChildren: Bool)] {
        guard let place = RealtimePath(path) else {
            throw DatabaseError(.invalidArgument, "\(path) is no place of a tree.")
        }
        let answer = try await operatorDesk.inquire(
            .children(Inquiry.ChildPage(of: place, beginningWith: prefix, countMax: countMax)))
        guard case .children(let list) = answer else { throw operatorDesk.unexpected(answer) }
        return list.children.map { ($0.key.text, $0.hasChildren) }
    }
}
