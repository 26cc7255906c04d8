import HearthModel
import HearthWire

/// An index of the machine's cache.
public struct CacheIndex: Sendable {
    /// How the index lists one field.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case ascending
        case descending
        /// One entry for each element of an array.
        case contains
    }

    /// One field.
    public struct Field: Sendable {
        /// The field's path, or the error of its name.
        let path: Result<HearthModel.FieldPath, FirestoreError>
        /// How the index lists the field.
        public let kind: Kind

        /// Lists a field.
        public init(_ path: some FieldName, _ kind: Kind = .ascending) {
            self.path = Result { () throws(FirestoreError) in try path.modelPath() }
            self.kind = kind
        }
    }

    /// The id of the collections that the index covers.
    public let collectionGroup: String
    /// Whether the index serves queries of all collections with the id (a group), instead of one
    /// collection.
    public let isGroup: Bool
    /// The fields, the first sort key first.
    public let fields: [Field]

    /// Describes an index.
    ///
    /// - Parameters:
    ///   - collectionGroup: The id of the collections that the index covers.
    ///   - fields: The fields, the first sort key first.
    ///   - isGroup: Whether the index serves queries of all collections with the id, instead of one
    ///     collection.
    public init(collectionGroup: String, fields: [Field], isGroup: Bool = false) {
        self.collectionGroup = collectionGroup
        self.isGroup = isGroup
        self.fields = fields
    }

    func wire() throws(FirestoreError) -> WireIndex {
        var fields: [WireIndex.Field] = []
        for field in self.fields {
            let kind: WireIndex.Kind =
                switch field.kind {
                case .ascending: .ascending
                case .descending: .descending
                case .contains: .contains
                }
            fields.append(.init(path: try field.path.get(), kind: kind))
        }
        return WireIndex(collectionGroup: collectionGroup, isGroup: isGroup, fields: fields)
    }
}

/// The indexes of the machine's cache.
public struct CacheIndexes: Hashable, Sendable {
    /// One index.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// The index as text, such as `rooms(city asc, tags contains)`; `*` in front for a group.
        public let description: String
        /// Whether a costly query made the index. If not, a program or a file asked for the index.
        public let isAutomatic: Bool
        /// Whether the index lists every document of its collections. Only then queries use the
        /// index.
        public let isComplete: Bool
    }

    /// The indexes, the oldest first.
    public let indexes: [Entry]
    /// Whether a costly query makes the index that the query lacks.
    public let createsAutomatically: Bool

    init(_ list: IndexList) {
        indexes = list.indexes.map { index in
            let fields = index.fields.map { field in
                let kind =
                    switch field.kind {
                    case .ascending: "asc"
                    case .descending: "desc"
                    case .contains: "contains"
                    }
                return "\(field.path) \(kind)"
            }
            let mark = index.isGroup ? "*" : ""
            return Entry(
                description: "\(mark)\(index.collectionGroup)(\(fields.joined(separator: ", ")))",
                isAutomatic: index.isAutomatic, isComplete: index.isComplete)
        }
        createsAutomatically = list.createsAutomatically
    }
}

/// How a query was answered from the machine's cache.
public struct QueryExplanation: Hashable, Sendable {
    /// `document lookup`, `index`, `partial index`, `previous results` or `full scan`.
    public let plan: String
    /// The indexes that the query used, such as `rooms(city asc)`.
    public let indexes: [String]
    /// How many documents and index entries the cache looked at.
    public let examinedCount: Int
    /// How many documents matched, after the limit.
    public let matchedCount: Int
    /// Why the cache chose the plan, in a sentence.
    public let why: String

    init(_ explanation: HearthWire.QueryExplanation) {
        plan = explanation.plan
        indexes = explanation.indexes
        examinedCount = explanation.examinedCount
        matchedCount = explanation.matchedCount
        why = explanation.why
    }
}
