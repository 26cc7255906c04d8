import HearthModel

/// Turns values of the model into the values that a programmer reads.
struct ValueDecoder {
    /// The database of the references in the values; `nil` if the values hold no reference.
    let firestore: Firestore?
    /// What a server timestamp shows that the backend has not set yet.
    let behavior: ServerTimestampBehavior
    /// Whether a map in which Swift takes two names for one becomes a `SpelledMap`, which loses none.
    var keepsSpellings = false

    /// A map's fields. If Swift compares two names as equal (two spellings of "é"), one field
    /// remains.
    func decode(_ map: MapValue) -> [String: any Sendable] {
        var result: [String: any Sendable] = [:]
        for entry in map.entries { result[entry.key] = decode(entry.value) }
        return result
    }

    /// One value.
    func decode(_ value: Value) -> any Sendable {
        switch value {
        case .null: return FirestoreNull()
        case .boolean(let flag): return flag
        case .integer(let number): return Int(number)
        case .double(let number): return number
        case .timestamp(let time): return Timestamp(time)
        case .serverTimestamp(let pending): return decode(pending)
        case .string(let text): return text
        case .bytes(let bytes): return bytes
        case .reference(let name):
            guard let key = name.key, let firestore else { return name.description }
            return DocumentReference(firestore: firestore, key: key, database: name.database)
        case .geoPoint(let point):
            return GeoPoint(latitude: point.latitude, longitude: point.longitude)
        case .array(let elements): return elements.map(decode)
        case .map(let map):
            if let elements = map.vectorElements { return VectorValue(elements.map(Self.double)) }
            return keepsSpellings ? spelled(map).simplest : decode(map)
        }
    }

    /// A map's fields, told apart by the bytes of their names.
    func spelled(_ map: MapValue) -> SpelledMap {
        SpelledMap(map.entries.map { SpelledMap.Field($0.key, decode($0.value)) })
    }

    private func decode(_ pending: PendingServerTimestamp) -> any Sendable {
        switch behavior {
        case .none: return FirestoreNull()
        case .estimate: return Timestamp(pending.localWriteTime)
        case .previous: return pending.previousValue.map(decode) ?? FirestoreNull()
        }
    }

    private static func double(_ value: Value) -> Double {
        switch value {
        case .double(let number): number
        case .integer(let number): Double(number)
        case .null, .boolean, .timestamp, .serverTimestamp, .string, .bytes, .reference, .geoPoint,
            .array, .map:
            0
        }
    }
}
