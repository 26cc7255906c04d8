import HearthEngine
import HearthModel
import HearthWire

@testable import Hearth

/// A suite about one machine that speaks to an instance of the Realtime Database.
protocol InstanceMachineSuite: MachineSuite {}

extension InstanceMachineSuite {
    /// A machine that was asked for nothing.
    static var newInstanceMachine: ClientMachine {
        ClientMachine(
            ClientMachine.Configuration(
                client: Hello.Client(high: 1, low: 2), program: "test",
                database: .realtime(.standard), socketPath: "/there", connectTimeout: .seconds(10)))
    }

    static var codec: WireCodec { WireCodec(FakeDaemon.instance) }
    static var rooms: ListenTarget { ListenTarget("rooms", .all) }

    func requests(_ actions: [Action]) throws -> [(request: Request, number: UInt64)] {
        try actions.compactMap { action in
            guard case .send(let frame) = action else { return nil }
            return (try Self.codec.request(frame), frame.request)
        }
    }

    /// Connects, and returns what the machine asks for then.
    mutating func open() throws -> [(request: Request, number: UInt64)] {
        _ = machine.opened()
        return try requests(
            machine.received(.welcome(Events.welcome(to: FakeDaemon.instance)), number: 1))
    }

    func parts(_ news: ViewNews, _ byteCountMax: Int) -> [Event] {
        var parts = NodeParts(of: news, partByteCountMax: byteCountMax)
        var events: [Event] = []
        while let event = parts.nextEvent() { events.append(event) }
        return events
    }
}
