package import HearthModel

/// The documents in which two answers to one query differ.
package struct QueryDifference: Sendable {
    /// How a document differs.
    package enum Kind: String, Sendable {
        /// Both have the document, with other fields.
        case different
        /// The cache alone has the document.
        case onlyInCache
        /// The backend alone has the document.
        case onlyInBackend
    }

    /// One document that differs.
    package struct Entry: Equatable, Sendable {
        /// The document's name.
        package let key: DocumentKey
        /// The document of the cache's answer.
        package let cache: Document?
        /// The document of the backend's answer.
        package let backend: Document?

        /// How the document differs.
        package var kind: Kind {
            cache == nil ? .onlyInBackend : backend == nil ? .onlyInCache : .different
        }

        /// The names of the fields with other values, in order; empty unless both have the document.
        package var fields: [String] {
            guard let cache, let backend else { return [] }
            let names = Set(
                (cache.fields.entries + backend.fields.entries).map { UTF8Text($0.key) })
            return names.map(\.string).filter { cache.fields[$0] != backend.fields[$0] }
                .sorted(by: utf8Precedes)
        }

        /// Whether a write of this machine waits in the document.
        package var isPending: Bool {
            cache?.hasPendingWrites == true || backend?.hasPendingWrites == true
        }
    }

    /// The documents that differ, in the order of their names.
    package let entries: [Entry]
    /// How many documents both have with the same fields.
    package let equalCount: Int

    /// Compares two answers. O(n log n).
    package init(cache: [Document], backend: [Document]) {
        let cached = Dictionary(cache.map { ($0.key, $0) }) { first, _ in first }
        let sent = Dictionary(backend.map { ($0.key, $0) }) { first, _ in first }
        let keys = Set(cached.keys).union(sent.keys)
        entries = keys.filter { cached[$0]?.content != sent[$0]?.content }
            .sorted { $0.compare(to: $1) < 0 }
            .map { Entry(key: $0, cache: cached[$0], backend: sent[$0]) }
        equalCount = keys.count - entries.count
    }
}
