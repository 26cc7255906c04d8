import HearthModel

func path(_ text: String) -> ResourcePath {
    guard let path = try? ResourcePath(parsing: text) else {
        preconditionFailure("\(text) is no path")
    }
    return path
}

func key(_ text: String) -> DocumentKey {
    guard let key = try? DocumentKey(parsing: text) else {
        preconditionFailure("\(text) is no document's path")
    }
    return key
}

func field(_ text: String) -> FieldPath {
    guard let field = try? FieldPath(dotted: text) else {
        preconditionFailure("\(text) is no field path")
    }
    return field
}

func reference(
    _ text: String, project: String = "demo", database: String = DatabaseID.defaultName
) -> Value {
    let id = DatabaseID(project: project, database: database)
    return .reference(DocumentName(database: id, path: path(text)))
}

func map(_ fields: MapValue) -> Value { .map(fields) }

func found(_ text: String, _ fields: MapValue, at microseconds: Int64 = 1) -> Document {
    .found(key(text), at: version(microseconds), fields)
}

func version(_ microseconds: Int64) -> SnapshotVersion {
    SnapshotVersion(Timestamp(microseconds: microseconds))
}

func mask(_ paths: String...) -> FieldMask { FieldMask(paths.map(field)) }

func hash(_ value: some Hashable) -> Int {
    var hasher = Hasher()
    hasher.combine(value)
    return hasher.finalize()
}

/// A number's sign: -1, 0 or 1.
func sign(_ order: Int) -> Int { order.signum() }

/// A short spelling that tells apart all that strict equality tells apart.
func notation(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let flag): "\(flag)"
    case .integer(let number): "i\(number)"
    case .double(let number): "d\(bits(of: number))"
    case .timestamp(let time): "t\(time.seconds).\(time.nanoseconds)"
    case .serverTimestamp(let pending): "pending\(pending.localWriteTime)"
    case .string(let text): "s\(hexadecimal(text.utf8))"
    case .bytes(let bytes): "b\(hexadecimal(bytes))"
    case .reference(let name):
        "r\(name.database.project)/\(name.database.database)/\(name.path)"
    case .geoPoint(let point): "g\(bits(of: point.latitude)),\(bits(of: point.longitude))"
    case .array(let elements): "[\(elements.map(notation(of:)).joined(separator: ","))]"
    case .map(let map):
        "{"
            + map.entries.map { "\(hexadecimal($0.key.utf8)):\(notation(of: $0.value))" }
            .joined(separator: ",") + "}"
    }
}

private func bits(of number: Double) -> String {
    if number.isNaN { return "NaN" }
    let digits = String(number.bitPattern, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

/// Bytes as pairs of digits.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { byte in
        let digits = String(byte, radix: 16)
        return digits.count == 1 ? "0\(digits)" : digits
    }.joined()
}

/// Pairs of digits as bytes.
func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = text.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
