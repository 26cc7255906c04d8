/// Firebase's user, to whom a queue and its overlays belong. Not a Unix uid.
package struct UserID: Hashable, Sendable, CustomStringConvertible {
    /// The id, empty for nobody.
    package let rawValue: String

    /// Wraps an id; empty means unauthenticated.
    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nobody is signed in.
    package static let unauthenticated = UserID("")

    package var description: String { rawValue.isEmpty ? "unauthenticated" : rawValue }
}
