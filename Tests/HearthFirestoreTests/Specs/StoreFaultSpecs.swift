import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// The disk fails at any call of a turn: whoever asked is told once, nothing has happened, and what
/// the backend had said is made up for.
struct StoreFaultSpecs {
    private let rooms = Cast.rooms
    private static let id = RequestID(session: 9, number: 1)

    // MARK: What a program asks

    /// A request that needs the store.
    struct Asked: Sendable, CustomTestStringConvertible {
        let name: String
        let input: FirestoreEngine.Input
        /// Calls of the store that it makes, at the least.
        let callCountMin: Int

        var testDescription: String { name }

        init(_ name: String, calls callCountMin: Int, _ input: FirestoreEngine.Input) {
            self.name = name
            self.input = input
            self.callCountMin = callCountMin
        }

        private static func write(_ mutation: Mutation) -> FirestoreEngine.Input {
            let identity = WriteIdentity(uid: 7, client: ClientID(high: 1, low: 2), sequence: 5)
            return .write(
                WriteRequest(
                    id: StoreFaultSpecs.id, identity: identity, answeredBelow: 4,
                    writer: Writer(uid: 7, gid: 7, pid: 7), mutations: [mutation]))
        }

        private static var increment: Mutation {
            Mutation(
                key: Cast.hall.key, kind: .patch([:], .empty),
                transforms: [
                    FieldTransform(field: FieldPath(["size"]), operation: .increment(.integer(1)))
                ])
        }

        private static var bundle: Bundle {
            let shed = Cast.room("shed", at: 2_000)
            let query = NamedQuery(
                name: "q", query: Cast.rooms, readAt: FirestoreSpec.version(2_000))
            return Bundle(
                record: BundleRecord(
                    id: "b", createdAt: FirestoreSpec.version(2_000), version: 1),
                entries: [.init(document: shed, queries: ["q"])], namedQueries: [query],
                byteCount: 1)
        }

        static let all = [
            Asked(
                "a new query", calls: 5,
                .listen(ListenerID(session: 9, number: 1), Cast.first(1), ListenOptions())),
            Asked(
                "a new query of the cache alone", calls: 5,
                .listen(
                    ListenerID(session: 9, number: 1), Cast.query(sizeFrom: 1),
                    ListenOptions(isCacheOnly: true))),
            Asked("a read", calls: 5, .get(id, Cast.query(sizeFrom: 0), .default)),
            Asked("a read from the cache", calls: 2, .get(id, Cast.rooms, .cache)),
            Asked(
                "a read of a document from the cache", calls: 3,
                .get(id, Query(document: Cast.hall.key), .cache)),
            Asked("a write", calls: 8, write(Cast.set("hall", size: 4))),
            Asked("an increment", calls: 8, write(increment)),
            Asked("a wait", calls: 1, .waitForPendingWrites(id, .all)),
            Asked(
                "a wait for one's own", calls: 1, .waitForPendingWrites(id, .own(last: BatchID(1)))),
            Asked("a bundle", calls: 10, .loadBundle(id, bundle)),
            Asked("a named query", calls: 1, .getNamedQuery(id, "q")),
            Asked("a plan", calls: 2, .explain(id, Cast.query(sizeFrom: 1))),
            Asked("the indexes", calls: 1, .manageIndexes(id, .list)),
            Asked("a cancelled batch", calls: 5, .steerQueue(id, .cancel([BatchID(1)]), by: 0)),
        ]
    }

    /// An engine that is offline, with two rooms of the backend in its cache, watched, and a write that waits.
    private func prepared() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        spec.driver.setNetwork(isEnabled: false)
        spec.userWrites(Cast.set("hall", size: 2))
        spec.driver.forgetHeard()
        return spec
    }

    private func refusals(_ actions: [FirestoreEngine.Action]) -> Int {
        actions.count { action in
            switch action {
            case .refuse(Self.id, _), .fail(ListenerID(session: 9, number: 1), _): true
            default: false
            }
        }
    }

    /// The actions without the store's numbers, which count the changes of failed turns too.
    private func unnumbered(_ actions: [FirestoreEngine.Action]) -> [FirestoreEngine.Action] {
        actions.map { action in
            guard case .emit(var snapshot, let listeners) = action else { return action }
            snapshot.changeNumber = 0
            return .emit(snapshot, to: listeners)
        }
    }

    @Test(arguments: Asked.all)
    func `a request that fails at any call is refused once, and succeeds when asked again`(
        asked: Asked
    ) throws {
        let whole = try prepared()
        whole.driver.take(asked.input)
        let expected = unnumbered(whole.driver.actions)
        #expect(refusals(expected) == 0)
        var call = 1
        while true {
            let spec = try prepared()
            spec.driver.store.failingCall = call
            spec.driver.take(asked.input)
            guard spec.driver.store.failingCall == nil else { break }
            #expect(refusals(spec.driver.actions) == 1, "call \(call)")
            #expect(spec.driver.actions.count == 1, "call \(call)")
            spec.driver.forgetHeard()
            spec.driver.take(asked.input)
            #expect(unnumbered(spec.driver.actions) == expected, "call \(call)")
            call += 1
        }
        #expect(call > asked.callCountMin)
    }

    // MARK: What the backend says

    /// Lets `body` meet a fault at each of its calls in turn; after each the store is tried again.
    ///
    /// - Parameter check: What must be true whether there was a fault or not. It is told whether.
    private func atEachCall(
        callCountMin: Int, from prepare: () throws -> FirestoreSpec,
        _ body: (FirestoreSpec) throws -> Void, check: (FirestoreSpec, Bool) throws -> Void
    ) throws {
        var call = 1
        while true {
            let spec = try prepare()
            spec.driver.store.failingCall = call
            // After the fault the streams are gone, so not all of it can be said.
            do { try body(spec) } catch _ as FirestoreSpec.Failure {}
            let hasFailed = spec.driver.store.failingCall == nil
            spec.driver.store.failingCall = nil
            #expect(spec.driver.timers.contains(.storeRetry) == hasFailed, "call \(call)")
            spec.driver.fire(upTo: .storeRetry)
            try check(spec, hasFailed)
            guard hasFailed else { break }
            call += 1
        }
        #expect(call > callCountMin)
    }

    private func listening() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        return spec
    }

    @Test func `what the backend says is heard, wherever the store fails`() throws {
        func answer(_ spec: FirestoreSpec) throws {
            try spec.watchAnswers(
                rooms, with: [Cast.attic, Cast.hall], resumeToken: "r1", at: 1_000)
        }
        try atEachCall(callCountMin: 5, from: listening, answer) { spec, hasFailed in
            if hasFailed { try answer(spec) }
            let last = try #require(spec.driver.heard.last).result.get()
            #expect(last.documents.documents == [Cast.attic, Cast.hall])
            #expect(!last.isFromCache)
            try spec.expectWatched(1)
        }
    }

    private func writing() throws -> FirestoreSpec {
        let spec = try listening()
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        spec.userWrites(Cast.set("hall", size: 2))
        spec.userWrites(Cast.set("attic", size: 3))
        spec.driver.forgetHeard()
        return spec
    }

    @Test func `a commit is told once and never sent again, wherever the store fails`() throws {
        try atEachCall(callCountMin: 6, from: writing) { spec in
            try spec.writeIsCommitted(at: 2_000)
        } check: { spec, _ in
            #expect(spec.driver.acknowledgedDocuments == [Cast.hall.key])
            #expect(spec.driver.rejectedDocuments.isEmpty)
            #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.attic.key]])
            try spec.writeIsCommitted(at: 2_001)
            #expect(spec.driver.acknowledgedDocuments == [Cast.hall.key, Cast.attic.key])
            #expect(spec.driver.engine.outstandingWriteCount == 0)
        }
    }

    /// After an end of the stream that may be the fault of either write, they go one at a time.
    private func writingAlone() throws -> FirestoreSpec {
        let spec = try writing()
        try spec.writeFails(.permissionDenied)
        #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.hall.key]])
        return spec
    }

    @Test func `a refusal is told once and undone, wherever the store fails`() throws {
        try atEachCall(callCountMin: 6, from: writingAlone) { spec in
            try spec.writeFails(.permissionDenied)
        } check: { spec, _ in
            #expect(spec.driver.rejectedDocuments == [Cast.hall.key])
            #expect(spec.driver.acknowledgedDocuments.isEmpty)
            #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[Cast.attic.key]])
            let snapshots = try spec.driver.heard.map { try $0.result.get() }
            #expect(snapshots.contains { $0.documents[Cast.hall.key] == Cast.hall })
        }
    }

    @Test func `a lookup is made again, wherever the store fails`() throws {
        func doubtful() throws -> FirestoreSpec {
            let spec = try listening()
            try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
            try spec.watchResets(rooms)
            try spec.watchMarksCurrent(rooms, resumeToken: "r2", at: 1_001)
            try spec.expectLimbo([Cast.hall.key])
            return spec
        }
        func deny(_ spec: FirestoreSpec) throws {
            try spec.watchDeniesExistence(of: Cast.hall.key, at: 1_002)
        }
        try atEachCall(callCountMin: 4, from: doubtful, deny) { spec, hasFailed in
            if hasFailed {
                try spec.expectLimbo([Cast.hall.key])
                try spec.watchAnswers(rooms, with: [], resumeToken: "r3", at: 1_001)
                try deny(spec)
            }
            try spec.expectLimbo([])
            let last = try #require(spec.driver.heard.last).result.get()
            #expect(last.documents.isEmpty)
            #expect(!last.isFromCache)
        }
    }

    @Test func `another user signs in, wherever the store fails`() throws {
        try atEachCall(callCountMin: 4, from: writing) { spec in
            spec.driver.changeUser(to: UserID("ann"))
        } check: { spec, _ in
            #expect(spec.driver.engine.user == UserID("ann"))
            #expect(spec.driver.upstream.sent.isEmpty)
            let last = try #require(spec.driver.heard.last).result.get()
            #expect(last.documents.documents == [Cast.hall])
        }
    }

    @Test func `the end of a listener needs no store`() throws {
        var call = 1
        while true {
            let spec = try writing()
            spec.driver.store.failingCall = call
            try spec.userUnlistens(from: rooms)
            guard spec.driver.store.failingCall == nil else { break }
            try spec.expectWatched(0)
            #expect(!spec.driver.timers.contains(.storeRetry))
            spec.userListens(to: rooms)
            try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
            call += 1
        }
        #expect(call > 2)
    }
}
