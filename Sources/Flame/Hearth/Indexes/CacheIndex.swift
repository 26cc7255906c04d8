import HearthModel
import HearthWire

/// An index of the machine's cache.
public struct CacheIndex: Sendable {
    /// How one field is listed.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case ascending
        case descending
        /// One entry for each element of an array.
        case contains
    }

    /// One field.
    public struct Field: Sendable {
        /// The field, or what is wrong with its name.
        let path: Result<HearthModel.FieldPath, FirestoreError>
        /// How it is listed.
        public let kind: Kind

        /// Lists a field.
        public init(_ path: some FieldName, _ kind: Kind = .ascending) {
            self.path = Result { () throws(FirestoreError) in try path.modelPath() }
            self.kind = kind
        }
    }

    /// The id of the collections.
    public let collectionGroup: String
    /// Whether it serves queries of all collections of the id, and not of one.
    public let isGroup: Bool
    /// The fields, in the order in which they count.
    public let fields: [Field]

    /// Describes an index.
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
    /// One of them.
    public struct Entry: Hashable, Sendable, CustomStringConvertible {
        /// What it lists, such as `rooms(city asc, tags contains)`; `*` in front for a group.
        public let description: String
        /// Whether a query made it, and not somebody's wish.
        public let isAutomatic: Bool
        /// Whether it lists every document, so that queries use it.
        public let isComplete: Bool
    }

    /// In the order of their making.
    public let indexes: [Entry]
    /// Whether costly queries make the index that they lack.
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
    /// The indexes used, such as `rooms(city asc)`.
    public let indexes: [String]
    /// Documents and index entries looked at.
    public let examinedCount: Int
    /// Documents that matched, after the limit.
    public let matchedCount: Int
    /// Why this plan, in a sentence.
    public let why: String

    init(_ explanation: HearthWire.QueryExplanation) {
        plan = explanation.plan
        indexes = explanation.indexes
        examinedCount = explanation.examinedCount
        matchedCount = explanation.matchedCount
        why = explanation.why
    }
}
