import HearthModel

/// A programmer's data, split into the values to set, the paths of their fields, and the orders.
///
/// - Source: firebase-js-sdk `lite-api/user_data_reader`, parse-set-data and parse-update-data.
struct UserData {
    /// Where orders may stand.
    enum Purpose {
        /// A whole document: no deletes.
        case set
        /// A document to be merged: deletes anywhere.
        case merge
        /// The fields of an update: deletes only as the value of one of its keys.
        case update
        /// Something that is no document, such as a filter's operand: no orders at all.
        case operand
    }

    private let purpose: Purpose
    /// The leaves that were set or deleted.
    private(set) var leaves: [HearthModel.FieldPath] = []
    /// The orders that are transforms.
    private(set) var transforms: [FieldTransform] = []

    private init(_ purpose: Purpose) {
        self.purpose = purpose
    }

    /// Encodes a value outside a document, such as a filter's operand.
    static func encodeOperand(_ any: Any) throws(FirestoreError) -> Value {
        var data = UserData(.operand)
        guard let value = try data.encode(any, at: nil, depth: 0, isRoot: false) else {
            throw FirestoreError(.invalidArgument, "A FieldValue cannot stand here.")
        }
        return value
    }

    /// Encodes several operands of one comparison. An array may be an operand.
    static func encodeOperands(_ operands: [Any]) throws(FirestoreError) -> [Value] {
        var values: [Value] = []
        for operand in operands { values.append(try encodeOperand(operand)) }
        return values
    }

    /// Encodes the elements of an array outside a document.
    static func encodeElements(_ elements: [Any]) throws(FirestoreError) -> [Value] {
        var data = UserData(.operand)
        return try data.encode(elements, depth: 1)
    }

    /// A write that replaces the document.
    static func set(_ data: [String: Any], at key: DocumentKey) throws(FirestoreError) -> Mutation {
        var parsed = UserData(.set)
        let fields = try parsed.encode(data, at: .empty, depth: 0)
        return Mutation(key: key, kind: .set(fields), transforms: parsed.transforms)
    }

    /// A write that changes the fields in the data, and makes the document if it does not exist.
    ///
    /// - Parameter mergeFields: The only fields to change; `nil` for all in the data.
    static func merge(
        _ data: [String: Any], mergeFields: [HearthModel.FieldPath]? = nil, at key: DocumentKey
    ) throws(FirestoreError) -> Mutation {
        var parsed = UserData(.merge)
        let fields = try parsed.encode(data, at: .empty, depth: 0)
        guard let mergeFields else {
            return Mutation(
                key: key, kind: .patch(fields, FieldMask(parsed.leaves)),
                transforms: parsed.transforms)
        }
        let named = parsed.leaves + parsed.transforms.map(\.field)
        for field in mergeFields where !named.contains(where: { field.isPrefix(of: $0) }) {
            throw FirestoreError(
                .invalidArgument, "The field \(field) is to be merged, but the data lacks it.")
        }
        let mask = FieldMask(mergeFields)
        return Mutation(
            key: key, kind: .patch(fields, mask),
            transforms: parsed.transforms.filter { mask.covers($0.field) })
    }

    /// A write that changes fields of a document that must exist.
    static func update(
        _ fields: [AnyHashable: Any], at key: DocumentKey
    ) throws(FirestoreError) -> Mutation {
        var parsed = UserData(.update)
        var values = MapValue.empty
        var paths: [HearthModel.FieldPath] = []
        for (name, any) in fields {
            guard let name = name.base as? any FieldName else {
                throw FirestoreError(
                    .invalidArgument, "\(name) names no field; use a String or a FieldPath.")
            }
            let path = try name.modelPath()
            if let other = paths.first(where: { $0.isPrefix(of: path) || path.isPrefix(of: $0) }) {
                throw FirestoreError(
                    .invalidArgument, "The fields \(path) and \(other) lie in each other.")
            }
            paths.append(path)
            if let value = try parsed.encode(any, at: path, depth: path.count - 1, isRoot: true) {
                values.set(path, to: value)
            }
        }
        let ordered = parsed.transforms.map(\.field)
        let mask = FieldMask(paths.filter { path in !ordered.contains(path) })
        return Mutation(
            key: key, kind: .patch(values, mask), precondition: .exists(true),
            transforms: parsed.transforms)
    }

    /// Encodes a map.
    ///
    /// - Parameters:
    ///   - path: The map's path; `nil` inside arrays, because an element of an array has no path.
    ///   - depth: How many maps and arrays the map's values lie in.
    private mutating func encode(
        _ map: some Collection<(key: String, value: Any)>, at path: HearthModel.FieldPath?,
        depth: Int
    ) throws(FirestoreError) -> MapValue {
        if map.isEmpty, let path, path.count > 0 { leaves.append(path) }
        var entries: [MapValue.Entry] = []
        for (key, any) in map {
            let child = path?.appending(key)
            try Self.checkName(key)
            if let value = try encode(any, at: child, depth: depth, isRoot: false) {
                entries.append(MapValue.Entry(key: key, value: value))
            }
        }
        return MapValue(entries: entries)
    }

    /// Encodes a value that lies in `depth` maps and arrays.
    ///
    /// - Returns: `nil` for an order, which goes into `leaves` or `transforms` instead.
    private mutating func encode(
        _ any: Any, at path: HearthModel.FieldPath?, depth: Int, isRoot: Bool
    ) throws(FirestoreError) -> Value? {
        try Self.checkDepth(depth)
        if let order = any as? FieldValue {
            try note(order, at: path, isRoot: isRoot)
            return nil
        }
        if let optional = any as? any AnyOptional {
            guard let inner = optional.unwrapped else {
                if let path { leaves.append(path) }
                return .null
            }
            return try encode(inner, at: path, depth: depth, isRoot: isRoot)
        }
        if let value = try Self.scalar(any, at: path) {
            if let path { leaves.append(path) }
            return value
        }
        if let map = any as? [String: Any] {
            try Self.checkDepth(depth + 1)
            return .map(try encode(map, at: path, depth: depth + 1))
        }
        if let map = any as? SpelledMap {
            try Self.checkDepth(depth + 1)
            let fields = map.fields.map { (key: $0.name, value: $0.value as Any) }
            return .map(try encode(fields, at: path, depth: depth + 1))
        }
        if let elements = any as? [Any] {
            try Self.checkDepth(depth + 1)
            if let path { leaves.append(path) }
            return .array(try encode(elements, depth: depth + 1))
        }
        throw FirestoreError(
            .invalidArgument, "A \(type(of: any)) is none of Firestore's values\(Self.place(path))."
        )
    }

    private mutating func encode(_ elements: [Any], depth: Int) throws(FirestoreError) -> [Value] {
        var values: [Value] = []
        for element in elements {
            guard let value = try encode(element, at: nil, depth: depth, isRoot: false) else {
                throw FirestoreError(.invalidArgument, "A FieldValue cannot stand in an array.")
            }
            if case .array = value {
                throw FirestoreError(.invalidArgument, "An array cannot hold an array.")
            }
            values.append(value)
        }
        return values
    }

    private mutating func note(
        _ order: FieldValue, at path: HearthModel.FieldPath?, isRoot: Bool
    ) throws(FirestoreError) {
        guard let path, purpose != .operand else {
            throw FirestoreError(
                .invalidArgument, "A FieldValue can only be a field of a document.")
        }
        switch order.order {
        case .invalid(let error):
            throw error
        case .transform(let operation):
            transforms.append(FieldTransform(field: path, operation: operation))
        case .delete:
            switch purpose {
            case .merge: leaves.append(path)
            case .update where isRoot: leaves.append(path)
            case .set, .update, .operand:
                throw FirestoreError(
                    .invalidArgument,
                    "FieldValue.delete()\(Self.place(path)) needs an update of that field, or a "
                        + "set with merge.")
            }
        }
    }

    private static func scalar(
        _ any: Any, at path: HearthModel.FieldPath?
    ) throws(FirestoreError) -> Value? {
        do throws(FirestoreError) {
            return try ValueEncoder.scalar(any)
        } catch {
            throw FirestoreError(error.code, "\(error.message)\(place(path))")
        }
    }

    private static func checkDepth(_ depth: Int) throws(FirestoreError) {
        guard depth <= ValueEncoder.nestingMax else {
            throw FirestoreError(
                .invalidArgument, "Maps and arrays lie more than \(ValueEncoder.nestingMax) deep.")
        }
    }

    private static func checkName(_ name: String) throws(FirestoreError) {
        guard !name.isEmpty, !PathLimits.isReserved(name) else {
            throw FirestoreError(
                .invalidArgument,
                "\"\(name)\" cannot name a field: a name is not empty, nor like __this__.")
        }
    }

    private static func place(_ path: HearthModel.FieldPath?) -> String {
        path.map { $0.count == 0 ? "" : " (in the field \($0))" } ?? ""
    }
}
