import HearthEngine
import HearthModel
import HearthRealtime
import HearthServer
import HearthWire
import Testing

/// Writes to the Realtime Database that are sent again and that nobody knows.
struct ForgottenNodeWriteTests {
    private func machine() throws -> SessionMachine {
        var configuration = SessionMachine.Configuration(
            session: 7, peer: Peer(uid: 60_001, gid: 60_001, pid: 42),
            directory: DatabaseDirectory(database: nil, instance: InstanceID(project: "demo")),
            limits: .init(listenerCountMax: 3, requestCountMax: 3), daemonVersion: "test")
        configuration.storeGeneration = 7
        var machine = SessionMachine(configuration)
        let hello = Hello(
            client: .init(high: 1, low: 2), program: "tests", database: .realtime(.standard))
        _ = machine.received(.session(.hello(hello)), number: 1)
        _ = machine.attached()
        return machine
    }

    private let change = RealtimeChange.set(
        WritePath("/a"), UnresolvedNode(Node(.integer(1))))

    @Test func `a write that was sent to other stores is told from a new one`() throws {
        for (number, sentTo) in zip(UInt64(2)..., [UInt64(0), 7, 8]) {
            var machine = try machine()
            let write = InstanceRequest.Write(
                sequence: 5, answeredBelow: 3, change: change, sentTo: sentTo)
            let actions = machine.received(.realtime(.write(write)), number: number)
            guard case .submit(.realtime(.write(let request)))? = actions.first else {
                Issue.record("\(actions)")
                return
            }
            #expect(request.wasSentElsewhere == (sentTo == 8))
        }
    }

    @Test func `a write whose outcome nobody knows is rejected so, and was never accepted`() throws
    {
        var machine = try machine()
        let write = InstanceRequest.Write(sequence: 5, answeredBelow: 3, change: change)
        _ = machine.received(.realtime(.write(write)), number: 2)
        let error = HearthError(code: .aborted, message: "Who knows.")
        let rejected = Event.WriteRejected(
            sequence: 5, batch: .none, error: error, mayHaveBeenApplied: true,
            isOutcomeUnknown: true)
        #expect(
            machine.delivered(
                realtime: .settle(2, .none, .rejected(error, mayHaveBeenApplied: true)))
                == [.reply(.writeRejected(rejected), 2)])
        #expect(machine.openRequestCount == 0)
    }
}
