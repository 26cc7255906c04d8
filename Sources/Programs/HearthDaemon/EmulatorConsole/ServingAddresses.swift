import Synchronization

/// Where an emulator serves: at first the wanted addresses, later the addresses with the ports that
/// the system chose.
///
/// A console begins before the emulator, which alone knows the port that the system chose for port 0.
final class ServingAddresses: Sendable {
    private let state: Mutex<String>

    /// Begins with the addresses that were asked for.
    init(_ asked: [String]) {
        state = Mutex(asked.joined(separator: " "))
    }

    /// The addresses, with spaces between them.
    var text: String { state.withLock { $0 } }

    /// The emulator accepts connections at these addresses.
    func became(_ bound: some Sequence<String>) {
        let text = bound.joined(separator: " ")
        state.withLock { $0 = text }
    }
}
