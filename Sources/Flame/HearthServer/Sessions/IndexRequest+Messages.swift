import HearthFirestore
import HearthModel
import HearthWire

extension IndexRequest {
    /// Reads what a client wants of the indexes.
    ///
    /// - Throws: `invalidArgument` for an index that cannot be, or a file that cannot be read.
    init(_ change: IndexChange) throws(HearthError) {
        switch change {
        case .none: self = .list
        case .add(let index): self = .add(try FieldIndex(index))
        case .remove(let index): self = .remove(try FieldIndex(index))
        case .removeAll: self = .removeAll
        case .setAutomaticCreation(let isEnabled):
            self = .setAutomaticCreation(isEnabled: isEnabled)
        case .configure(let json):
            self = .configure(try IndexConfiguration(json: Array(json.utf8)).indexes)
        }
    }
}

extension FieldIndex {
    fileprivate init(_ index: WireIndex) throws(HearthError) {
        let segments = index.fields.map { field in
            let kind: Kind =
                switch field.kind {
                case .ascending: .ascending
                case .descending: .descending
                case .contains: .contains
                }
            return Segment(field.path, kind)
        }
        let scope: Scope = index.isGroup ? .group : .collection
        guard !index.collectionGroup.utf8.contains(UInt8(ascii: "/")) else {
            throw HearthError(
                code: .invalidArgument,
                message:
                    "An index is of all collections of an id; \"\(index.collectionGroup)\" is a "
                    + "path.")
        }
        guard let made = FieldIndex(index.collectionGroup, segments, scope: scope) else {
            throw HearthError(
                code: .invalidArgument,
                message: "An index needs a collection's id and fields, none twice, not the "
                    + "document's name, and one array at most.")
        }
        self = made
    }
}

extension WireIndex {
    fileprivate init(_ stored: StoredIndex) {
        self.init(
            collectionGroup: stored.index.collectionGroup, isGroup: stored.index.scope == .group,
            fields: stored.index.segments.map { segment in
                let kind: Kind =
                    switch segment.kind {
                    case .ascending: .ascending
                    case .descending: .descending
                    case .contains: .contains
                    }
                return Field(path: segment.field, kind: kind)
            }, isAutomatic: stored.isAutomatic, isComplete: stored.isComplete)
    }
}

extension IndexList {
    /// Lists the indexes as a client is told them.
    init(_ report: IndexReport) {
        self.init(
            indexes: report.indexes.map { WireIndex($0) },
            createsAutomatically: report.createsAutomatically)
    }
}

extension QueryExplanation {
    /// Tells a client how a query was answered.
    init(_ description: QueryPlanDescription) {
        self.init(
            plan: description.plan.rawValue, indexes: description.indexes,
            examinedCount: description.examinedCount, matchedCount: description.matchedCount,
            why: description.why)
    }
}
