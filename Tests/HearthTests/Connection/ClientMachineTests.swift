import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct ClientMachineTests {
    private typealias Action = ClientMachine.Action
    private typealias OperationID = ClientMachine.OperationID

    private var machine = ClientMachine(
        ClientMachine.Configuration(
            client: Hello.Client(high: 1, low: 2), program: "test", database: nil,
            socketPath: "/there", connectTimeout: .seconds(10)))

    private static let rooms = HearthModel.Query(path: ResourcePath(["rooms"]))
    private static let codec = WireCodec(database: FakeDaemon.database)

    /// The requests among the actions, each with its number.
    private func sent(_ actions: [Action]) throws -> [(request: Request, number: UInt64)] {
        try actions.compactMap { action in
            guard case .send(let frame) = action else { return nil }
            return (try Self.codec.request(frame), frame.request)
        }
    }

    private mutating func connect() throws -> [(request: Request, number: UInt64)] {
        _ = machine.opened()
        return try sent(machine.received(.welcome(Events.welcome()), number: 1))
    }

    private mutating func write(
        _ path: String = "a/b", isAwaited: Bool = true
    ) throws -> (id: OperationID, actions: [Action]) {
        let id = machine.nextOperation()
        let mutation = Mutation(key: try DocumentKey(parsing: path), kind: .delete)
        return (id, machine.write(id, [mutation], isAwaited: isAwaited, at: .zero))
    }

    private func sequences(_ sent: [(request: Request, number: UInt64)]) -> [UInt64] {
        sent.compactMap {
            if case .write(let write) = $0.request { write.sequence } else { nil }
        }
    }

    @Test mutating func `nothing is sent before the daemon has welcomed us`() throws {
        let (_, actions) = try write()
        #expect(actions.isEmpty)
        let greeting = try sent(machine.opened())
        #expect(greeting.count == 1)
        guard case .hello(let hello)? = greeting.first?.request else {
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
        _ = machine.begin(read, .get(Self.rooms, .default), at: .zero)
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

    @Test mutating func `a listener overtakes no write that waits`() throws {
        _ = try write()
        _ = try write()
        _ = machine.listen(
            machine.nextOperation(), to: Self.rooms, Request.ListenOptions(), at: .zero)
        var welcome = Events.welcome()
        welcome.limits.requestCountMax = 1
        _ = machine.opened()
        let first = try sent(machine.received(.welcome(welcome), number: 1))
        #expect(first.map(\.request.kind) == [6])
        let next = try sent(machine.received(Events.accepted(1), number: first[0].number))
        #expect(next.map(\.request.kind) == [6, 4])
    }

    @Test mutating func `a read is answered once, and its number forgotten`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.begin(id, .get(Self.rooms, .cache), at: .zero)).first?.number)
        let answer = Event.answer(try Events.snapshot(1))
        #expect(machine.received(answer, number: number) == [.answer(id, answer)])
        #expect(machine.received(answer, number: number).isEmpty)
        #expect(!machine.wantsConnection)
    }

    @Test mutating func `the parts of an answer are joined`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.begin(id, .get(Self.rooms, .cache), at: .zero)).first?.number)
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
        guard case .write(let next)? = try sent(try write().actions).first?.request else { return }
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

    @Test mutating func `a listener listens again after a reconnect and is told what changed`()
        throws
    {
        let id = machine.nextOperation()
        _ = machine.listen(id, to: Self.rooms, Request.ListenOptions(), at: .zero)
        let first = try #require(try connect().first?.number)
        let whole = try Events.snapshot(5, [try Events.listed("rooms/a", [:])])
        #expect(machine.received(.snapshot(whole), number: first).count == 1)
        machine.lost(at: .zero)
        let second = try #require(try connect().first?.number)
        #expect(second != first)
        let same = try Events.snapshot(1, [try Events.listed("rooms/a", [:])])
        #expect(machine.received(.snapshot(same), number: second).isEmpty)
    }

    @Test mutating func `a listener that lost its base asks anew under another number`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.listen(id, to: Self.rooms, Request.ListenOptions(), at: .zero))
                .first?.number)
        let actions = machine.received(.snapshot(try Events.snapshot(9, base: 8)), number: number)
        let requests = try sent(actions)
        #expect(requests.map(\.request.kind) == [5, 4])
        #expect(requests.first?.number == number)
        #expect(requests.last?.number != number)
        #expect(machine.received(.snapshot(try Events.snapshot(1)), number: number).isEmpty)
    }

    @Test mutating func `an ended listener is unlistened, and late news of it ignored`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.listen(id, to: Self.rooms, Request.ListenOptions(), at: .zero))
                .first?.number)
        let actions = machine.end(id)
        #expect(try sent(actions).map(\.request) == [.unlisten])
        #expect(try sent(actions).map(\.number) == [number])
        #expect(machine.received(.snapshot(try Events.snapshot(1)), number: number).isEmpty)
        #expect(machine.end(id).isEmpty)
    }

    @Test mutating func `a failed listener ends with the daemon's error`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.listen(id, to: Self.rooms, Request.ListenOptions(), at: .zero))
                .first?.number)
        let error = HearthError(code: .permissionDenied, message: "No.")
        #expect(
            machine.received(.listenFailed(error), number: number)
                == [.fail(id, FirestoreError(error))])
        machine.lost(at: .zero)
        #expect(try connect().isEmpty)
    }

    @Test mutating func `a read without a daemon fails when its time is up`() throws {
        let id = machine.nextOperation()
        _ = machine.begin(id, .get(Self.rooms, .default), at: .seconds(5))
        #expect(machine.nextDeadline == .seconds(15))
        #expect(machine.timePassed(now: .seconds(14), reason: "no such file").isEmpty)
        let actions = machine.timePassed(now: .seconds(15), reason: "no such file")
        guard case .fail(id, let error)? = actions.first else {
            Issue.record("It did not fail")
            return
        }
        #expect(error.code == .unavailable)
        #expect(error.message.contains("/there"))
        #expect(error.message.contains("no such file"))
        #expect(machine.nextDeadline == nil)
    }

    @Test mutating func `a lost connection starts the time anew`() throws {
        let id = machine.nextOperation()
        _ = machine.begin(id, .get(Self.rooms, .default), at: .zero)
        _ = try connect()
        #expect(machine.nextDeadline == nil)
        machine.lost(at: .seconds(100))
        #expect(machine.nextDeadline == .seconds(110))
    }

    @Test mutating func `a write that was sent and never answered may have been applied`() throws {
        let (sentID, _) = try write()
        _ = try connect()
        machine.lost(at: .zero)
        let (unsentID, _) = try write()
        let failures = machine.timePassed(now: .seconds(60), reason: "gone").compactMap {
            action -> (OperationID, Bool)? in
            guard case .fail(let id, let error) = action else { return nil }
            return (id, error.mayHaveBeenApplied)
        }
        #expect(failures.map(\.0) == [sentID, unsentID])
        #expect(failures.map(\.1) == [true, false])
    }

    @Test mutating func `an accepted write and a listener wait for ever`() throws {
        _ = try connect()
        let (_, actions) = try write()
        let number = try #require(try sent(actions).first?.number)
        _ = machine.received(Events.accepted(1), number: number)
        _ = machine.listen(
            machine.nextOperation(), to: Self.rooms, Request.ListenOptions(), at: .zero)
        machine.lost(at: .zero)
        #expect(machine.nextDeadline == nil)
        #expect(machine.timePassed(now: .seconds(1_000_000), reason: "gone").isEmpty)
        #expect(machine.wantsConnection)
    }

    @Test mutating func `a refusal for good fails everything with its reason`() throws {
        let (id, _) = try write()
        _ = machine.opened()
        let error = HearthError(code: .unimplemented, message: "Version 1 is too old.")
        #expect(
            machine.received(.failed(error), number: 1)
                == [.fail(id, FirestoreError(error)), .disconnect])
    }

    @Test mutating func `a refusal for now is tried again`() throws {
        _ = try write()
        _ = machine.opened()
        let error = HearthError(code: .resourceExhausted, message: "Too many clients.")
        #expect(machine.received(.failed(error), number: 1) == [.disconnect])
        machine.lost(at: .zero)
        #expect(sequences(try connect()) == [1])
    }

    @Test mutating func `a daemon that comes back with another database is not trusted`() throws {
        _ = try connect()
        machine.lost(at: .zero)
        let (id, _) = try write()
        _ = machine.opened()
        let other = Events.welcome(database: DatabaseID(project: "other"))
        let actions = machine.received(.welcome(other), number: 1)
        guard case .fail(id, let error)? = actions.first else {
            Issue.record("It did not fail")
            return
        }
        #expect(error.code == .failedPrecondition)
        #expect(actions.last == .disconnect)
    }

    @Test mutating func `references made before the database was known are named when sent`() throws
    {
        machine.mayHoldUnnamed = true
        let id = machine.nextOperation()
        let reference = Value.reference(
            DocumentName(database: .ofSession, path: ResourcePath(["x", "y"])))
        let mutation = Mutation(
            key: try DocumentKey(parsing: "a/b"),
            kind: .set(["r": reference, "l": .array([.map(["m": reference])])]))
        _ = machine.write(id, [mutation], isAwaited: true, at: .zero)
        guard case .write(let write)? = try connect().first?.request,
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
        let actions = machine.write(id, [mutation], isAwaited: true, at: .zero)
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
            try sent(machine.begin(id, .getStatus, at: .zero)).first?.number)
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

    @Test mutating func `shutting down fails what is under way, and disconnects`() throws {
        _ = try connect()
        let (id, _) = try write()
        let actions = machine.shutDown()
        guard case .fail(id, let error)? = actions.first else {
            Issue.record("It did not fail")
            return
        }
        #expect(error.code == .cancelled)
        #expect(actions.last == .disconnect)
    }
}
