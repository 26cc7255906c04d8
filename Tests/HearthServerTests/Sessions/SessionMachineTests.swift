import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

private let database = DatabaseID(project: "demo")
private let rooms = try? Query(path: ResourcePath(parsing: "rooms"))

/// A machine of session 7, and a client that speaks with it.
private struct Spoken {
    var machine: SessionMachine

    init(
        peer: Peer = Peer(uid: 1_000, gid: 100, pid: 42, unit: "app.service"),
        defaultDatabase: DatabaseID? = database, listenerCountMax: Int = 2,
        requestCountMax: Int = 2
    ) {
        machine = SessionMachine(
            SessionMachine.Configuration(
                session: 7, peer: peer, defaultDatabase: defaultDatabase,
                limits: Welcome.Limits(
                    listenerCountMax: listenerCountMax, requestCountMax: requestCountMax),
                daemonVersion: "test"))
    }

    /// A machine that has welcomed its client.
    static func open(
        _ hello: Hello = Hello(client: .init(high: 1, low: 2), program: "tests"),
        peer: Peer = Peer(uid: 1_000, gid: 100, pid: 42, unit: "app.service")
    ) -> Spoken {
        var spoken = Spoken(peer: peer)
        _ = spoken.machine.received(.hello(hello), number: 1)
        _ = spoken.machine.attached()
        return spoken
    }
}

private func request(_ number: UInt64) -> RequestID { RequestID(session: 7, number: number) }
private func listener(_ number: UInt64) -> ListenerID { ListenerID(session: 7, number: number) }

/// The codes of the failures among actions, with the request they answer; "end" for the session's.
private func failures(_ actions: [SessionMachine.Action]) -> [String] {
    actions.compactMap { action in
        switch action {
        case .reply(.failed(let error), let number), .reply(.listenFailed(let error), let number):
            "\(number): \(error.code.name)"
        case .end(let error): "end: \(error.code.name)"
        default: nil
        }
    }
}

struct SessionBackendTests {
    private let hall = try? DocumentKey(parsing: "rooms/hall")

    @Test func `a write that was forgotten is told with its client's number`() throws {
        var spoken = Spoken.open()
        let key = try #require(hall)
        let write = Request.Write(
            sequence: 9, answeredBelow: 1, mutations: [Mutation(key: key, kind: .delete)])
        _ = spoken.machine.received(.write(write), number: 2)
        let actions = spoken.machine.delivered(.result(2, .writeForgotten))
        guard case .reply(.writeRejected(let rejected), 2)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(rejected.sequence == 9)
        #expect(rejected.isOutcomeUnknown)
        #expect(spoken.machine.delivered(.result(2, .writeForgotten)).isEmpty)
    }

    @Test func `listeners of all sessions of a user count together`() throws {
        var spoken = Spoken.open()
        spoken.machine.othersListenerCount = 100_000
        let query = try #require(rooms)
        let actions = spoken.machine.received(.listen(query, .init()), number: 2)
        guard case .reply(.failed(let error), 2)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("limits.uidListenerCountMax = 100000 listeners"))
    }

    @Test func `only an administrator steers the queue, and is told what was done`() throws {
        var user = Spoken.open()
        let hold = Request.steerQueue(.hold([BatchID(3)]))
        #expect(failures(user.machine.received(hold, number: 2)) == ["2: PERMISSION_DENIED"])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1))
        #expect(
            root.machine.received(hold, number: 2)
                == [.submit(.steerQueue(request(2), .hold([BatchID(3)]), by: 0))])
        let steered = RequestResult.steered([HearthEngine.SteeredBatch(BatchID(3))])
        #expect(
            root.machine.delivered(.result(2, steered))
                == [.reply(.queueSteered([.init(id: BatchID(3))]), 2)])
    }

    @Test func `a transaction's steps go to the engine, and its answers to the client`() throws {
        var spoken = Spoken.open()
        let key = try #require(hall)
        #expect(
            spoken.machine.received(.readDocuments([key]), number: 2)
                == [.submit(.readForTransaction(request(2), [key]))])
        let missing = Document.missing(key, at: .zero)
        #expect(
            spoken.machine.delivered(.result(2, .documents([missing])))
                == [.reply(.documents([missing]), 2)])
        let mutation = Mutation(key: key, kind: .verify, precondition: .exists(false))
        #expect(
            spoken.machine.received(.commit([mutation]), number: 3)
                == [.submit(.commitTransaction(request(3), [mutation]))])
        let error = HearthError(code: .unavailable, message: "Lost.")
        #expect(
            spoken.machine.delivered(.result(3, .commitFailed(error, mayHaveBeenApplied: true)))
                == [.reply(.commitFailed(error, mayHaveBeenApplied: true), 3)])
    }

    @Test func `only administrators clear the cache, and only alone`() {
        var stranger = Spoken.open()
        #expect(
            failures(stranger.machine.received(.clearPersistence, number: 2))
                == ["2: PERMISSION_DENIED"])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1, unit: nil))
        #expect(
            root.machine.received(.clearPersistence, number: 2)
                == [.submitAlone(.clearPersistence(request(2)), 2)])
    }

    @Test func `an index that cannot be is refused before it enters`() {
        var spoken = Spoken.open()
        let index = WireIndex(collectionGroup: "rooms", fields: [])
        #expect(
            failures(spoken.machine.received(.manageIndexes(.add(index)), number: 2))
                == ["2: INVALID_ARGUMENT"])
        #expect(
            failures(spoken.machine.received(.manageIndexes(.configure("[")), number: 3))
                == ["3: INVALID_ARGUMENT"])
        #expect(
            spoken.machine.received(.manageIndexes(.removeAll), number: 4)
                == [.submit(.manageIndexes(request(4), .removeAll))])
    }

    @Test func `a bundle's parts are answered with how much has come`() throws {
        var spoken = Spoken.open()
        let head =
            #"{"metadata":{"id":"b","createTime":"2020-01-01T00:00:00Z","version":1,"#
            + #""totalDocuments":3,"totalBytes":"1000"}}"#
        let part = Request.BundlePart(
            data: Array("\(head.utf8.count)\(head)".utf8), hasMore: true)
        let actions = spoken.machine.received(.loadBundle(part), number: 2)
        guard case .reply(.bundleProgress(let progress), 2)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(progress.totalDocuments == 3)
        #expect(progress.totalBytes == 1_000)
        // A bundle's length, which its first element tells, is without that element.
        #expect(progress.bytesLoaded == 0)
        #expect(!progress.isFinished)
    }
}

struct SessionGreetingTests {
    @Test func `a client that greets is welcomed when its database has an engine`() {
        var spoken = Spoken()
        let hello = Hello(client: .anonymous, program: "tests")
        #expect(spoken.machine.received(.hello(hello), number: 1) == [.attach(database)])
        let welcome = Welcome(
            version: 1, sessionID: 7, database: database, daemonVersion: "test",
            limits: Welcome.Limits(listenerCountMax: 2, requestCountMax: 2))
        #expect(spoken.machine.attached() == [.reply(.welcome(welcome), 1)])
        #expect(spoken.machine.program == "tests")
    }

    @Test func `a database that a client names comes before the default`() {
        var spoken = Spoken()
        let other = DatabaseID(project: "other")
        let hello = Hello(client: .anonymous, program: "", database: other)
        #expect(spoken.machine.received(.hello(hello), number: 1) == [.attach(other)])
    }

    @Test func `a client that names only a database gets it in the default project`() {
        var spoken = Spoken()
        let hello = Hello(client: .anonymous, program: "", databaseName: "other")
        let other = DatabaseID(project: database.project, database: "other")
        #expect(spoken.machine.received(.hello(hello), number: 1) == [.attach(other)])
    }

    @Test func `without any database the session ends and says what to set`() {
        var spoken = Spoken(defaultDatabase: nil)
        let hello = Hello(client: .anonymous, program: "")
        let actions = spoken.machine.received(.hello(hello), number: 1)
        #expect(failures(actions) == ["end: FAILED_PRECONDITION"])
    }

    @Test func `a client of another time ends`() {
        var spoken = Spoken()
        let hello = Hello(versions: 7...9, client: .anonymous, program: "")
        let actions = spoken.machine.received(.hello(hello), number: 1)
        #expect(failures(actions) == ["end: UNIMPLEMENTED"])
    }

    @Test func `a request before Hello, a second Hello and a request too early end the session`() {
        var early = Spoken()
        #expect(failures(early.machine.received(.ping, number: 1)) == ["end: FAILED_PRECONDITION"])
        #expect(early.machine.received(.ping, number: 2) == [])
        var hasty = Spoken()
        _ = hasty.machine.received(.hello(Hello(client: .anonymous, program: "")), number: 1)
        #expect(failures(hasty.machine.received(.ping, number: 2)) == ["end: FAILED_PRECONDITION"])
        var twice = Spoken.open()
        let again = twice.machine.received(
            .hello(Hello(client: .anonymous, program: "")), number: 2)
        #expect(failures(again) == ["end: FAILED_PRECONDITION"])
    }

    @Test func `a client that says nothing is ended, one that greeted is not`() {
        var silent = Spoken()
        #expect(failures(silent.machine.greetingTimedOut()) == ["end: DEADLINE_EXCEEDED"])
        var open = Spoken.open()
        #expect(open.machine.greetingTimedOut() == [])
    }

    @Test func `a database without an engine ends the session with the reason`() {
        var spoken = Spoken()
        _ = spoken.machine.received(.hello(Hello(client: .anonymous, program: "")), number: 1)
        let error = HearthError(code: .resourceExhausted, message: "full")
        #expect(spoken.machine.attachFailed(error) == [.end(error)])
    }
}

struct SessionRequestTests {
    @Test func `a write carries who writes, as the kernel and the client say`() throws {
        var spoken = Spoken.open()
        let key = try DocumentKey(parsing: "rooms/hall")
        let mutation = Mutation(key: key, kind: .delete)
        let actions = spoken.machine.received(
            .write(.init(sequence: 5, answeredBelow: 3, mutations: [mutation])), number: 2)
        let writer = Writer(uid: 1_000, gid: 100, pid: 42, unit: "app.service", program: "tests")
        let identity = WriteIdentity(uid: 1_000, client: ClientID(high: 1, low: 2), sequence: 5)
        #expect(
            actions == [
                .submit(
                    .write(
                        WriteRequest(
                            id: request(2), identity: identity, answeredBelow: 3, writer: writer,
                            mutations: [mutation])))
            ])
    }

    @Test func `a write is answered twice, with the client's own number for it`() throws {
        var spoken = Spoken.open()
        let mutation = Mutation(key: try DocumentKey(parsing: "rooms/hall"), kind: .delete)
        _ = spoken.machine.received(
            .write(.init(sequence: 5, answeredBelow: 0, mutations: [mutation])), number: 2)
        #expect(
            spoken.machine.delivered(.accept(2, BatchID(9)))
                == [.reply(.writeAccepted(.init(sequence: 5, batch: BatchID(9))), 2)])
        let version = SnapshotVersion(Timestamp(seconds: 4, nanoseconds: 0))
        let outcome = WriteOutcome.committed(at: version, updatedAt: [version])
        #expect(
            spoken.machine.delivered(.settle(2, BatchID(9), outcome))
                == [
                    .reply(
                        .writeCommitted(
                            .init(
                                sequence: 5, batch: BatchID(9), committedAt: version,
                                updateTimes: [version])), 2)
                ])
        #expect(spoken.machine.delivered(.settle(2, BatchID(9), outcome)) == [])
    }

    @Test func `a rejected write tells whether it may have been applied`() throws {
        var spoken = Spoken.open()
        let mutation = Mutation(key: try DocumentKey(parsing: "rooms/hall"), kind: .delete)
        _ = spoken.machine.received(
            .write(.init(sequence: 5, answeredBelow: 0, mutations: [mutation])), number: 2)
        _ = spoken.machine.delivered(.accept(2, BatchID(9)))
        let error = HearthError(code: .notFound, message: "no")
        let outcome = WriteOutcome.rejected(error, mayHaveBeenApplied: true)
        let event = Event.WriteRejected(
            sequence: 5, batch: BatchID(9), error: error, mayHaveBeenApplied: true)
        #expect(
            spoken.machine.delivered(.settle(2, BatchID(9), outcome))
                == [.reply(.writeRejected(event), 2)])
    }

    @Test func `requests beyond the quota are refused, and accepted writes do not count`() throws {
        var spoken = Spoken.open()
        let mutation = Mutation(key: try DocumentKey(parsing: "rooms/hall"), kind: .delete)
        let write = Request.write(.init(sequence: 0, answeredBelow: 0, mutations: [mutation]))
        for number in UInt64(2)...3 { _ = spoken.machine.received(write, number: number) }
        #expect(
            failures(spoken.machine.received(.waitForPendingWrites, number: 4))
                == ["4: RESOURCE_EXHAUSTED"])
        _ = spoken.machine.delivered(.accept(2, BatchID(1)))
        #expect(failures(spoken.machine.received(.waitForPendingWrites, number: 5)) == [])
    }

    @Test func `listeners beyond the quota are refused until one ends`() throws {
        var spoken = Spoken.open()
        let rooms = try #require(rooms)
        for number in UInt64(2)...3 {
            _ = spoken.machine.received(.listen(rooms, .init()), number: number)
        }
        #expect(
            failures(spoken.machine.received(.listenToSync, number: 4))
                == ["4: RESOURCE_EXHAUSTED"])
        #expect(
            spoken.machine.received(.unlisten, number: 2)
                == [.submit(.unlisten(listener(2))), .forgetSnapshots(2)])
        #expect(
            spoken.machine.received(.listenToSync, number: 5)
                == [.submit(.listenToSync(listener(5)))])
        #expect(spoken.machine.openListenerCount == 2)
    }

    @Test func `a listener that failed is gone, and its unlisten is a race`() throws {
        var spoken = Spoken.open()
        _ = spoken.machine.received(.listen(try #require(rooms), .init()), number: 2)
        let error = HearthError(code: .permissionDenied, message: "no")
        #expect(
            spoken.machine.delivered(.fail(2, error))
                == [.forgetSnapshots(2), .reply(.listenFailed(error), 2)])
        #expect(spoken.machine.received(.unlisten, number: 2) == [])
        #expect(spoken.machine.openListenerCount == 0)
    }

    @Test func `a number that is in use ends the session, and so does number 0`() {
        var spoken = Spoken.open()
        _ = spoken.machine.received(.waitForPendingWrites, number: 2)
        #expect(
            failures(spoken.machine.received(.waitForPendingWrites, number: 2))
                == ["end: INVALID_ARGUMENT"])
        var zero = Spoken.open()
        let body: [UInt8] = []
        #expect(
            failures(zero.machine.received(kind: 2, number: 0, body: body.span.bytes))
                == ["end: INVALID_ARGUMENT"])
    }

    @Test func `an unknown kind fails its request alone`() {
        var spoken = Spoken.open()
        let body: [UInt8] = []
        #expect(
            failures(spoken.machine.received(kind: 63, number: 2, body: body.span.bytes))
                == ["2: UNIMPLEMENTED"])
        #expect(spoken.machine.received(.ping, number: 3) == [.reply(.done, 3)])
    }

    @Test func `only an administrator switches the network`() {
        var anyone = Spoken.open(peer: Peer(uid: 4_294_000_000, gid: 1, pid: 1))
        #expect(
            failures(anyone.machine.received(.setNetwork(isEnabled: false), number: 2))
                == ["2: PERMISSION_DENIED"])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1))
        #expect(
            root.machine.received(.setNetwork(isEnabled: false), number: 2)
                == [.submit(.setNetwork(isEnabled: false)), .reply(.done, 2)])
    }

    @Test func `only an administrator signs users in and out, but anyone may ask who it is`() {
        var anyone = Spoken.open(peer: Peer(uid: 4_294_000_000, gid: 1, pid: 1))
        for order in [SignInOrder.signOut, .signIn(.anonymous)] {
            #expect(
                failures(anyone.machine.received(.authenticate(order), number: 2))
                    == ["2: PERMISSION_DENIED"])
        }
        #expect(
            anyone.machine.received(.authenticate(.tell), number: 3) == [.ask(.signIn(.tell), 3)])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1))
        #expect(
            root.machine.received(.authenticate(.signOut), number: 2)
                == [.ask(.signIn(.signOut), 2)])
    }

    @Test func `a bundle comes in parts and is read whole`() {
        var spoken = Spoken.open()
        let broken = Array("12{".utf8)
        let begun = Event.BundleProgress(
            documentsLoaded: 0, totalDocuments: 0, bytesLoaded: 0, totalBytes: 3,
            isFinished: false)
        #expect(
            spoken.machine.received(.loadBundle(.init(data: broken, hasMore: true)), number: 2)
                == [.reply(.bundleProgress(begun), 2)])
        let actions = spoken.machine.received(
            .loadBundle(.init(data: [], hasMore: false)), number: 2)
        #expect(failures(actions) == ["2: INVALID_ARGUMENT"])
    }

    @Test func `the status is asked for outside the engine and answered once`() {
        var spoken = Spoken.open()
        #expect(spoken.machine.received(.getStatus, number: 2) == [.ask(.status, 2)])
        let event = Event.status(StatusReport(database: database))
        #expect(spoken.machine.reported(event, number: 2) == [.reply(event, 2)])
        #expect(spoken.machine.reported(event, number: 2) == [])
    }
}
