import HearthEngine
import HearthModel
import HearthRealtime
import HearthWire
import Testing

@testable import HearthServer

/// A program's orders for its end are judged by the rules that count at the program's end.
struct FarewellAccessTests {
    private func policy(_ rules: String...) throws -> AccessPolicy {
        AccessPolicy(
            rules: try rules.enumerated().map {
                try AccessRuleReader.read($0.element, name: "rule \($0.offset + 1)")
            })
    }

    @Test func `a session that ends before it hears of new rules writes nothing against them`()
        throws
    {
        let instance = try #require(InstanceID(project: "demo"))
        var configuration = SessionMachine.Configuration(
            session: 7, peer: Peer(uid: 60_001, gid: 60_001, pid: 42),
            directory: DatabaseDirectory(database: nil, instance: instance),
            limits: SessionLimits(), daemonVersion: "test")
        configuration.access = try policy("allow everyone read write")
        var machine = SessionMachine(configuration)
        let hello = Hello(
            client: .init(high: 1, low: 2), program: "tests", database: .realtime(.standard))
        _ = machine.received(.session(.hello(hello)), number: 1)
        _ = machine.attached()
        for (number, path) in [(2, "a/x"), (3, "b/x")] as [(UInt64, RealtimePath)] {
            let change = RealtimeChange.set(WritePath(path), UnresolvedNode(Node(1)))
            _ = machine.received(
                .realtime(.onDisconnect(.write(change), .programOrLink)), number: number)
            _ = machine.delivered(realtime: .complete(number))
        }
        #expect(machine.left(under: configuration.access).isEmpty)
        let new = try policy("allow everyone read write", "deny everyone write below a")
        let actions = machine.left(under: new)
        guard actions.count == 1,
            case .submit(.realtime(.denyOrders(session: 7, let places, let error))) = actions[0]
        else {
            Issue.record("\(actions)")
            return
        }
        #expect(places == [WritePath("a/x")] && error.code == .permissionDenied)
    }
}
