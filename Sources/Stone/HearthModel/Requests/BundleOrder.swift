/// What a bundle is to hold.
package struct BundleOrder: Hashable, Sendable {
    /// A query with the name that it gets in the bundle.
    package struct Entry: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The query; no single document.
        package let query: Query

        /// Names a query.
        package init(name: String, query: Query) {
            self.name = name
            self.query = query
        }
    }

    /// The bundle's name.
    package let id: String
    /// The queries, with all their results.
    package let queries: [Entry]
    /// Documents besides.
    package let documents: [DocumentKey]

    /// Orders a bundle.
    ///
    /// - Parameters:
    ///   - id: The bundle's name.
    ///   - queries: The queries, with all their results.
    ///   - documents: Further documents.
    package init(id: String, queries: [Entry], documents: [DocumentKey]) {
        self.id = id
        self.queries = queries
        self.documents = documents
    }
}
