package import HearthModel

/// An index of the cache, in the form for the wire.
package struct WireIndex: Hashable, Sendable {
    /// How the index lists one field.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case ascending
        case descending
        /// One entry for each element of an array.
        case contains
    }

    /// One field.
    package struct Field: Hashable, Sendable {
        /// The field's path.
        package var path: FieldPath
        /// How the index lists the field.
        package var kind: Kind

        /// Lists a field.
        package init(path: FieldPath, kind: Kind) {
            self.path = path
            self.kind = kind
        }
    }

    /// The id of the collections that the index covers.
    package var collectionGroup: String
    /// Whether the index serves queries of all collections with the id (a group), instead of one
    /// collection.
    package var isGroup: Bool
    /// The fields, the first sort key first.
    package var fields: [Field]
    /// Whether a costly query made the index. If not, a program or a file asked for the index. Only
    /// in answers.
    package var isAutomatic: Bool
    /// Whether the index lists every document of its collections. Only then queries use the index.
    /// Only in answers.
    package var isComplete: Bool

    /// Describes an index.
    ///
    /// - Parameters:
    ///   - collectionGroup: The id of the collections that the index covers.
    ///   - isGroup: Whether the index serves queries of all collections with the id (a group),
    ///     instead of one collection.
    ///   - fields: The fields, the first sort key first.
    ///   - isAutomatic: Whether a costly query made the index. If not, a program or a file asked
    ///     for the index. Only in answers.
    ///   - isComplete: Whether the index lists every document of its collections. Only then queries
    ///     use the index. Only in answers.
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

/// A change of the cache's indexes. The answer lists the indexes after the change.
package enum IndexChange: Hashable, Sendable {
    /// No change.
    case none
    /// Adds an index.
    case add(WireIndex)
    /// Drops an index, automatic or asked for.
    case remove(WireIndex)
    /// Drops all indexes, automatic or asked for.
    case removeAll
    /// Whether a costly query makes the index that the query lacks.
    case setAutomaticCreation(isEnabled: Bool)
    /// Replaces the indexes that were asked for by the indexes in the JSON of a
    /// firestore.indexes.json.
    case configure(String)
}

/// The indexes of the cache.
package struct IndexList: Hashable, Sendable {
    /// The indexes, the oldest first.
    package var indexes: [WireIndex]
    /// Whether a costly query makes the index that the query lacks.
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
    /// The indexes that the query used.
    package var indexes: [String]
    /// How many documents and index entries the cache looked at.
    package var examinedCount: Int
    /// How many documents matched, after the limit.
    package var matchedCount: Int
    /// Why the cache chose the plan, in a sentence.
    package var why: String

    /// Takes the parts.
    ///
    /// - Parameters:
    ///   - plan: The plan, in a word or two.
    ///   - indexes: The indexes that the query used.
    ///   - examinedCount: How many documents and index entries the cache looked at.
    ///   - matchedCount: How many documents matched, after the limit.
    ///   - why: Why the cache chose the plan, in a sentence.
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
