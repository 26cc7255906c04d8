import HearthEngine
import HearthModel
import HearthWire

/// Who speaks in a session, as the engines are told.
struct SessionIdentity: Sendable {
    /// The session's number.
    let session: UInt64
    /// Who asks, as the kernel says.
    let peer: Peer
    /// Who asks, as the program says.
    let greeting: Hello
    /// The number of the daemon's stores, which a restore changes; 0 if there is none.
    let storeGeneration: UInt64

    /// Knows a session that has greeted.
    init(_ configuration: SessionMachine.Configuration, _ greeting: Hello) {
        session = configuration.session
        peer = configuration.peer
        storeGeneration = configuration.storeGeneration
        self.greeting = greeting
    }

    /// The engine's name for a request of the session.
    func request(_ number: UInt64) -> RequestID { RequestID(session: session, number: number) }

    /// The engine's name for a listener of the session.
    func listener(_ number: UInt64) -> ListenerID { ListenerID(session: session, number: number) }

    /// The client's identity; `nil` for a client that never sends a write again.
    var client: ClientID? {
        let client = greeting.client
        return client == .anonymous ? nil : ClientID(high: client.high, low: client.low)
    }

    /// What a write has in common with the same write sent again; `nil` if it never will be.
    func identity(ofWrite sequence: UInt64) -> WriteIdentity? {
        guard sequence != 0, let client else { return nil }
        return WriteIdentity(uid: peer.uid, client: client, sequence: sequence)
    }

    /// Whether a write was sent to other stores before than the daemon has now.
    func isElsewhere(_ sentTo: UInt64) -> Bool {
        sentTo != 0 && storeGeneration != 0 && sentTo != storeGeneration
    }

    /// Who writes.
    var writer: Writer {
        peer.writer(greeting.program.isEmpty ? nil : greeting.program)
    }
}
