import HearthFirestore
import HearthModel

extension ClosedDoor {
    /// The door beside a `SilentUpstream`.
    static let silent = ClosedDoor(
        HearthError(code: .unavailable, message: "This test has no backend."))
}
