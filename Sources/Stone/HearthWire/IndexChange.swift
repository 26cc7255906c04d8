package import HearthModel

/// An index of the cache, as it goes over the wire.
package struct WireIndex: Hashable, Sendable {
    /// How one field is listed.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case ascending
        case descending
        /// One entry for each element of an array.
        case contains
    }

    /// One field.
    package struct Field: Hashable, Sendable {
        /// Its path.
        package var path: FieldPath
        /// How it is listed.
        package var kind: Kind

        /// Lists a field.
        package init(path: FieldPath, kind: Kind) {
            self.path = path
            self.kind = kind
        }
    }

    /// The id of the collections.
    package var collectionGroup: String
    /// Whether it serves queries of all collections of the id, and not of one.
    package var isGroup: Bool
    /// The fields, in the order in which they count.
    package var fields: [Field]
    /// Whether a costly query made it, and not somebody's wish. Only in answers.
    package var isAutomatic: Bool
    /// Whether it lists every document, so that queries use it. Only in answers.
    package var isComplete: Bool

    /// Describes an index.
    package init(
        collectionGroup: String, isGroup: Bool = false, fields: [Field], isAutomatic: Bool = false,
        isComplete: Bool = false
    ) {
        self.collectionGroup = collectionGroup
        self.isGroup = isGroup
        self.fields = fields
        self.isAutomatic = isAutomatic
        self.isComplete = isComplete
    }
}

/// What to do with the indexes of the cache before they are listed.
package enum IndexChange: Hashable, Sendable {
    /// Nothing.
    case none
    /// Adds one.
    case add(WireIndex)
    /// Drops one, however it was made.
    case remove(WireIndex)
    /// Drops all, however they were made.
    case removeAll
    /// Whether costly queries get an index by themselves.
    case setAutomaticCreation(isEnabled: Bool)
    /// Makes these the indexes that somebody asked for: the JSON of firestore.indexes.json.
    case configure(String)
}

/// The indexes of the cache.
package struct IndexList: Hashable, Sendable {
    /// In the order of their making.
    package var indexes: [WireIndex]
    /// Whether costly queries get an index by themselves.
    package var createsAutomatically: Bool

    /// Lists indexes.
    package init(indexes: [WireIndex], createsAutomatically: Bool) {
        self.indexes = indexes
        self.createsAutomatically = createsAutomatically
    }
}

/// How a query was answered from the cache.
package struct QueryExplanation: Hashable, Sendable {
    /// The plan, in a word or two.
    package var plan: String
    /// The indexes used.
    package var indexes: [String]
    /// Documents and index entries looked at.
    package var examinedCount: Int
    /// Documents that matched, after the limit.
    package var matchedCount: Int
    /// Why this plan, in a sentence.
    package var why: String

    /// Explains.
    package init(
        plan: String, indexes: [String], examinedCount: Int, matchedCount: Int, why: String
    ) {
        self.plan = plan
        self.indexes = indexes
        self.examinedCount = examinedCount
        self.matchedCount = matchedCount
        self.why = why
    }
}
