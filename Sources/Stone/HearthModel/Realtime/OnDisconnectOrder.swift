/// What happens when a program or its machine is gone.
package enum OnDisconnectOrder: Hashable, Sendable {
    /// A write is made then, in addition to what was ordered before.
    case write(RealtimeChange)
    /// What was ordered for this place and the places below is forgotten.
    case cancel(RealtimePath)
}

/// Whose end an `OnDisconnectOrder` waits for.
package enum OnDisconnectScope: Hashable, Sendable, CaseIterable {
    /// The program's, and the connection's to the backend: whichever ends first.
    case programOrLink
    /// The connection's alone, which outlives the program.
    case link
    /// The program's alone; the backend never hears of the order.
    case program
}
