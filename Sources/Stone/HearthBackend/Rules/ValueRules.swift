package import HearthModel

/// What Firestore accepts as the fields of a document.
///
/// - Source: `backend-surface`, section 3; the texts of refusals come from Google's emulator.
package enum ValueRules {
    /// How many maps and arrays may lie inside each other.
    package static let nestingMax = 20
    /// The longest string or run of bytes.
    package static let valueByteCountMax = 1_048_487
    /// The longest name of a field, in bytes.
    package static let fieldByteCountMax = 1_500
    /// The largest document, by `byteCount(of:)`.
    package static let documentByteCountMax = 1_048_576
    /// The longest path of a field, its dots included, in bytes.
    package static let pathByteCountMax = 1_500
    /// The longest vector.
    package static let vectorCountMax = 2_048

    /// Refuses fields that no document can hold.
    ///
    /// - Throws: `HearthError` `invalidArgument` for the first wrong name or value.
    package static func check(
        _ fields: MapValue, by judge: WriteJudge = .emulator
    ) throws(HearthError) {
        // Nothing is wrong with fields that could be packed.
        if fields.packedFields != nil { return }
        for entry in fields.entries {
            try checkName(entry.key)
            try check(entry.value, of: entry.key, depth: 0, judge)
        }
    }

    /// Refuses a value that no field can hold, such as an operand of a transform.
    ///
    /// - Parameters:
    ///   - field: Its name, for the refusal.
    ///   - judge: Whether an emulator or the hosted service judges.
    /// - Throws: `HearthError` `invalidArgument`.
    package static func check(
        _ value: Value, of field: String, by judge: WriteJudge
    ) throws(HearthError) {
        try check(value, of: field, depth: 0, judge)
    }

    /// Refuses a path that no field can have.
    ///
    /// - Throws: `HearthError` `invalidArgument`.
    package static func check(_ path: FieldPath) throws(HearthError) {
        guard !path.segments.contains(where: NameRules.isReserved) else {
            throw .argument("Invalid reserved name in field path \(path)")
        }
        for segment in path.segments { try checkName(segment) }
        let count = path.segments.reduce(path.count - 1) { $0 + $1.utf8.count }
        guard count <= pathByteCountMax else {
            throw .argument("The property path is longer than \(pathByteCountMax) bytes.")
        }
    }

    /// Refuses a document that is too large, or that would need too much of the indexes.
    ///
    /// - Returns: Its size.
    /// - Throws: `HearthError` `invalidArgument`.
    @discardableResult
    package static func checkSize(of document: Document, in database: DatabaseID)
        throws(HearthError) -> Int
    {
        let count = byteCount(of: document)
        guard count <= documentByteCountMax else {
            throw .argument(
                "Document \"\(database.documentsName)/\(document.key)\" cannot be written because "
                    + "its size (\(count) bytes) exceeds the maximum allowed size of "
                    + "\(documentByteCountMax) bytes.")
        }
        try IndexEntries.check(document, ofSize: count)
        return count
    }

    /// The size of a document by Firestore's own rule: name, fields and 32 bytes.
    package static func byteCount(of document: Document) -> Int {
        document.key.path.storedByteCount + document.fields.storedByteCount + 32
    }

    private static func checkName(_ name: String) throws(HearthError) {
        if name.isEmpty { throw .argument("The property.name is the empty string.") }
        if NameRules.isReserved(name) { throw .argument("field name \(name) is reserved") }
        guard name.utf8.count <= fieldByteCountMax else {
            throw .argument("The property.name is longer than \(fieldByteCountMax) bytes.")
        }
    }

    private static func check(
        _ value: Value, of field: String, depth: Int, _ judge: WriteJudge
    ) throws(HearthError) {
        switch value {
        case .null, .boolean, .integer, .double, .timestamp:
            return
        case .reference(let name):
            try check(name, judge)
        case .serverTimestamp:
            throw .argument("Cannot convert firestore.v1.Value with type unset.")
        case .string(let text):
            try checkLength(text.utf8.count, of: field)
        case .bytes(let bytes):
            try checkLength(bytes.count, of: field)
        case .geoPoint(let point):
            try check(point)
        case .array(let elements):
            try checkDepth(depth, of: field)
            for element in elements {
                if case .array = element {
                    throw .argument("Cannot convert an array value in an array value.")
                }
                if judge == .emulator, element.vectorElements != nil {
                    throw .argument("Cannot convert a vector value in an array value.")
                }
                try check(element, of: field, depth: depth + 1, judge)
            }
        case .map(let map):
            try checkDepth(depth, of: field)
            if let elements = map.vectorElements, map.count == 2 {
                return try checkVector(elements, judge)
            }
            for entry in map.entries {
                try checkName(entry.key)
                try check(entry.value, of: field, depth: depth + 1, judge)
            }
        }
    }

    private static func checkDepth(_ depth: Int, of field: String) throws(HearthError) {
        guard depth < nestingMax else {
            throw .argument("Property \(field) contains an invalid nested entity.")
        }
    }

    private static func checkLength(_ count: Int, of field: String) throws(HearthError) {
        guard count <= valueByteCountMax else {
            throw .argument(
                "The value of property \"\(field)\" is longer than \(valueByteCountMax) bytes.")
        }
    }

    /// Refuses a reference to what can have no such name.
    private static func check(_ name: DocumentName, _ judge: WriteJudge) throws(HearthError) {
        if judge == .emulator, name.key == nil {
            let text = name.description
            throw .argument("Resource name \"\(text)\" lacks \"/\" at index \(text.utf8.count).")
        }
        try NameRules.check(name.path, in: name.database)
    }

    private static func check(_ point: GeoPoint) throws(HearthError) {
        guard (-90...90).contains(point.latitude) else {
            throw .argument(
                "Geo point latitude '\(point.latitude)' outside permitted range -90.0 to 90.0.")
        }
        guard (-180...180).contains(point.longitude) else {
            throw .argument(
                "Geo point longitude '\(point.longitude)' outside permitted range -180.0 to "
                    + "180.0.")
        }
    }

    private static func checkVector(
        _ elements: [Value], _ judge: WriteJudge
    ) throws(HearthError) {
        guard !elements.isEmpty else { throw emptyVector }
        guard elements.allSatisfy({ judge == .emulator ? $0.isDouble : $0.isNumber }) else {
            throw .argument("Vector must only contain values of type 'double'")
        }
        if judge == .emulator, elements.contains(where: \.isNaN) {
            throw .argument("Vector cannot contain NaN values.")
        }
        guard elements.count <= vectorCountMax else {
            throw .argument(
                "Vectors are limited to \(vectorCountMax) dimensions; this one has "
                    + "\(elements.count).")
        }
    }

    /// Checks a value that a query compares with.
    static func checkComparison(_ value: Value) throws(HearthError) {
        switch value {
        case .null, .boolean, .integer, .double, .timestamp, .serverTimestamp, .string, .bytes,
            .geoPoint:
            return
        case .reference(let name):
            try check(name, .emulator)
        case .array(let elements):
            for element in elements { try checkComparison(element) }
        case .map(let map):
            if let elements = map.vectorElements {
                if elements.isEmpty { throw emptyVector }
                return
            }
            for entry in map.entries { try checkComparison(entry.value) }
        }
    }

    private static let emptyVector = HearthError.argument("Cannot have a zero length vector.")
}
