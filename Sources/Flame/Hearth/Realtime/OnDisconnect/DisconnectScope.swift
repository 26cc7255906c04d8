import HearthModel

/// Whose end an `onDisconnect` order waits for.
public enum DisconnectScope: Hashable, Sendable, CaseIterable {
    /// The end of the program, or of the machine's connection to the backend, whichever comes
    /// first: other machines' view of this program.
    case programOrMachine
    /// The end of the machine's connection alone, whatever becomes of the program: other machines'
    /// view of this machine.
    case machine
    /// The end of the program alone, which the daemon notices. The backend never hears of the
    /// order, and a lost connection does not carry it out.
    case program

    var wire: OnDisconnectScope {
        switch self {
        case .programOrMachine: .programOrLink
        case .machine: .link
        case .program: .program
        }
    }
}
