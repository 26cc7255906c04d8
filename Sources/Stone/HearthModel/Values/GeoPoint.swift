/// A point on the globe, in degrees.
package struct GeoPoint: Hashable, Sendable {
    /// -90 to 90.
    package let latitude: Double
    /// -180 to 180.
    package let longitude: Double

    /// Takes the degrees as they are; who reads them from outside checks their range.
    package init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both degrees lie in their ranges.
    package var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude)
    }

    package static func == (lhs: Self, rhs: Self) -> Bool {
        strictlyEqual(lhs.latitude, rhs.latitude) && strictlyEqual(lhs.longitude, rhs.longitude)
    }

    package func hash(into hasher: inout Hasher) {
        hashStrictly(latitude, into: &hasher)
        hashStrictly(longitude, into: &hasher)
    }
}

/// Equality that holds NaN equal to NaN, and 0.0 different from -0.0.
func strictlyEqual(_ lhs: Double, _ rhs: Double) -> Bool {
    lhs.isNaN ? rhs.isNaN : lhs.bitPattern == rhs.bitPattern
}

/// A hash that agrees with `strictlyEqual`.
func hashStrictly(_ number: Double, into hasher: inout Hasher) {
    hasher.combine(number.isNaN ? Double.nan.bitPattern : number.bitPattern)
}
