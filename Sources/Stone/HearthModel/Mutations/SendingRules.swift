/// The rules that every write to Firestore must keep, whatever documents are stored.
///
/// Firestore always refuses a write that breaks a rule, so Hearth would keep such a write in the
/// queue for nothing. What only an emulator refuses is no rule here: Firestore may take such a write,
/// and refuses the write otherwise.
///
/// - Source: Firestore's quotas and limits, and its rules for ids and names of fields.
package enum SendingRules {
    /// The longest id of a collection or document, in bytes.
    package static let segmentByteCountMax = PathLimits.segmentByteCountMax
    /// The longest path below `documents`, in bytes.
    package static let pathByteCountMax = PathLimits.pathByteCountMax
    /// How many ids a path may have: a hundred collections inside each other.
    package static let segmentCountMax = 2 * PathLimits.collectionDepthMax
    /// The longest name or path of a field, in bytes.
    package static let fieldByteCountMax = PathLimits.fieldPathByteCountMax
    /// The longest string or run of bytes: what is left of a document beside its least name.
    package static let valueByteCountMax = 1_048_487
    /// How many maps and arrays may lie inside each other.
    package static let nestingMax = 20
    /// The longest vector.
    package static let vectorCountMax = 2_048
    /// The transforms of one write.
    package static let transformCountMax = 500
    /// The size of a document, by Firestore's own rule.
    package static let documentByteCountMax = 1_048_576

    /// Why a write can never be committed; `nil` if that depends on what the backend holds. O(parts).
    package static func refusal(of mutation: Mutation) -> HearthError? {
        do throws(HearthError) {
            try check(mutation)
            return nil
        } catch {
            return HearthError(
                code: error.code,
                message: "The write to \(shown(mutation.key)) can never be sent: \(error.message)")
        }
    }

    private static func check(_ mutation: Mutation) throws(HearthError) {
        try check(mutation.key.path)
        switch mutation.kind {
        case .set(let fields):
            try check(fields, depth: 0)
            try checkSize(of: fields, in: mutation.key)
        case .patch(let values, let mask):
            for path in mask.paths {
                try check(path)
                // What is outside the mask is not looked at by the backend either.
                guard let value = values[path] else { continue }
                try check(value, of: path.canonicalString, depth: path.count - 1)
            }
        case .delete, .verify: break
        }
        try check(mutation.transforms)
    }

    // MARK: Names

    private static func check(_ path: ResourcePath) throws(HearthError) {
        guard path.string.utf8.count <= pathByteCountMax else {
            throw .never("its path has more than \(pathByteCountMax) bytes.")
        }
        guard path.count <= segmentCountMax else {
            throw .never("its path has more than \(segmentCountMax) ids.")
        }
        for (index, segment) in path.segments.enumerated() {
            guard !utf8Equals(segment, "."), !utf8Equals(segment, "..") else {
                throw .never("\"\(segment)\" is no id of a collection or document.")
            }
            guard segment.utf8.count <= segmentByteCountMax else {
                throw .never("an id in its path has more than \(segmentByteCountMax) bytes.")
            }
            let isNumeric = !index.isMultiple(of: 2) && ResourcePath.numericID(of: segment) != nil
            guard isNumeric || !PathLimits.isReserved(segment) else {
                throw .never("the id \"\(segment)\" is like __this__, which Firestore keeps.")
            }
        }
    }

    private static func check(_ path: FieldPath) throws(HearthError) {
        for segment in path.segments { try checkName(segment) }
        let byteCount = path.segments.reduce(path.count - 1) { $0 + $1.utf8.count }
        guard byteCount <= fieldByteCountMax else {
            throw .never("the path of a field has more than \(fieldByteCountMax) bytes.")
        }
    }

    private static func checkName(_ name: String) throws(HearthError) {
        guard !name.isEmpty else { throw .never("the name of a field is empty.") }
        guard name.utf8.count <= fieldByteCountMax else {
            throw .never("the name of a field has more than \(fieldByteCountMax) bytes.")
        }
        guard !PathLimits.isReserved(name) else {
            throw .never("the field \"\(name)\" is named like __this__, which Firestore keeps.")
        }
    }

    // MARK: Values

    private static func check(_ fields: MapValue, depth: Int) throws(HearthError) {
        for entry in fields.entries {
            try checkName(entry.key)
            try check(entry.value, of: entry.key, depth: depth)
        }
    }

    private static func check(
        _ value: Value, of field: String, depth: Int
    ) throws(HearthError) {
        switch value {
        case .null, .boolean, .integer, .double, .timestamp, .geoPoint: return
        case .reference(let name):
            try check(name.path)
        case .serverTimestamp:
            throw .never("the field \"\(field)\" holds a time that is still to come.")
        case .string(let text): try checkLength(text.utf8.count, of: field)
        case .bytes(let bytes): try checkLength(bytes.count, of: field)
        case .array(let elements):
            try checkDepth(depth, of: field)
            for element in elements { try checkElement(element, of: field, depth: depth + 1) }
        case .map(let map):
            try checkDepth(depth, of: field)
            if let elements = map.vectorElements { return try checkVector(elements, of: field) }
            try check(map, depth: depth + 1)
        }
    }

    private static func checkElement(
        _ element: Value, of field: String, depth: Int
    ) throws(HearthError) {
        switch element {
        case .array: throw .never("the field \"\(field)\" holds an array in an array.")
        case .map, .null, .boolean, .integer, .double, .timestamp, .serverTimestamp, .string,
            .bytes, .reference, .geoPoint:
            try check(element, of: field, depth: depth)
        }
    }

    private static func checkDepth(_ depth: Int, of field: String) throws(HearthError) {
        guard depth < nestingMax else {
            throw .never("the field \"\(field)\" holds maps and arrays over \(nestingMax) deep.")
        }
    }

    private static func checkLength(_ byteCount: Int, of field: String) throws(HearthError) {
        guard byteCount <= valueByteCountMax else {
            throw .never("the field \"\(field)\" has more than \(valueByteCountMax) bytes.")
        }
    }

    private static func checkVector(
        _ elements: [Value], of field: String
    ) throws(HearthError) {
        guard (1...vectorCountMax).contains(elements.count),
            elements.allSatisfy(\.isNumber)
        else {
            throw .never(
                "the vector in the field \"\(field)\" does not hold 1 to \(vectorCountMax) "
                    + "numbers.")
        }
    }

    // MARK: Transforms

    private static func check(_ transforms: [FieldTransform]) throws(HearthError) {
        guard transforms.count <= transformCountMax else {
            throw .never("it has more than \(transformCountMax) transforms.")
        }
        for transform in transforms {
            try check(transform.field)
            switch transform.operation {
            case .serverTimestamp, .increment, .maximum, .minimum: break
            case .arrayUnion(let elements), .arrayRemove(let elements):
                try check(.array(elements), of: transform.field.canonicalString, depth: 0)
            }
        }
    }

    // MARK: Sizes

    private static func checkSize(of fields: MapValue, in key: DocumentKey) throws(HearthError) {
        // The document itself counts for 32 bytes.
        let byteCount = key.path.storedByteCount + fields.storedByteCount + 32
        guard byteCount <= documentByteCountMax else {
            throw .never(
                "the document has \(byteCount) bytes, and may have \(documentByteCountMax).")
        }
    }

    /// A path for a message, cut where it grows long.
    private static func shown(_ key: DocumentKey) -> String {
        let path = key.path.string
        return path.utf8.count <= 200 ? path : String(path.prefix(100)) + "..."
    }
}

extension HearthError {
    /// A write that nobody can ever send.
    fileprivate static func never(_ reason: String) -> HearthError {
        HearthError(code: .invalidArgument, message: reason)
    }
}
