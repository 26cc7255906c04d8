import HearthEngine
import HearthFirestore
import HearthModel
import HearthTesting
import Testing

/// What a failed turn cannot ask of the store is asked later, without waiting for other news.
struct LateRecoverySpecs {
    private let attic = Cast.set("attic", size: 5)
    private let no = HearthError(code: .permissionDenied, message: "No.")

    /// Lets each call of the store in a turn fail in its turn, until no call is left to fail.
    ///
    /// - Parameters:
    ///   - turn: What the store fails in.
    ///   - check: What must be true afterwards. It is told whether a call has failed.
    private func atEachCall(
        from prepare: () throws -> FirestoreSpec, _ turn: (FirestoreSpec) throws -> Void,
        check: (FirestoreSpec, Bool) throws -> Void
    ) throws {
        var call = 1
        var hasFailed = true
        while hasFailed {
            let spec = try prepare()
            spec.driver.store.failingCall = call
            try turn(spec)
            hasFailed = spec.driver.store.failingCall == nil
            spec.driver.store.failingCall = nil
            spec.driver.drain()
            try check(spec, hasFailed)
            call += 1
        }
        #expect(call > 2)
    }

    // MARK: The queue goes on

    /// A program with a waiting write is for the network, in vain: the only other is against.
    private func voting() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        spec.userVotes(isEnabled: false, in: 2)
        spec.userWrites(attic, in: 2)
        #expect(spec.driver.upstream.sent.isEmpty)
        return spec
    }

    @Test
    func
        `the end of the last program against the network sends the queue, wherever the store fails`()
        throws
    {
        try atEachCall(from: voting) { spec in
            spec.driver.take(.disconnected(session: 2))
        } check: { spec, hasFailed in
            #expect(spec.driver.upstream.sent.isEmpty == hasFailed)
            spec.driver.fire(upTo: .filling)
            #expect(spec.driver.upstream.sent == [[attic]])
        }
    }

    @Test func `a queue that cannot be read is read again and again`() throws {
        let spec = try voting()
        spec.driver.store.failing = [.fillWritePipeline]
        spec.programEnds(2)
        for _ in 1...3 { spec.driver.fire(upTo: .filling) }
        #expect(spec.driver.upstream.sent.isEmpty)
        spec.driver.store.failing = []
        spec.driver.fire(upTo: .filling)
        #expect(spec.driver.upstream.sent == [[attic]])
        #expect(!spec.driver.timers.contains(.filling))
    }

    /// An increment waits until it is known whether markers may be made.
    private func asking() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        var limits = QueueLimits()
        limits.lostAnswers.markers = ResourcePath(["marks"])
        spec.driver.take(.setQueueLimits(limits))
        let size = FieldTransform(
            field: FieldPath(["size"]), operation: .increment(.integer(1)))
        spec.userWrites(
            Mutation(key: attic.key, kind: .patch(.empty, .empty), transforms: [size]))
        #expect(spec.driver.upstream.sent.isEmpty)
        return spec
    }

    @Test func `a queue that waits for leave to make marks goes on, wherever the store fails`()
        throws
    {
        try atEachCall(from: asking) { spec in
            let trial = spec.driver.upstream.takeCall()
            spec.driver.take(.upstream(.called(try #require(trial).id, .failed(no))))
        } check: { spec, hasFailed in
            #expect(spec.driver.upstream.sent.isEmpty == hasFailed)
            spec.driver.fire(upTo: .filling)
            #expect(spec.driver.upstream.sent.map { $0.map(\.key) } == [[attic.key]])
        }
    }

    // MARK: Letters

    /// A program that waits for its write, and a backend that refuses the write.
    private func refused() throws -> FirestoreSpec {
        let spec = try FirestoreSpec()
        let id = RequestID(session: 9, number: 1)
        let writer = Writer(uid: 1_000, gid: 1_000, pid: 1)
        spec.driver.take(
            .write(
                WriteRequest(id: id, writer: writer, mutations: [attic], conditions: .judged)))
        spec.driver.drain()
        try spec.writeFails(.permissionDenied)
        #expect(isTold(spec) == true)
        return spec
    }

    /// Whether the letter of the first batch counts as told; `nil` if there is no letter.
    private func isTold(_ spec: FirestoreSpec) -> Bool? {
        let letter = try? spec.driver.store.transaction { transaction throws(StoreError) in
            try transaction.deadLetter(BatchID(1))
        }
        return letter?.wasTold
    }

    @Test func `a rejection that reached nobody waits for somebody, wherever the store fails`()
        throws
    {
        try atEachCall(from: refused) { spec in
            spec.driver.take(.disclaim(RequestID(session: 9, number: 1), BatchID(1)))
        } check: { spec, hasFailed in
            #expect(isTold(spec) == hasFailed)
            #expect(spec.driver.timers.contains(.storeRetry) == hasFailed)
            spec.driver.fire(upTo: .storeRetry)
            #expect(isTold(spec) == false)
        }
    }
}
