import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

struct SessionSendingTests {
    @Test func `a write that can never be sent upstream is refused at the door`() throws {
        var machine = SessionMachine(
            SessionMachine.Configuration(
                session: 7, peer: Peer(uid: 0, gid: 0, pid: 1),
                directory: DatabaseDirectory(database: DatabaseID(project: "demo")),
                limits: SessionLimits(listenerCountMax: 2, requestCountMax: 2),
                daemonVersion: "test"))
        _ = machine.received(
            .session(.hello(Hello(client: .init(high: 1, low: 2), program: "tests"))), number: 1)
        _ = machine.attached()
        let map: MapValue = [
            "__type__": .string("server_timestamp"),
            "__local_write_time__": .timestamp(Timestamp(microseconds: 1)),
        ]
        let key = try DocumentKey(parsing: "rooms/hall")
        let bad = [Mutation(key: key, kind: .set(["t": .map(map)]))]
        let requests: [Request] = [
            .firestore(
                .write(FirestoreRequest.Write(sequence: 1, answeredBelow: 0, mutations: bad))),
            .firestore(.commit(bad)),
            .administration(.steerQueue(.edit(BatchID(1), bad))),
            .administration(.steerQueue(.editDeadLetter(BatchID(1), bad, evenIfApplied: false))),
        ]
        for (index, request) in requests.enumerated() {
            let number = UInt64(index) + 2
            let actions = machine.received(request, number: number)
            guard case .reply(.failed(let error), number)? = actions.first, actions.count == 1
            else {
                Issue.record("\(request) was let in: \(actions)")
                continue
            }
            #expect(error.code == .invalidArgument)
        }
    }
}
