import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

private let database = DatabaseID(project: "demo")
private let rooms = try? Query(path: ResourcePath(parsing: "rooms"))

private func request(_ number: UInt64) -> RequestID { RequestID(session: 7, number: number) }
private func listener(_ number: UInt64) -> ListenerID { ListenerID(session: 7, number: number) }
private func failures(_ actions: [SessionMachine.Action]) -> [String] { Spoken.failures(actions) }

struct SessionGreetingTests {
    @Test func `a client that greets is welcomed when its database has an engine`() {
        var spoken = Spoken()
        let hello = Hello(client: .anonymous, program: "tests")
        #expect(
            spoken.machine.received(.session(.hello(hello)), number: 1) == [
                .attach(.firestore(database))
            ])
        let welcome = Welcome(
            version: 1, sessionID: 7, database: .firestore(database), daemonVersion: "test",
            limits: Welcome.Limits(listenerCountMax: 2, requestCountMax: 2))
        #expect(spoken.machine.attached() == [.reply(.welcome(welcome), 1)])
        #expect(spoken.machine.program == "tests")
    }

    @Test func `a database that a client names comes before the default`() {
        var spoken = Spoken()
        let other = DatabaseID(project: "other")
        let hello = Hello(
            client: .anonymous, program: "", database: .firestore(.exactly(other)))
        #expect(
            spoken.machine.received(.session(.hello(hello)), number: 1) == [
                .attach(.firestore(other))
            ])
    }

    @Test func `a client that names only a database gets it in the default project`() {
        var spoken = Spoken()
        let hello = Hello(
            client: .anonymous, program: "", database: .firestore(.named("other")))
        let other = DatabaseID(project: database.project, database: "other")
        #expect(
            spoken.machine.received(.session(.hello(hello)), number: 1) == [
                .attach(.firestore(other))
            ])
    }

    @Test func `without any database the session ends and says what to set`() {
        var spoken = Spoken(defaultDatabase: nil)
        let hello = Hello(client: .anonymous, program: "")
        let actions = spoken.machine.received(.session(.hello(hello)), number: 1)
        #expect(failures(actions) == ["end: FAILED_PRECONDITION"])
    }

    @Test func `a client of another time ends`() {
        var spoken = Spoken()
        let hello = Hello(versions: 7...9, client: .anonymous, program: "")
        let actions = spoken.machine.received(.session(.hello(hello)), number: 1)
        #expect(failures(actions) == ["end: UNIMPLEMENTED"])
    }

    @Test func `a request before Hello, a second Hello and a request too early end the session`() {
        var early = Spoken()
        #expect(
            failures(early.machine.received(.session(.ping), number: 1)) == [
                "end: FAILED_PRECONDITION"
            ])
        #expect(early.machine.received(.session(.ping), number: 2) == [])
        var hasty = Spoken()
        _ = hasty.machine.received(
            .session(.hello(Hello(client: .anonymous, program: ""))), number: 1)
        #expect(
            failures(hasty.machine.received(.session(.ping), number: 2)) == [
                "end: FAILED_PRECONDITION"
            ])
        var twice = Spoken.open()
        let again = twice.machine.received(
            .session(.hello(Hello(client: .anonymous, program: ""))), number: 2)
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
        _ = spoken.machine.received(
            .session(.hello(Hello(client: .anonymous, program: ""))), number: 1)
        let error = HearthError(code: .resourceExhausted, message: "full")
        #expect(spoken.machine.attachFailed(error) == [.end(error)])
    }
}

struct SessionRequestTests {
    @Test func `a session with its quota of answers refuses whatever takes room, and nothing else`()
        throws
    {
        let free: Set<UInt8> = [
            Request.session(.ping).kind, Request.session(.shareReads).kind,
            Request.administration(.clearPersistence).kind,
            Request.administration(.setNetwork(isEnabled: true)).kind,
            // Listeners have a quota of their own.
            Request.session(.listenToStatus(.database)).kind,
            Request.firestore(.listenToSync).kind,
            Request.firestore(.listen(try #require(rooms), .init())).kind,
        ]
        for (request, _) in try SessionAccessTests.requests() {
            var spoken = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1))
            _ = spoken.machine.received(.firestore(.waitForPendingWrites), number: 2)
            _ = spoken.machine.received(.inquiry(.status), number: 3)
            let refused = failures(spoken.machine.received(request, number: 4))
            let expected = free.contains(request.kind) ? [] : ["4: RESOURCE_EXHAUSTED"]
            #expect(refused == expected, "\(request)")
        }
    }

    @Test func `a write carries who writes, as the kernel and the client say`() throws {
        var spoken = Spoken.open()
        let key = try DocumentKey(parsing: "rooms/hall")
        let mutation = Mutation(key: key, kind: .delete)
        let actions = spoken.machine.received(
            .firestore(.write(.init(sequence: 5, answeredBelow: 3, mutations: [mutation]))),
            number: 2)
        let writer = Writer(uid: 1_000, gid: 100, pid: 42, unit: "app.service", program: "tests")
        let identity = WriteIdentity(uid: 1_000, client: ClientID(high: 1, low: 2), sequence: 5)
        #expect(
            actions == [
                .submit(
                    .firestore(
                        .write(
                            WriteRequest(
                                id: request(2), identity: identity, answeredBelow: 3,
                                writer: writer, mutations: [mutation]))))
            ])
    }

    @Test(arguments: [(UInt64(0), false), (7, false), (8, true)])
    func `a write that was sent to other stores is told from a new one`(
        sentTo: UInt64, isElsewhere: Bool
    ) throws {
        var spoken = Spoken.open(storeGeneration: 7)
        let mutation = Mutation(key: try DocumentKey(parsing: "rooms/hall"), kind: .delete)
        let write = FirestoreRequest.Write(
            sequence: 5, answeredBelow: 3, mutations: [mutation], sentTo: sentTo)
        let actions = spoken.machine.received(.firestore(.write(write)), number: 2)
        guard case .submit(.firestore(.write(let request)))? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(request.wasSentElsewhere == isElsewhere)
    }

    @Test func `a write is answered twice, with the client's own number for it`() throws {
        var spoken = Spoken.open()
        let mutation = Mutation(key: try DocumentKey(parsing: "rooms/hall"), kind: .delete)
        _ = spoken.machine.received(
            .firestore(.write(.init(sequence: 5, answeredBelow: 0, mutations: [mutation]))),
            number: 2)
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
            .firestore(.write(.init(sequence: 5, answeredBelow: 0, mutations: [mutation]))),
            number: 2)
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
        let write = Request.firestore(
            .write(.init(sequence: 0, answeredBelow: 0, mutations: [mutation])))
        for number in UInt64(2)...3 { _ = spoken.machine.received(write, number: number) }
        #expect(
            failures(spoken.machine.received(.firestore(.waitForPendingWrites), number: 4))
                == ["4: RESOURCE_EXHAUSTED"])
        _ = spoken.machine.delivered(.accept(2, BatchID(1)))
        #expect(
            failures(spoken.machine.received(.firestore(.waitForPendingWrites), number: 5)) == [])
    }

    @Test func `listeners beyond the quota are refused until one ends`() throws {
        var spoken = Spoken.open()
        let rooms = try #require(rooms)
        for number in UInt64(2)...3 {
            _ = spoken.machine.received(.firestore(.listen(rooms, .init())), number: number)
        }
        #expect(
            failures(spoken.machine.received(.firestore(.listenToSync), number: 4))
                == ["4: RESOURCE_EXHAUSTED"])
        #expect(
            spoken.machine.received(.session(.unlisten), number: 2)
                == [.submit(.firestore(.unlisten(listener(2)))), .forgetNews(2)])
        #expect(
            spoken.machine.received(.firestore(.listenToSync), number: 5)
                == [.submit(.firestore(.listenToSync(listener(5))))])
        #expect(spoken.machine.openListenerCount == 2)
    }

    @Test func `a listener that failed is gone, and its unlisten is a race`() throws {
        var spoken = Spoken.open()
        _ = spoken.machine.received(.firestore(.listen(try #require(rooms), .init())), number: 2)
        let error = HearthError(code: .permissionDenied, message: "no")
        #expect(
            spoken.machine.delivered(.fail(2, error))
                == [.forgetNews(2), .reply(.listenFailed(error), 2)])
        #expect(spoken.machine.received(.session(.unlisten), number: 2) == [])
        #expect(spoken.machine.openListenerCount == 0)
    }

    @Test func `a number that is in use ends the session, and so does number 0`() {
        var spoken = Spoken.open()
        _ = spoken.machine.received(.firestore(.waitForPendingWrites), number: 2)
        #expect(
            failures(spoken.machine.received(.firestore(.waitForPendingWrites), number: 2))
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
        #expect(spoken.machine.received(.session(.ping), number: 3) == [.reply(.done, 3)])
    }

    @Test func `only an administrator switches the network`() {
        var anyone = Spoken.open(peer: Peer(uid: 4_294_000_000, gid: 1, pid: 1))
        #expect(
            failures(
                anyone.machine.received(.administration(.setNetwork(isEnabled: false)), number: 2))
                == ["2: PERMISSION_DENIED"])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1))
        #expect(
            root.machine.received(.administration(.setNetwork(isEnabled: false)), number: 2)
                == [.submit(.firestore(.setNetwork(isEnabled: false))), .reply(.done, 2)])
    }

    @Test func `only an administrator signs users in and out, but anyone may ask who it is`() {
        var anyone = Spoken.open(peer: Peer(uid: 4_294_000_000, gid: 1, pid: 1))
        for order in [SignInOrder.signOut, .signIn(.anonymous)] {
            #expect(
                failures(anyone.machine.received(.administration(.authenticate(order)), number: 2))
                    == ["2: PERMISSION_DENIED"])
        }
        #expect(
            anyone.machine.received(.administration(.authenticate(.tell)), number: 3) == [
                .ask(.signIn(.tell), 3)
            ])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1))
        #expect(
            root.machine.received(.administration(.authenticate(.signOut)), number: 2)
                == [.ask(.signIn(.signOut), 2)])
    }

    @Test func `a bundle comes in parts and is read whole`() {
        var spoken = Spoken.open()
        let broken = Array("12{".utf8)
        let begun = Event.BundleProgress(
            documentsLoaded: 0, totalDocuments: 0, bytesLoaded: 0, totalBytes: 3,
            isFinished: false)
        #expect(
            spoken.machine.received(
                .firestore(.loadBundle(.init(data: broken, hasMore: true))), number: 2)
                == [.reply(.bundleProgress(begun), 2)])
        let actions = spoken.machine.received(
            .firestore(.loadBundle(.init(data: [], hasMore: false))), number: 2)
        #expect(failures(actions) == ["2: INVALID_ARGUMENT"])
    }

    @Test func `the status is asked for outside the engine and answered once`() {
        var spoken = Spoken.open()
        #expect(
            spoken.machine.received(.inquiry(.status), number: 2)
                == [.ask(.inquiry(.status, ofUser: 1_000), 2)])
        let event = Event.report(.status(StatusReport(database: .firestore(database))))
        #expect(spoken.machine.reported(event, number: 2) == [.reply(event, 2)])
        #expect(spoken.machine.reported(event, number: 2) == [])
    }
}
