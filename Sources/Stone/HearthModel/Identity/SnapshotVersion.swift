/// A moment of the backend's history. Zero, when nothing has been heard.
package struct SnapshotVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The backend's time, with all the digits received.
    package let timestamp: Timestamp

    /// Wraps a time.
    package init(_ timestamp: Timestamp) {
        self.timestamp = timestamp
    }

    /// Before everything.
    package static let zero = SnapshotVersion(Timestamp(seconds: 0, nanoseconds: 0))

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.timestamp < rhs.timestamp }
    package var description: String { timestamp.description }
}
