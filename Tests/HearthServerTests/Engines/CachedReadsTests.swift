import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

/// What is answered without a turn, and when it is forgotten.
struct CachedReadsTests {
    private static let database = DatabaseID(project: "demo")
    private static let codec = WireCodec(database: database)

    private func changes(_ ids: String...) -> DocumentChanges {
        var changes = DocumentChanges()
        for id in ids { changes.insert(Rooms.document(id, 0).key) }
        return changes
    }

    private func reading(_ id: String, _ number: Int64) -> CachedReads.Reading {
        let document = Rooms.document(id, number)
        return .snapshot(document.key, Rooms.snapshot(1, base: nil, [document]))
    }

    /// The number in the remembered document; `nil` if it is not remembered.
    private func remembered(_ id: String, in reads: CachedReads) throws -> Int64? {
        let query = Query(document: Rooms.document(id, 0).key)
        let body = try Self.codec.frame(of: .firestore(.get(query, .cache)), number: 1).body
        guard let frame = reads.answer(to: body.span.bytes) else { return nil }
        guard case .answer(let snapshot) = try Self.codec.event(frame),
            case .integer(let number)? = snapshot.documents.first?.document.fields["n"]
        else {
            Issue.record("the answer cannot be read")
            return nil
        }
        return number
    }

    @Test func `documents read by name are answered together until one of them changes`() throws {
        let reads = CachedReads(database: Self.database)
        let rooms = ["hall", "attic"].map { Rooms.document($0, 1) }
        let keys = rooms.map(\.key)
        reads.update(changes(), [.documents(rooms)])
        #expect(reads.documents(keys)?.documents == rooms)
        #expect(reads.documents(keys.reversed())?.documents == rooms.reversed())
        #expect(reads.documents(keys)?.isFromCache == true)
        #expect(reads.documents(keys + [Rooms.document("cellar", 0).key]) == nil)
        reads.update(changes("attic"), [])
        #expect(reads.documents(keys) == nil)
        #expect(reads.documents([keys[0]])?.documents == [rooms[0]])
    }

    @Test func `what is not known is not remembered, and what is missing is`() throws {
        let reads = CachedReads(database: Self.database)
        let (hall, attic) = (Rooms.document("hall", 0).key, Rooms.document("attic", 0).key)
        reads.update(
            changes(), [.documents([.invalid(hall), .missing(attic, at: .zero)])])
        #expect(reads.documents([hall]) == nil)
        #expect(reads.documents([attic])?.documents.first?.isMissing == true)
    }

    @Test func `a remembered answer tells up to when the backend has been heard`() throws {
        let reads = CachedReads(database: Self.database)
        let hall = Rooms.document("hall", 1)
        var commit = changes()
        commit.heard = SnapshotVersion(Timestamp(seconds: 10, nanoseconds: 0))
        reads.update(commit, [.documents([hall])])
        #expect(reads.documents([hall.key])?.readAt == commit.heard)
        // The backend tells that nothing has changed.
        var later = changes()
        later.heard = SnapshotVersion(Timestamp(seconds: 20, nanoseconds: 0))
        reads.update(later, [])
        #expect(reads.documents([hall.key])?.readAt == later.heard)
    }

    @Test func `what was read is answered again until it changes`() throws {
        let reads = CachedReads(database: Self.database)
        reads.update(changes(), [reading("hall", 1), reading("attic", 2)])
        #expect(try remembered("hall", in: reads) == 1)
        reads.update(changes("hall"), [])
        #expect(try remembered("hall", in: reads) == nil)
        #expect(try remembered("attic", in: reads) == 2)
        #expect(try remembered("cellar", in: reads) == nil)
    }

    @Test func `what a group read and changed, in whatever order, is not remembered`() throws {
        let reads = CachedReads(database: Self.database)
        reads.update(changes("hall"), [reading("hall", 1), reading("attic", 2)])
        #expect(try remembered("hall", in: reads) == nil)
        #expect(try remembered("attic", in: reads) == 2)
    }

    @Test func `a newer reading takes the place of an older one`() throws {
        let reads = CachedReads(database: Self.database)
        reads.update(changes(), [reading("hall", 1)])
        reads.update(changes(), [reading("hall", 2)])
        #expect(try remembered("hall", in: reads) == 2)
    }

    @Test func `when all may have changed, nothing is remembered`() throws {
        let reads = CachedReads(database: Self.database)
        reads.update(changes(), [reading("hall", 1)])
        reads.update(.all, [reading("attic", 2)])
        #expect(try remembered("hall", in: reads) == nil)
        #expect(try remembered("attic", in: reads) == nil)
        #expect(reads.byteCount == 0)
    }

    @Test func `memory is bounded, and what is asked for stays`() throws {
        let reads = CachedReads(
            database: Self.database,
            size: .init(frameByteCountMax: 10_000, documentByteCountMax: 10_000))
        for number in 0..<1_000 {
            reads.update(changes(), [reading("hall", 7)])
            _ = try remembered("hall", in: reads)
            reads.update(changes(), [reading("room\(number)", Int64(number))])
            #expect(reads.byteCount <= 10_000)
            #expect(try remembered("hall", in: reads) == 7)
        }
        #expect(try remembered("room0", in: reads) == nil)
        #expect(try remembered("room999", in: reads) == 999)
        reads.update(changes("room999"), [])
        #expect(try remembered("room999", in: reads) == nil)
    }
}

/// When a session may be answered from memory.
struct SessionMemoryTests {
    private static let database = DatabaseID(project: "demo")

    private func openMachine() -> SessionMachine {
        var machine = SessionMachine(
            SessionMachine.Configuration(
                session: 7, peer: Peer(uid: 1, gid: 1, pid: 1, unit: nil),
                directory: DatabaseDirectory(database: Self.database),
                limits: SessionLimits(listenerCountMax: 9, requestCountMax: 9),
                daemonVersion: "test"))
        _ = machine.received(.session(.hello(Hello(client: .anonymous, program: ""))), number: 1)
        _ = machine.attached()
        return machine
    }

    private func mayAnswer(_ machine: borrowing SessionMachine, number: UInt64 = 9) -> Bool {
        machine.mayAnswerFromMemory(kind: CachedGet.kind, number: number)
    }

    @Test func `not before the session is open, and only gets with a number of their own`() throws {
        let key = Rooms.document("hall", 0).key
        let greeting = SessionMachine(
            SessionMachine.Configuration(
                session: 7, peer: Peer(uid: 1, gid: 1, pid: 1, unit: nil),
                directory: DatabaseDirectory(database: Self.database),
                limits: SessionLimits(listenerCountMax: 9, requestCountMax: 9),
                daemonVersion: "test"))
        #expect(mayAnswer(greeting) == false)
        var machine = openMachine()
        #expect(mayAnswer(machine) == true)
        #expect(mayAnswer(machine, number: 0) == false)
        #expect(machine.mayAnswerFromMemory(kind: CachedGet.kind + 1, number: 9) == false)
        _ = machine.received(.firestore(.get(Query(document: key), .cache)), number: 9)
        #expect(mayAnswer(machine) == false)
        #expect(mayAnswer(machine, number: 10) == true)
    }

    @Test func `not while a write of the session's own waits`() throws {
        var machine = openMachine()
        let mutation = Mutation(key: Rooms.document("hall", 0).key, kind: .delete)
        _ = machine.received(
            .firestore(.write(.init(sequence: 1, answeredBelow: 0, mutations: [mutation]))),
            number: 2)
        #expect(mayAnswer(machine) == false)
        _ = machine.delivered(.accept(2, BatchID(1)))
        #expect(mayAnswer(machine) == true)
        _ = machine.received(
            .firestore(.write(.init(sequence: 2, answeredBelow: 0, mutations: [mutation]))),
            number: 3)
        #expect(mayAnswer(machine) == false)
        _ = machine.delivered(.refuse(3, HearthError(code: .unavailable, message: "")))
        #expect(mayAnswer(machine) == true)
    }

    @Test func `not while a bundle is sent or loaded`() throws {
        var machine = openMachine()
        _ = machine.received(.firestore(.loadBundle(.init(data: [], hasMore: true))), number: 2)
        #expect(mayAnswer(machine) == false)
        _ = machine.delivered(.refuse(2, HearthError(code: .unavailable, message: "")))
        #expect(mayAnswer(machine) == true)
    }
}
