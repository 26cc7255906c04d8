import HearthModel
import HearthWire

@testable import Hearth

/// A suite about one machine, and the shared steps of such suites.
protocol MachineSuite {
    var machine: ClientMachine { get set }
}

extension MachineSuite {
    typealias Action = ClientMachine.Action
    typealias OperationID = ClientMachine.OperationID

    /// A machine that was asked for nothing.
    static var newMachine: ClientMachine {
        ClientMachine(
            ClientMachine.Configuration(
                client: Hello.Client(high: 1, low: 2), program: "test",
                database: .firestore(.standard),
                socketPath: "/there", connectTimeout: .seconds(10)))
    }

    static var rooms: HearthModel.Query { HearthModel.Query(path: ResourcePath(["rooms"])) }
    static var codec: WireCodec { WireCodec(database: FakeDaemon.database) }

    /// The requests among the actions, each with its number.
    func sent(_ actions: [Action]) throws -> [(request: Request, number: UInt64)] {
        try actions.compactMap { action in
            guard case .send(let frame) = action else { return nil }
            return (try Self.codec.request(frame), frame.request)
        }
    }

    mutating func connect() throws -> [(request: Request, number: UInt64)] {
        _ = machine.opened()
        return try sent(machine.received(.welcome(Events.welcome()), number: 1))
    }

    mutating func write(
        _ path: String = "a/b", isAwaited: Bool = true
    ) throws -> (id: OperationID, actions: [Action]) {
        let id = machine.nextOperation()
        let mutation = Mutation(key: try DocumentKey(parsing: path), kind: .delete)
        return (id, machine.write(id, .mutations([mutation]), isAwaited: isAwaited, at: .zero))
    }

    func sequences(_ sent: [(request: Request, number: UInt64)]) -> [UInt64] {
        sent.compactMap {
            if case .firestore(.write(let write)) = $0.request { write.sequence } else { nil }
        }
    }
}
