import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

/// What a session keeps while it waits for more.
struct BegunBundleTests {
    private func machine(bundleByteCountMax: Int = 1_000) -> SessionMachine {
        var configuration = SessionMachine.Configuration(
            session: 7, peer: Peer(uid: 60_001, gid: 1, pid: 1),
            directory: DatabaseDirectory(database: DatabaseID(project: "demo")),
            limits: .init(listenerCountMax: 9, requestCountMax: 9), daemonVersion: "test")
        configuration.limits.memory.bundleByteCountMax = bundleByteCountMax
        var machine = SessionMachine(configuration)
        _ = machine.received(.session(.hello(Hello(client: .anonymous, program: ""))), number: 1)
        _ = machine.attached()
        return machine
    }

    private func part(_ byteCount: Int) -> Request {
        .firestore(
            .loadBundle(.init(data: [UInt8](repeating: 0x7A, count: byteCount), hasMore: true)))
    }

    private func failure(_ actions: [SessionMachine.Action], _ number: UInt64) -> HearthError? {
        for case .reply(.failed(let error), number) in actions { return error }
        return nil
    }

    @Test func `all bundles that a session has begun are bounded together`() {
        var machine = machine()
        #expect(failure(machine.received(part(600), number: 2), 2) == nil)
        #expect(failure(machine.received(part(300), number: 3), 3) == nil)
        let before = machine.heldByteCount
        #expect(before >= 900)
        let error = failure(machine.received(part(200), number: 3), 3)
        #expect(error?.code == .resourceExhausted)
        #expect(error?.message.contains("limits.bundleByteCountMax = 1000 bytes") == true)
        #expect(machine.heldByteCount < before - 299)
        #expect(failure(machine.received(part(400), number: 4), 4) == nil)
    }

    @Test func `a bundle whose next part does not come ends, and one that goes on does not`() {
        var machine = machine()
        _ = machine.received(part(10), number: 2)
        _ = machine.received(part(10), number: 3)
        let earlier = machine.begunBundles
        _ = machine.received(part(10), number: 3)
        let actions = machine.bundlesTimedOut(earlier)
        #expect(actions.count == 1)
        #expect(failure(actions, 2)?.code == .deadlineExceeded)
        #expect(Set(machine.begunBundles.keys) == [3])
        let later = machine.bundlesTimedOut(earlier)
        #expect(later.isEmpty)
    }

    @Test func `a request counts as held until it is answered`() throws {
        var machine = machine()
        let empty = machine.heldByteCount
        let query = Query(path: try ResourcePath(parsing: String(repeating: "a", count: 500)))
        let frame = try machine.codec.frame(of: .firestore(.get(query, .cache)), number: 2)
        _ = machine.received(kind: frame.kind, number: 2, body: frame.body.span.bytes)
        #expect(machine.heldByteCount >= empty + 500)
        #expect(machine.waitingByteCount == frame.body.count)
        let error = HearthError(code: .unavailable, message: "")
        _ = machine.delivered(.refuse(2, error))
        #expect(machine.heldByteCount == empty)
        #expect(machine.waitingByteCount == 0)
    }

    @Test(arguments: [
        ("demo", "(default)", true), ("example.com:demo", "a-b-c", true), ("", "x", false),
        ("a b", "x", false), ("é", "x", false), ("a\u{1B}", "x", false), ("..", "x", false),
        (String(repeating: "a", count: 128), "x", true),
        (String(repeating: "a", count: 129), "x", false),
        (String(repeating: ".", count: 100), "x", false),
    ])
    func `an id that no database can have is refused at the door`(
        project: String, name: String, isTaken: Bool
    ) {
        let configuration = SessionMachine.Configuration(
            session: 7, peer: Peer(uid: 60_001, gid: 1, pid: 1),
            directory: DatabaseDirectory(database: nil),
            limits: .init(listenerCountMax: 9, requestCountMax: 9), daemonVersion: "test")
        var machine = SessionMachine(configuration)
        let database = DatabaseID(project: project, database: name)
        let hello = Hello(
            client: .anonymous, program: "", database: .firestore(.exactly(database)))
        let actions = machine.received(.session(.hello(hello)), number: 1)
        #expect((actions == [.attach(.firestore(database))]) == isTaken, "\(actions)")
    }

    @Test func `who may do nothing in a database has none opened`() throws {
        func mayOpen(_ rules: String...) throws -> Bool {
            var configuration = SessionMachine.Configuration(
                session: 7, peer: Peer(uid: 60_001, gid: 1, pid: 1),
                directory: DatabaseDirectory(database: DatabaseID(project: "demo")),
                limits: .init(listenerCountMax: 9, requestCountMax: 9), daemonVersion: "test")
            configuration.access = AccessPolicy(
                rules: try rules.map { try AccessRuleReader.read($0, name: "x") })
            var machine = SessionMachine(configuration)
            _ = machine.received(
                .session(.hello(Hello(client: .anonymous, program: ""))), number: 1)
            return machine.mayOpenDatabase
        }
        #expect(try !mayOpen())
        #expect(try !mayOpen("allow uid 7 read", "deny everyone write"))
        #expect(try !mayOpen("allow everyone read in other"))
        #expect(try mayOpen("allow everyone read below a/b"))
    }
}
