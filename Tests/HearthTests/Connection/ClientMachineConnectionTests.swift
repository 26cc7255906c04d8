import HearthModel
import HearthWire
import Testing

@testable import Hearth

struct ClientMachineConnectionTests: MachineSuite {
    var machine = newMachine

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
