package import HearthModel

/// A bundle, read and checked, ready to be loaded.
package struct Bundle: Hashable, Sendable {
    /// One document that the bundle tells of.
    package struct Entry: Hashable, Sendable {
        /// Found or missing.
        package let document: Document
        /// The named queries whose result it belongs to.
        package let queries: [String]

        /// Tells of a document.
        package init(document: Document, queries: [String]) {
            self.document = document
            self.queries = queries
        }
    }

    /// Its name, age and format.
    package let record: BundleRecord
    /// Its documents.
    package let entries: [Entry]
    /// Its queries.
    package let namedQueries: [NamedQuery]
    /// Its size without the first element.
    package let byteCount: Int
    /// The names of its queries.
    let queryNames: Set<UTF8Text>
    /// The latest time that the bundle names: of itself, of a document, or of a query's results.
    let latestTime: Timestamp

    /// Takes the parts. Each document and each name of a query comes once. O(queries + documents).
    ///
    /// - Parameters:
    ///   - record: The bundle's name, age and format.
    ///   - entries: The bundle's documents.
    ///   - namedQueries: The bundle's queries.
    ///   - byteCount: The bundle's size in bytes, without the first element.
    package init(
        record: BundleRecord, entries: [Entry], namedQueries: [NamedQuery], byteCount: Int
    ) {
        self.record = record
        queryNames = Set(namedQueries.map { UTF8Text($0.name) })
        self.entries = entries
        self.namedQueries = namedQueries
        self.byteCount = byteCount
        var latest = record.createdAt
        for entry in entries { latest = max(latest, entry.document.version, entry.document.readAt) }
        for query in namedQueries { latest = max(latest, query.readAt) }
        latestTime = latest.timestamp
    }
}

/// How far the loading of a bundle has come.
package struct BundleProgress: Hashable, Sendable {
    /// Documents loaded, and in all.
    package let documentsLoaded: Int
    /// All documents of the bundle.
    package let totalDocuments: Int
    /// Bytes loaded.
    package let bytesLoaded: Int
    /// All bytes of the bundle.
    package let totalBytes: Int

    /// Takes the counts.
    ///
    /// - Parameters:
    ///   - documentsLoaded: How many documents the cache has taken.
    ///   - totalDocuments: All documents of the bundle.
    ///   - bytesLoaded: Bytes loaded.
    ///   - totalBytes: All bytes of the bundle.
    package init(documentsLoaded: Int, totalDocuments: Int, bytesLoaded: Int, totalBytes: Int) {
        self.documentsLoaded = documentsLoaded
        self.totalDocuments = totalDocuments
        self.bytesLoaded = bytesLoaded
        self.totalBytes = totalBytes
    }
}
