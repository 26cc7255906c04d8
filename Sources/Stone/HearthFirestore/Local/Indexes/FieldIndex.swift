package import HearthModel

/// A local index: where the index looks, and the fields that the index lists documents by.
///
/// The index lists a document if the document has every field. Entries end with the document's key,
/// so an index that covers a query's sort keys gives the results in their order.
package struct FieldIndex: Hashable, Sendable {
    /// How one field is listed.
    package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
        case ascending = 1
        case descending = 2
        /// One entry for each element of an array.
        case contains = 3
    }

    /// One field of an index.
    package struct Segment: Hashable, Sendable {
        /// The field.
        package let field: FieldPath
        /// How it is listed.
        package let kind: Kind

        /// Lists a field.
        package init(_ field: FieldPath, _ kind: Kind = .ascending) {
            self.field = field
            self.kind = kind
        }
    }

    /// Which queries the entries are laid out for.
    package enum Scope: UInt8, Hashable, Sendable {
        /// One collection after the other.
        case collection = 1
        /// All collections of the id together.
        case group = 2
    }

    /// The id of the collections.
    package var collectionGroup: String { group.string }
    /// For which queries.
    package let scope: Scope
    /// The fields, in the order in which they count.
    ///
    /// Never empty, each field once, at most one array.
    package let segments: [Segment]
    private let group: UTF8Text

    /// Describes an index; `nil` for no fields, the key, a field twice, two arrays, or too many.
    ///
    /// - Parameters:
    ///   - collectionGroup: The id of the collections.
    ///   - segments: The fields, in the order in which they count.
    ///   - scope: For which queries.
    package init?(_ collectionGroup: String, _ segments: [Segment], scope: Scope = .collection) {
        guard !segments.isEmpty, segments.count <= IndexLimits.fieldCountMax,
            !collectionGroup.isEmpty, Set(segments.map(\.field)).count == segments.count,
            segments.count(where: { $0.kind == .contains }) <= 1,
            segments.allSatisfy({ segment in
                !segment.field.isDocumentID && segment.field.count > 0
                    && segment.field.count <= IndexLimits.fieldCountMax
                    && segment.field.segments.allSatisfy {
                        $0.utf8.count <= IndexLimits.nameByteCountMax
                    }
            })
        else { return nil }
        self.group = UTF8Text(collectionGroup)
        self.segments = segments
        self.scope = scope
    }

    /// The fields.
    package var fields: [FieldPath] { segments.map(\.field) }
}

extension FieldIndex: CustomStringConvertible {
    /// Such as `rooms(city asc, tags contains)`, with a `*` in front for a collection group.
    package var description: String {
        let fields = segments.map { segment in
            switch segment.kind {
            case .ascending: "\(segment.field) asc"
            case .descending: "\(segment.field) desc"
            case .contains: "\(segment.field) contains"
            }
        }
        let mark = scope == .group ? "*" : ""
        return "\(mark)\(collectionGroup)(\(fields.joined(separator: ", ")))"
    }
}

/// What local indexes may use.
package enum IndexLimits {
    /// Fields of one index, as on the backend.
    package static let fieldCountMax = 100
    /// Bytes of one name in a field's path, as on the backend.
    package static let nameByteCountMax = 1_500
    /// Indexes of one database. Each makes every write to its collections a little slower.
    package static let indexCountMax = 200
    /// Alternatives of a query, each with its own walk through an index: the backend's limit.
    package static let disjunctCountMax = 30
    /// A scan of fewer documents wants no index.
    package static let wantedScanCountMin = 100
    /// A scan wants an index if it looks at more than so many documents for each result.
    package static let wantedScanFactor = 2
    /// Documents listed in one slice of backfilling: a few milliseconds.
    package static let backfillCountMax = 2_000
    /// How long the engine pauses between slices of backfilling for other work.
    package static let backfillPause = Duration.milliseconds(3)
}
