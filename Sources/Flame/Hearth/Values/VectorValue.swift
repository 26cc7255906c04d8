/// A vector of doubles. The backend searches nearest neighbours by vectors.
public struct VectorValue: Hashable, Sendable {
    /// The elements.
    public let array: [Double]

    /// A vector of these elements.
    public init(_ array: [Double]) {
        self.array = array
    }
}

/// The null value of a field, which Firebase's other libraries call `NSNull`.
///
/// In data to write, `nil` in an optional means the same.
public struct FirestoreNull: Hashable, Sendable {
    /// Null.
    public init() {}
}
