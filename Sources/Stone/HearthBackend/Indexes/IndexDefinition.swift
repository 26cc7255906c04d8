import HearthModel

/// An index as production would have it.
struct IndexDefinition: Hashable, Sendable {
    /// Which queries an index serves.
    enum Scope: String, Hashable, Sendable {
        /// Queries of one collection.
        case collection = "COLLECTION"
        /// Queries of all collections of an id.
        case collectionGroup = "COLLECTION_GROUP"
    }

    /// How an index holds a field.
    enum Kind: Hashable, Sendable {
        case ascending
        case descending
        /// By the elements of an array.
        case contains
        /// By nearness, for vectors of a length.
        case vector(Int)

        init(_ direction: OrderBy.Direction) {
            self = direction == .ascending ? .ascending : .descending
        }

        /// Whether the field can be looked up by its value.
        var isOrdered: Bool { self == .ascending || self == .descending }
    }

    /// One field of an index.
    struct Field: Hashable, Sendable {
        let path: FieldPath
        let kind: Kind

        init(_ path: FieldPath, _ kind: Kind) {
            self.path = path
            self.kind = kind
        }

        init(_ orderBy: OrderBy) {
            self.init(orderBy.field, Kind(orderBy.direction))
        }
    }

    let collectionID: UTF8Text
    let scope: Scope
    /// The fields; the last is the name, unless there is a vector.
    let fields: [Field]

    /// Adds the document's name at the end if the last field is not the name.
    ///
    /// The name is descending after a descending field, else ascending. An index with a vector gets
    /// no name.
    init(collectionID: UTF8Text, scope: Scope, fields: [Field]) {
        self.collectionID = collectionID
        self.scope = scope
        let isComplete =
            fields.last?.path.isDocumentID ?? true
            || fields.contains {
                if case .vector = $0.kind { true } else { false }
            }
        let direction: Kind = fields.last?.kind == .descending ? .descending : .ascending
        self.fields = isComplete ? fields : fields + [Field(.documentID, direction)]
    }
}
