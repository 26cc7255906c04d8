import HearthModel
import HearthWire

extension Firestore {
    /// The paths of the collections that this machine's cache knows: those that a program here has
    /// read of or written to.
    ///
    /// The backend tells no client which collections there are, so those that nobody here has used are
    /// not among them. O(collections), told in parts.
    ///
    /// - Parameter path: A document or a collection; only what is below it is told. `nil` for all.
    /// - Returns: Paths such as `rooms/hall/lamps`, in order.
    public func cachedCollections(below path: String? = nil) async throws -> [String] {
        let below: ResourcePath
        do throws(PathError) {
            below = try ResourcePath(parsing: path ?? "")
        } catch {
            throw FirestoreError(.invalidArgument, "\(error)")
        }
        var page = Inquiry.CollectionPage(below: below)
        var paths: [String] = []
        while true {
            let answer = try await inquire(.collections(page))
            guard case .collections(let list) = answer else { throw Self.unexpected(answer) }
            paths += list.paths.map(\.description)
            guard list.hasMore, let last = list.paths.last else { return paths }
            page.after = last
        }
    }
}
