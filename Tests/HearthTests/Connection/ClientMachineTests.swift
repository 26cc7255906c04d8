import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct ClientMachineTests: MachineSuite {
    var machine = newMachine

    @Test mutating func `nothing is sent before the daemon has welcomed us`() throws {
        let (_, actions) = try write()
        #expect(actions.isEmpty)
        let greeting = try sent(machine.opened())
        #expect(greeting.count == 1)
        guard case .session(.hello(let hello))? = greeting.first?.request else {
            Issue.record("The first frame was no greeting")
            return
        }
        #expect(hello.client == Hello.Client(high: 1, low: 2))
        #expect(hello.answeredBelow == 1)
        let rest = try sent(machine.received(.welcome(Events.welcome()), number: 1))
        #expect(sequences(rest) == [1])
    }

    @Test mutating func `requests go out in the order in which they were made`() throws {
        _ = try write("a/1")
        let read = machine.nextOperation()
        _ = machine.begin(read, .firestore(.get(Self.rooms, .default)), at: .zero)
        _ = try write("a/2")
        let kinds = try connect().map(\.request.kind)
        #expect(kinds == [6, 3, 6])
    }

    @Test mutating func `no more is sent than the daemon is willing to owe`() throws {
        let ids = try (0..<4).map { _ in try write().id }
        var welcome = Events.welcome()
        welcome.limits.requestCountMax = 2
        _ = machine.opened()
        let first = try sent(machine.received(.welcome(welcome), number: 1))
        #expect(sequences(first) == [1, 2])
        #expect(try sent(write().actions).isEmpty)
        let next = try sent(machine.received(Events.accepted(1), number: first[0].number))
        #expect(sequences(next) == [3])
        #expect(
            try sent(machine.received(Events.committed(1), number: first[0].number)).isEmpty)
        let error = Event.failed(HearthError(code: .resourceExhausted, message: "Full."))
        #expect(sequences(try sent(machine.received(error, number: first[1].number))) == [4])
        _ = machine.end(ids[2])
        machine.lost(at: .zero)
        let again = try connect()
        #expect(sequences(again) == [4, 5])
    }

    @Test mutating func `a read is answered once, and its number forgotten`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.begin(id, .firestore(.get(Self.rooms, .cache)), at: .zero)).first?
                .number)
        let answer = Event.answer(try Events.snapshot(1))
        #expect(machine.received(answer, number: number) == [.answer(id, answer)])
        #expect(machine.received(answer, number: number).isEmpty)
        #expect(!machine.wantsConnection)
    }

    @Test mutating func `the parts of an answer are joined`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.begin(id, .firestore(.get(Self.rooms, .cache)), at: .zero)).first?
                .number)
        let first = try Events.snapshot(1, [try Events.listed("rooms/a", [:])], hasMore: true)
        let second = try Events.snapshot(1, [try Events.listed("rooms/b", [:])])
        #expect(machine.received(.answer(first), number: number).isEmpty)
        var whole = first
        whole.append(second)
        #expect(
            machine.received(.answer(second), number: number) == [.answer(id, .answer(whole))])
    }

    @Test mutating func `a write is sent again with its number until it is settled`() throws {
        let (id, _) = try write()
        let first = try connect()
        #expect(sequences(first) == [1])
        machine.lost(at: .zero)
        let second = try connect()
        #expect(sequences(second) == [1])
        let number = try #require(second.first?.number)
        #expect(number != first.first?.number)
        #expect(
            machine.received(Events.accepted(1), number: number) == [.accept(id, BatchID(1))])
        machine.lost(at: .zero)
        let third = try connect()
        #expect(sequences(third) == [1])
        let last = try #require(third.first?.number)
        #expect(machine.received(Events.accepted(1), number: last).isEmpty)
        guard case .writeCommitted(let committed) = Events.committed(1) else { return }
        #expect(
            machine.received(.writeCommitted(committed), number: last)
                == [.commit(id, committed)])
        machine.lost(at: .zero)
        #expect(try connect().isEmpty)
    }

    @Test mutating func `a write that nobody waits for is forgotten when it is accepted`() throws {
        _ = try connect()
        let (id, actions) = try write(isAwaited: false)
        let number = try #require(try sent(actions).first?.number)
        #expect(
            machine.received(Events.accepted(1), number: number)
                == [.accept(id, BatchID(1)), .forget(id)])
        #expect(!machine.wantsConnection)
    }

    @Test mutating func `a write that is released before it is accepted still goes out`() throws {
        let (id, _) = try write()
        #expect(machine.release(id).isEmpty)
        let number = try #require(try connect().first?.number)
        #expect(
            machine.received(Events.accepted(1), number: number)
                == [.accept(id, BatchID(1)), .forget(id)])
    }

    @Test mutating func `the daemon is told below which number all is answered`() throws {
        _ = try connect()
        let (_, first) = try write()
        let (_, second) = try write()
        let (_, third) = try write()
        let numbers = try [first, second, third].map { try #require(try sent($0).first?.number) }
        _ = machine.received(Events.committed(2), number: numbers[1])
        #expect(machine.answeredBelow == 1)
        _ = machine.received(Events.committed(1), number: numbers[0])
        #expect(machine.answeredBelow == 3)
        _ = machine.received(Events.committed(3), number: numbers[2])
        #expect(machine.answeredBelow == 4)
        guard case .firestore(.write(let next))? = try sent(try write().actions).first?.request
        else { return }
        #expect(next.sequence == 4)
        #expect(next.answeredBelow == 4)
    }

    @Test mutating func `a rejected write tells whether it may have been applied`() throws {
        _ = try connect()
        let (id, actions) = try write()
        let number = try #require(try sent(actions).first?.number)
        _ = machine.received(Events.accepted(1), number: number)
        let rejected = Event.WriteRejected(
            sequence: 1, batch: BatchID(1),
            error: HearthError(code: .permissionDenied, message: "No."), mayHaveBeenApplied: true)
        #expect(
            machine.received(.writeRejected(rejected), number: number)
                == [.fail(id, FirestoreError(.permissionDenied, "No.", mayHaveBeenApplied: true))])
    }

    @Test mutating func `a write that is sent again tells which stores it was sent to first`()
        throws
    {
        var welcome = Events.welcome()
        welcome.storeGeneration = 7
        _ = machine.opened()
        _ = machine.received(.welcome(welcome), number: 1)
        let id = try write().id
        machine.lost(at: .zero)
        _ = try write("a/new")
        welcome.storeGeneration = 8
        let greeting = try #require(try sent(machine.opened()).first)
        let again = try sent(machine.received(.welcome(welcome), number: greeting.number))
        let generations = again.map { sending -> UInt64? in
            guard case .firestore(.write(let write)) = sending.request else { return nil }
            return write.sentTo
        }
        #expect(generations == [7, 0])
        // The stores do not know it: nobody has accepted it, and it may have been applied.
        let error = HearthError(code: .unknown, message: "Who knows.")
        let rejected = Event.WriteRejected(
            sequence: 1, batch: .none, error: error, mayHaveBeenApplied: true,
            isOutcomeUnknown: true)
        #expect(
            machine.received(.writeRejected(rejected), number: again[0].number)
                == [.fail(id, FirestoreError(.unknown, "Who knows.", mayHaveBeenApplied: true))])
    }

    @Test mutating func `a list that comes in parts is answered as a whole`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.begin(id, .firestore(.pin(.list)), at: .zero)).first?.number)
        let reports = try ["a", "b", "c"].map { name in
            PinReport(
                pin: Pin(
                    id: .init(uid: 7, name: name),
                    query: Query(document: try DocumentKey(parsing: "a/\(name)"))), state: .stale)
        }
        #expect(machine.received(.pins([reports[0]], hasMore: true), number: number).isEmpty)
        #expect(machine.received(.pins([reports[1]], hasMore: true), number: number).isEmpty)
        #expect(
            machine.received(.pins([reports[2]]), number: number) == [.answer(id, .pins(reports))])
    }

    @Test mutating func `references made before the database was known are named when sent`() throws
    {
        let id = machine.nextOperation()
        let reference = Value.reference(
            DocumentName(database: .ofSession, path: ResourcePath(["x", "y"])))
        let mutation = Mutation(
            key: try DocumentKey(parsing: "a/b"),
            kind: .set(["r": reference, "l": .array([.map(["m": reference])])]))
        _ = machine.write(id, .mutations([mutation]), isAwaited: true, at: .zero)
        guard case .firestore(.write(let write))? = try connect().first?.request,
            case .set(let fields)? = write.mutations.first?.kind
        else {
            Issue.record("No write was sent")
            return
        }
        let named = Value.reference(
            DocumentName(database: FakeDaemon.database, path: ResourcePath(["x", "y"])))
        #expect(fields == ["r": named, "l": .array([.map(["m": named])])])
    }

    @Test mutating func `a write that cannot be encoded fails alone`() throws {
        _ = try connect()
        var value = Value.integer(1)
        for _ in 0..<60 { value = .map(["x": value]) }
        let id = machine.nextOperation()
        let mutation = Mutation(key: try DocumentKey(parsing: "a/b"), kind: .set(["x": value]))
        let actions = machine.write(id, .mutations([mutation]), isAwaited: true, at: .zero)
        guard case .fail(id, let error)? = actions.first else {
            Issue.record("It did not fail")
            return
        }
        #expect(error.code == .invalidArgument)
        #expect(machine.answeredBelow == 2)
    }

    @Test mutating func `an answer that cannot be read fails its request alone`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.begin(id, .inquiry(.status), at: .zero)).first?.number)
        #expect(machine.receivedUnreadable(.unknownKind(200), number: number).isEmpty)
        let actions = machine.receivedUnreadable(.noDatabaseYet, number: number)
        guard case .fail(id, let error)? = actions.first else {
            Issue.record("It did not fail")
            return
        }
        #expect(error.code == .dataLoss)
    }

    @Test mutating func `an event that does not answer the request ends it`() throws {
        _ = try connect()
        let (id, actions) = try write()
        let number = try #require(try sent(actions).first?.number)
        guard case .fail(id, let error)? = machine.received(.inSync, number: number).first else {
            Issue.record("It did not fail")
            return
        }
        #expect(error.code == .internal)
    }
}
