package import HearthModel

/// What somebody wants to know that takes a look at a whole collection.
package struct SurveyQuestion: Hashable, Sendable {
    /// What is wanted of the documents that match.
    package enum Wanted: Hashable, Sendable {
        /// The documents as the backend told them. Only documents with all of these fields.
        ///
        /// Of a query with a limit the first documents, and some more.
        case documents(having: [FieldPath])
        /// Numbers over the documents as a user sees them. The query has no limit.
        case numbers([Aggregation], of: UserID)
        /// What a user is shown who asks once.
        case picture(of: UserID)

        /// Whether the answer is of one moment, because nobody can bring it up to date.
        package var isOfOneMoment: Bool {
            switch self {
            case .documents: false
            case .numbers, .picture: true
            }
        }
    }

    /// The query.
    package let query: Query
    /// What is wanted.
    package let wanted: Wanted

    /// Asks.
    package init(_ query: Query, _ wanted: Wanted = .documents(having: [])) {
        self.query = query
        self.wanted = wanted
    }
}
