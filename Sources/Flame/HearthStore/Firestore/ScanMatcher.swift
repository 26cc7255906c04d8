import HearthModel
import HearthProtocol

/// A query made ready for matching many documents by a few of their fields.
struct ScanMatcher {
    /// The fields that the query asks about.
    let selection: FieldSelection
    private let probes: [FieldProbe]
    private let filters: [Filter]
    private let fieldFilters: [FieldFilter]
    private let orderBys: [OrderBy]
    /// Fields without which a document does not count.
    private let neededFields: [FieldPath]
    private let startAt: Bound?
    private let endAt: Bound?

    init(_ query: Query, having fields: [FieldPath] = [], _ codec: FirestoreCodec) {
        probes = query.filters.compactMap { Self.probe($0, codec) }
        filters = query.filters
        orderBys = query.orderBys
        neededFields = orderBys.map(\.field).filter { !$0.isDocumentID } + fields
        startAt = query.startAt
        endAt = query.endAt
        fieldFilters = query.filters.compactMap {
            if case .field(let filter) = $0, !filter.field.isDocumentID { filter } else { nil }
        }
        let asked = query.filters.flatMap(\.flattened).map(\.field).filter { !$0.isDocumentID }
        selection = FieldSelection(asked + neededFields)
    }

    /// What can be said of a found document's bytes before anything is read.
    func mayMatch(_ content: UnsafeRawBufferPointer) -> Bool {
        for probe in probes where !probe.mayMatch(content) { return false }
        return true
    }

    private static func probe(_ filter: Filter, _ codec: FirestoreCodec) -> FieldProbe? {
        guard case .field(let filter) = filter else { return nil }
        switch filter.op {
        case .equal:
            return FieldProbe(filter.field, in: [filter.value], isStrict: false, codec)
        case .isIn:
            return filter.value.arrayElements.flatMap {
                FieldProbe(filter.field, in: $0, isStrict: true, codec)
            }
        case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual,
            .arrayContains, .arrayContainsAny, .isNotIn:
            return nil
        }
    }

    /// What can be said without the key: every needed field is there, the plain filters hold.
    func mayMatch(_ fields: MapValue) -> Bool {
        for field in neededFields where fields[field] == nil { return false }
        for filter in fieldFilters {
            guard let value = fields[filter.field], filter.matches(value, .cache) else {
                return false
            }
        }
        return true
    }

    /// The rest, if `mayMatch` holds.
    func matches(_ excerpt: Document) -> Bool {
        filters.allSatisfy { $0.matches(excerpt, .cache) }
            && (startAt?.admitsAsStart(excerpt, orderBys: orderBys) ?? true)
            && (endAt?.admitsAsEnd(excerpt, orderBys: orderBys) ?? true)
    }
}
