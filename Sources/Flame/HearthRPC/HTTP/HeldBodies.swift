import Synchronization

/// Counts the bytes of bodies of HTTP/1.1 that a server holds, of all connections together.
final class HeldBodies: Sendable {
    private let byteCountMax: Int
    private let byteCount = Atomic(0)

    /// No bodies.
    init(byteCountMax: Int = ConnectionLimits.heldBodyByteCountMax) {
        self.byteCountMax = byteCountMax
    }

    /// The bytes of one body; free once nobody holds the body any more, on whatever thread.
    final class Share: Sendable {
        private let bodies: HeldBodies
        private let byteCount = Atomic(0)

        /// The share of a body that begins to come.
        init(of bodies: HeldBodies) {
            self.bodies = bodies
        }

        deinit {
            bodies.byteCount.subtract(byteCount.load(ordering: .relaxed), ordering: .relaxed)
        }

        /// Counts bytes that have come.
        ///
        /// - Returns: Whether the server may hold the bytes. If not, the bytes are not counted.
        func take(_ count: Int) -> Bool {
            let total = bodies.byteCount.add(count, ordering: .relaxed).newValue
            guard total <= bodies.byteCountMax else {
                bodies.byteCount.subtract(count, ordering: .relaxed)
                return false
            }
            byteCount.add(count, ordering: .relaxed)
            return true
        }
    }
}
