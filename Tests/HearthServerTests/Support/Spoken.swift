import HearthFirestore
import HearthModel
import HearthServer
import HearthWire

/// A machine of session 7, and a client that speaks with it.
struct Spoken: ~Copyable {
    static let database = DatabaseID(project: "demo")

    var machine: SessionMachine

    init(
        peer: Peer = Peer(uid: 1_000, gid: 100, pid: 42, unit: "app.service"),
        defaultDatabase: DatabaseID? = Self.database, listenerCountMax: Int = 2,
        requestCountMax: Int = 2, storeGeneration: UInt64 = 0
    ) {
        var configuration = SessionMachine.Configuration(
            session: 7, peer: peer, directory: DatabaseDirectory(database: defaultDatabase),
            limits: SessionLimits(
                listenerCountMax: listenerCountMax, requestCountMax: requestCountMax),
            daemonVersion: "test")
        configuration.storeGeneration = storeGeneration
        machine = SessionMachine(configuration)
    }

    /// A machine that has welcomed its client.
    static func open(
        _ hello: Hello = Hello(client: .init(high: 1, low: 2), program: "tests"),
        peer: Peer = Peer(uid: 1_000, gid: 100, pid: 42, unit: "app.service"),
        storeGeneration: UInt64 = 0
    ) -> Spoken {
        var spoken = Spoken(peer: peer, storeGeneration: storeGeneration)
        _ = spoken.machine.received(.session(.hello(hello)), number: 1)
        _ = spoken.machine.attached()
        return spoken
    }

    /// The codes of the failures among actions, with the request they answer; "end" for the session's.
    static func failures(_ actions: [SessionMachine.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .reply(.failed(let error), let number),
                .reply(.listenFailed(let error), let number):
                "\(number): \(error.code.name)"
            case .end(let error): "end: \(error.code.name)"
            default: nil
            }
        }
    }
}
