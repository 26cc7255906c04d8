/// Wraps a value: wrappers are equal, and hash alike, if the order holds the values equal.
package struct EquivalentValue: Hashable, Sendable {
    private let value: Value

    /// Brings a value into a normal form that all equivalent values share.
    package init(_ value: Value) {
        self.value = Self.normalised(value)
    }

    private static func normalised(_ value: Value) -> Value {
        switch value {
        case .double(let number):
            // Zero has two signs and each whole number two types.
            guard let whole = Int64(exactly: number) else { return .double(number) }
            return .integer(whole)
        case .geoPoint(let point):
            return .geoPoint(
                GeoPoint(latitude: point.latitude + 0, longitude: point.longitude + 0))
        case .array(let elements): return .array(elements.map(normalised))
        case .map(let map):
            return .map(
                MapValue(
                    entries: map.entries.map { .init(key: $0.key, value: normalised($0.value)) }))
        case .null, .boolean, .integer, .timestamp, .serverTimestamp, .string, .bytes, .reference:
            return value
        }
    }
}
