import HearthModel
import HearthWire

extension Firestore {
    /// The paths of the collections that this machine's cache knows.
    ///
    /// The cache knows a collection if a program of this machine has read or written its documents.
    /// The backend lists collections to servers alone, so the cache cannot know more. O(collections),
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

    /// The names right below a path that the cache knows. Below a document or the root, these are the names of
    /// collections; below a collection, the names of documents that have collections below.
    ///
    /// - Parameters:
    ///   - path: A document or a collection; `nil` for the root.
    ///   - prefix: What the names begin with.
    ///   - countMax: How many names at most.
    /// - Returns: Names in the order of paths, each once.
    /// - Throws: As `cachedCollections(below:)`.
    /// - Complexity: A question to the daemon for each name, whatever lies below the name.
    package func cachedNames(
        below path: String?, beginningWith prefix: String, countMax: Int
    ) async throws -> [String] {
        let parent = (try? ResourcePath(parsing: path ?? "")) ?? .root
        var names: [String] = []
        // The names that are shorter by a character come first; the order has the prefix itself behind.
        var after = Self.path(parent, String(prefix.unicodeScalars.dropLast()))
        while names.count < countMax {
            let page = try await cachedCollections(below: parent, after: after, countMax: 64)
            for path in page.paths where path.count > parent.count {
                let name = path.segments[parent.count]
                if name.utf8.starts(with: prefix.utf8) {
                    if names.last?.utf8.elementsEqual(name.utf8) != true { names.append(name) }
                } else if !name.utf8.starts(with: "__".utf8),  // Numbers come first.
                    prefix.utf8.lexicographicallyPrecedes(name.utf8)
                {
                    return names
                }
            }
            guard page.hasMore, let last = page.paths.last, last.count > parent.count else { break }
            // Whatever lies below the last name is left out: no name is behind the greatest character.
            after = Self.path(Self.path(parent, last.segments[parent.count]), "\u{10FFFF}")
        }
        return Array(names.prefix(countMax))
    }

    private static func path(_ parent: ResourcePath, _ name: String) -> ResourcePath {
        (try? PathSegment(parsing: name)).map { parent.appending($0) } ?? parent
    }
}
