import HearthModel
import HearthWire

extension Firestore {
    /// The paths of the collections that this machine's cache knows.
    ///
    /// The cache knows a collection if a program of this machine has read or written its documents.
    /// The backend lists collections to no client, so the cache cannot know more. O(collections),
    /// fetched in parts.
    ///
    /// - Parameter path: A document or a collection. The list holds only collections below the
    ///   path; `nil` lists all.
    /// - Returns: Paths such as `rooms/hall/lamps`, in order.
    /// - Throws: `FirestoreError`: `invalidArgument` if `path` is no path, `unavailable` if no
    ///   daemon answers.
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
            let answer = try await operatorDesk.inquire(.collections(page))
            guard case .collections(let list) = answer else {
                throw operatorDesk.unexpected(answer)
            }
            paths += list.paths.map(\.description)
            guard list.hasMore, let last = list.paths.last else { return paths }
            page.after = last
        }
    }
}
