import HearthModel
import HearthWire

/// A condition on documents: a condition on one field, or several conditions joined.
public struct Filter: Sendable {
    private indirect enum Condition: Sendable {
        case field(HearthModel.FieldPath, FieldFilter.Operator, Value)
        case all([Filter])
        case any([Filter])
        /// The condition cannot be made. A query with the condition reports the error when the
        /// query is read or listened to.
        case invalid(FirestoreError)
    }

    private let condition: Condition

    private init(_ condition: Condition) {
        self.condition = condition
    }

    private init(_ field: some FieldName, _ op: FieldFilter.Operator, _ operand: Any) {
        do throws(FirestoreError) {
            condition = .field(try field.modelPath(), op, try UserData.encodeOperand(operand))
        } catch {
            condition = .invalid(error)
        }
    }

    /// Compares with each of several values. An array may be one of the values.
    private init(_ field: some FieldName, _ op: FieldFilter.Operator, anyOf values: [Any]) {
        do throws(FirestoreError) {
            let operands = Value.array(try UserData.encodeOperands(values))
            condition = .field(try field.modelPath(), op, operands)
        } catch {
            condition = .invalid(error)
        }
    }

    /// All of the conditions. No conditions keep every document.
    public static func andFilter(_ filters: [Filter]) -> Filter {
        Filter(.all(filters))
    }

    /// At least one of the conditions. No conditions keep every document.
    public static func orFilter(_ filters: [Filter]) -> Filter {
        Filter(.any(filters))
    }

    /// The field equals the value.
    public static func whereField(_ field: some FieldName, isEqualTo value: Any) -> Filter {
        Filter(field, .equal, value)
    }

    /// The field exists and is neither null nor equal to the value.
    public static func whereField(_ field: some FieldName, isNotEqualTo value: Any) -> Filter {
        Filter(field, .notEqual, value)
    }

    /// The field is of the value's type and less.
    public static func whereField(_ field: some FieldName, isLessThan value: Any) -> Filter {
        Filter(field, .lessThan, value)
    }

    /// The field is of the value's type and less or equal.
    public static func whereField(
        _ field: some FieldName, isLessThanOrEqualTo value: Any
    ) -> Filter {
        Filter(field, .lessThanOrEqual, value)
    }

    /// The field is of the value's type and greater.
    public static func whereField(_ field: some FieldName, isGreaterThan value: Any) -> Filter {
        Filter(field, .greaterThan, value)
    }

    /// The field is of the value's type and greater or equal.
    public static func whereField(
        _ field: some FieldName, isGreaterThanOrEqualTo value: Any
    ) -> Filter {
        Filter(field, .greaterThanOrEqual, value)
    }

    /// The field is an array that holds the value.
    public static func whereField(_ field: some FieldName, arrayContains value: Any) -> Filter {
        Filter(field, .arrayContains, value)
    }

    /// The field is an array with at least one of the values.
    public static func whereField(
        _ field: some FieldName, arrayContainsAny values: [Any]
    ) -> Filter {
        Filter(field, .arrayContainsAny, values)
    }

    /// The field equals one of the values.
    public static func whereField(_ field: some FieldName, in values: [Any]) -> Filter {
        Filter(field, .isIn, anyOf: values)
    }

    /// The field exists and is neither null nor equal to one of the values.
    public static func whereField(_ field: some FieldName, notIn values: [Any]) -> Filter {
        Filter(field, .isNotIn, anyOf: values)
    }
}

extension Filter {
    /// The condition as a part of `query`: a string for a document's name becomes that document.
    ///
    /// - Returns: `nil` for joined conditions that are none.
    func resolved(
        for query: HearthModel.Query
    ) throws(FirestoreError) -> HearthModel.Filter? {
        switch condition {
        case .invalid(let error):
            throw error
        case .field(let field, let op, let value):
            let operand = field.isDocumentID ? try query.nameOperand(value) : value
            return HearthModel.Filter.field(field, op, operand)
        case .all(let filters):
            return try Self.join(filters, by: .and, for: query)
        case .any(let filters):
            return try Self.join(filters, by: .or, for: query)
        }
    }

    private static func join(
        _ filters: [Filter], by op: CompositeFilter.Operator, for query: HearthModel.Query
    ) throws(FirestoreError) -> HearthModel.Filter? {
        var resolved: [HearthModel.Filter] = []
        for filter in filters {
            if let condition = try filter.resolved(for: query) { resolved.append(condition) }
        }
        if resolved.count < 2 { return resolved.first }
        return HearthModel.Filter.composite(CompositeFilter(op: op, filters: resolved))
    }
}

extension HearthModel.Query {
    /// The operand for a comparison with a document's name. A string stands for a document of the
    /// collection.
    func nameOperand(_ value: Value) throws(FirestoreError) -> Value {
        switch value {
        case .reference:
            return value
        case .array(let elements):
            var names: [Value] = []
            for element in elements { names.append(try nameOperand(element)) }
            return .array(names)
        case .string(let text):
            return .reference(DocumentName(database: .ofSession, key: try key(named: text)))
        case .null, .boolean, .integer, .double, .timestamp, .serverTimestamp, .bytes, .geoPoint,
            .map:
            throw FirestoreError(
                .invalidArgument,
                "A document's name is compared with a string or a DocumentReference.")
        }
    }

    /// A document by its id in the collection, or for a group by its path below the query's.
    private func key(named text: String) throws(FirestoreError) -> DocumentKey {
        do throws(PathError) {
            let relative = try ResourcePath(parsing: text)
            guard !relative.isEmpty else { throw .emptySegment(path: text) }
            let path = path.appending(relative)
            guard let key = DocumentKey(path), collectionGroup != nil || relative.count == 1 else {
                throw .wrongSegmentCount(path: path.string, count: path.count)
            }
            return key
        } catch {
            throw FirestoreError(.invalidArgument, "\(error)")
        }
    }
}
