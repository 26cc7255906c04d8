/// A vector of doubles, by which the backend finds nearest neighbours.
public struct VectorValue: Hashable, Sendable {
    /// The elements.
    public let array: [Double]

    /// A vector of these elements.
    public init(_ array: [Double]) {
        self.array = array
    }
}

/// The null value, as a field holds it. What `NSNull` is elsewhere.
///
/// When writing, `nil` in an optional means the same.
public struct FirestoreNull: Hashable, Sendable {
    /// Null.
    public init() {}
}
