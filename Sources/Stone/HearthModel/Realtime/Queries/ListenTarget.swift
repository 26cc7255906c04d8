/// A query at a place: what one listen asks the server about.
package struct ListenTarget: Hashable, Sendable {
    /// Where.
    package let path: RealtimePath
    /// What.
    package let query: QueryParameters

    /// Joins both.
    package init(_ path: RealtimePath, _ query: QueryParameters) {
        self.path = path
        self.query = query
    }
}
