import HearthModel

/// A point on the globe, in degrees.
public struct GeoPoint: Hashable, Sendable {
    /// -90 to 90.
    public let latitude: Double
    /// -180 to 180.
    public let longitude: Double

    /// Takes the degrees, which must lie in their ranges.
    public init(latitude: Double, longitude: Double) {
        precondition(
            HearthModel.GeoPoint(latitude: latitude, longitude: longitude).isValid,
            "\(latitude), \(longitude) is no point on the globe")
        self.latitude = latitude
        self.longitude = longitude
    }
}
