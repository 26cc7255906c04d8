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
            machine.nextOperation(), to: Self.rooms, ListenOptions(), at: .zero)
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
        _ = machine.listen(id, to: Self.rooms, ListenOptions(), at: .zero)
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
            try sent(machine.listen(id, to: Self.rooms, ListenOptions(), at: .zero))
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
            try sent(machine.listen(id, to: Self.rooms, ListenOptions(), at: .zero))
                .first?.number)
        let actions = machine.end(id)
        #expect(try sent(actions).map(\.request) == [.session(.unlisten)])
        #expect(try sent(actions).map(\.number) == [number])
        #expect(machine.received(.snapshot(try Events.snapshot(1)), number: number).isEmpty)
        #expect(machine.end(id).isEmpty)
    }

    @Test mutating func `a failed listener ends with the daemon's error`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let number = try #require(
            try sent(machine.listen(id, to: Self.rooms, ListenOptions(), at: .zero))
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
        _ = machine.begin(id, .firestore(.get(Self.rooms, .default)), at: .seconds(5))
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
        _ = machine.begin(id, .firestore(.get(Self.rooms, .default)), at: .zero)
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
            machine.nextOperation(), to: Self.rooms, ListenOptions(), at: .zero)
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

    @Test mutating func `a commit that was sent is never sent again, and in doubt`() throws {
        _ = try connect()
        let mutation = Mutation(key: try DocumentKey(parsing: "a/b"), kind: .delete)
        let id = machine.nextOperation()
        _ = machine.begin(id, .firestore(.commit([mutation])), at: .zero)
        let read = machine.nextOperation()
        _ = machine.begin(read, .firestore(.readDocuments([mutation.key])), at: .zero)
        guard case .fail(id, let error)? = machine.lost(at: .zero).first else {
            Issue.record("The commit goes on")
            return
        }
        #expect(error.mayHaveBeenApplied)
        #expect(try connect().map(\.request) == [.firestore(.readDocuments([mutation.key]))])
    }

    @Test mutating func `a commit that was never sent waits for a connection`() throws {
        let mutation = Mutation(key: try DocumentKey(parsing: "a/b"), kind: .delete)
        _ = machine.begin(machine.nextOperation(), .firestore(.commit([mutation])), at: .zero)
        #expect(try connect().map(\.request) == [.firestore(.commit([mutation]))])
    }

    @Test mutating func `every session is told that the network is to be left alone`() throws {
        _ = try connect()
        let id = machine.nextOperation()
        let vote = try sent(
            machine.begin(id, .firestore(.voteNetwork(isEnabled: false)), at: .zero))
        #expect(vote.map(\.request) == [.firestore(.voteNetwork(isEnabled: false))])
        #expect(machine.received(.done, number: vote[0].number) == [.answer(id, .done)])
        machine.lost(at: .zero)
        _ = try write()
        let again = try connect()
        #expect(again.first?.request == .firestore(.voteNetwork(isEnabled: false)))
        #expect(again.map(\.request.kind) == [64, 6])
        #expect(machine.received(.done, number: again[0].number).isEmpty)
    }

    @Test mutating func `a bundle comes in parts, and its loading tells how far it is`() throws {
        _ = try connect()
        let built = machine.nextOperation()
        let order = BundleOrder(id: "b", queries: [], documents: [])
        let number = try #require(
            try sent(machine.begin(built, .firestore(.buildBundle(order)), at: .zero)).first?.number
        )
        let first = FirestoreRequest.BundlePart(data: [1, 2], hasMore: true)
        #expect(machine.received(.bundle(first), number: number).isEmpty)
        let last = FirestoreRequest.BundlePart(data: [3], hasMore: false)
        let whole = FirestoreRequest.BundlePart(data: [1, 2, 3], hasMore: false)
        #expect(
            machine.received(.bundle(last), number: number) == [.answer(built, .bundle(whole))])

        let loaded = machine.nextOperation()
        let load = try #require(
            try sent(machine.begin(loaded, .firestore(.loadBundle(whole)), at: .zero)).first?.number
        )
        var progress = Event.BundleProgress(
            documentsLoaded: 0, totalDocuments: 1, bytesLoaded: 2, totalBytes: 3,
            isFinished: false)
        #expect(
            machine.received(.bundleProgress(progress), number: load)
                == [.progress(loaded, progress)])
        progress.isFinished = true
        #expect(
            machine.received(.bundleProgress(progress), number: load)
                == [.answer(loaded, .bundleProgress(progress))])
    }

    @Test mutating func `own writes are awaited up to the last that was accepted`() throws {
        _ = try connect()
        let written = try write(isAwaited: false)
        let number = try #require(try sent(written.actions).first?.number)
        _ = machine.received(
            .writeAccepted(.init(sequence: 1, batch: BatchID(7))), number: number)
        let id = machine.nextOperation()
        let wait = try sent(
            machine.begin(id, .firestore(.waitForOwnWrites(last: .none)), at: .zero))
        #expect(wait.map(\.request) == [.firestore(.waitForOwnWrites(last: BatchID(7)))])
    }
}
