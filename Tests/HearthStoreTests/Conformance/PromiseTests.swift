import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// What stores keep of promised times.
struct PromiseTests {
    private let user = UserID.unauthenticated

    private func promised(_ id: Int64, _ mutations: Mutation...) -> QueuedBatch {
        QueuedBatch(
            batch: MutationBatch(
                id: BatchID(id), writtenAt: Timestamp(seconds: 1_000 + id, nanoseconds: 7),
                promisedAt: Timestamp(promising: 5_000 + id), mutations: mutations),
            user: user, writer: author)
    }

    private func overlay(_ batch: Int64, _ mutation: Mutation) -> Overlay {
        Overlay(
            largestBatchID: BatchID(batch), promisedAt: Timestamp(promising: 5_000 + batch),
            mutation: mutation)
    }

    @Test(arguments: StoreKind.allCases)
    func `a batch keeps its promise, and so does its effect`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let one = promised(1, set("a/1"))
        let two = promised(2, set("a/2"), set("a/3"))
        try bench.write {
            try $0.append(one, effects: [overlay(1, set("a/1"))])
            try $0.append(two, effects: [overlay(2, set("a/2")), overlay(2, set("a/3"))])
        }
        try bench.write {
            #expect(try $0.batch(BatchID(1), of: user) == one)
            #expect(try $0.nextBatch(after: BatchID(1), of: user) == two)
            #expect(try $0.overlay(key("a/1"), of: user) == overlay(1, set("a/1")))
            #expect(try $0.overlay(key("a/3"), of: user) == overlay(2, set("a/3")))
            let found = try $0.overlays(for: Query(path: path("a")), after: .none, of: user)
            #expect(found[key("a/1")] == overlay(1, set("a/1")))
            #expect(found[key("a/2")] == overlay(2, set("a/2")))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an edited batch keeps its promise`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let edited = promised(1, set("a/2"))
        try bench.write { try $0.append(promised(1, set("a/1"))) }
        try bench.write { try $0.replaceBatch(edited, writingTo: [key("a/1")]) }
        #expect(try bench.write { try $0.batch(BatchID(1), of: user) } == edited)
    }

    @Test(arguments: StoreKind.allCases)
    func `what became of a promise is found by its microsecond`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let outcomes: [SettledPromise.Outcome] = [
            .rejected, .committed(at: version(8)),
            .committed(at: version(8), besides: [key("a/1"): version(3), key("é/1"): version(4)]),
        ]
        for (index, outcome) in outcomes.enumerated() {
            let time = Timestamp(promising: 946_684_800_000_000 + Int64(index))
            let promise = SettledPromise(
                promisedAt: time, batch: BatchID(Int64(index + 1)), outcome: outcome)
            try bench.write { try $0.setPromise(promise) }
            #expect(try bench.write { try $0.promise(time) } == promise)
            #expect(try bench.write { try $0.promise(time.flooredToMicroseconds) } == promise)
        }
        #expect(try bench.write { try $0.promise(Timestamp(promising: 7)) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a letter that was told is kept as such until it is removed`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let error = HearthError(code: .permissionDenied, message: "No.")
        let letter = DeadLetter(
            batch: promised(4, set("a/1")), error: error,
            rejectedAt: Timestamp(seconds: 9, nanoseconds: 0), mayHaveBeenApplied: true,
            wasTold: true)
        try bench.write { try $0.appendDeadLetter(letter) }
        #expect(try bench.write { try $0.deadLetter(BatchID(4)) } == letter)
        try bench.write { try $0.removeDeadLetter(BatchID(4)) }
        #expect(try bench.write { try $0.deadLetter(BatchID(4)) } == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the last told letters are those in the time before the newest`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        #expect(try bench.write { try $0.toldLetters(ofLast: .seconds(60)) } == [])
        let error = HearthError(code: .permissionDenied, message: "No.")
        for (place, seconds) in [Int64(10), 40, 100, 300].enumerated() {
            let letter = DeadLetter(
                batch: promised(Int64(place + 1), set("a/1")), error: error,
                rejectedAt: Timestamp(seconds: seconds, nanoseconds: 0),
                mayHaveBeenApplied: false, wasTold: seconds < 300)
            try bench.write { try $0.appendDeadLetter(letter) }
        }
        let last = try bench.write { try $0.toldLetters(ofLast: .seconds(60)) }
        #expect(last == [BatchID(2), BatchID(3)])
        let letter = try #require(try bench.write { try $0.deadLetter(BatchID(2)) })
        try bench.write { try $0.appendDeadLetter(letter.untold) }
        #expect(try bench.write { try $0.deadLetter(BatchID(2)) } == letter.untold)
        #expect(try bench.write { try $0.toldLetters(ofLast: .zero) } == [BatchID(3)])
    }

    @Test(arguments: StoreKind.allCases)
    func `told letters are forgotten one by one or all at once, and no others`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        let error = HearthError(code: .permissionDenied, message: "No.")
        let letters = (Int64(1)...4).map { number in
            DeadLetter(
                batch: promised(number, set("a/1")), error: error,
                rejectedAt: Timestamp(seconds: number, nanoseconds: 0),
                mayHaveBeenApplied: false, wasTold: number < 4)
        }
        for letter in letters { try bench.write { try $0.appendDeadLetter(letter) } }
        func kept() throws -> [Int64] {
            try bench.write { store in
                try (Int64(1)...4).filter { try store.deadLetter(BatchID($0)) != nil }
            }
        }
        for number in [Int64(2), 4, 9] {
            try bench.write { try $0.forgetToldLetter(BatchID(number)) }
        }
        #expect(try kept() == [1, 3, 4])
        try bench.write { try $0.forgetToldLetters() }
        #expect(try kept() == [4])
    }

    @Test(arguments: StoreKind.allCases)
    func `the last promise is a counter`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        var globals = try bench.write { try $0.globals() }
        globals.lastPromisedAt = Timestamp(promising: 77)
        try bench.write { try $0.setGlobals(globals) }
        #expect(try bench.write { try $0.globals() } == globals)
    }

    @Test(arguments: StoreKind.allCases)
    func `clearing forgets promises and not the last one`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let time = Timestamp(promising: 77)
        try bench.write {
            try $0.setPromise(
                SettledPromise(promisedAt: time, batch: BatchID(1), outcome: .rejected))
            var globals = try $0.globals()
            globals.lastPromisedAt = time
            try $0.setGlobals(globals)
        }
        try bench.write { try $0.removeAll() }
        #expect(try bench.write { try $0.promise(time) } == nil)
        #expect(try bench.write { try $0.globals() }.lastPromisedAt == time)
    }

    @Test(arguments: StoreKind.allCases)
    func `an effect keeps when its document was made, until a later effect takes its place`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        let made = Timestamp(promising: 5_001)
        let created = Overlay(
            largestBatchID: BatchID(2), promisedAt: Timestamp(promising: 5_002), createdAt: made,
            mutation: set("a/1"))
        try bench.write {
            try $0.append(promised(1, set("a/1")), effects: [overlay(1, set("a/1"))])
            try $0.append(promised(2, set("a/1")), effects: [created])
        }
        try bench.write {
            #expect(try $0.overlay(key("a/1"), of: user) == created)
            let found = try $0.overlays(for: Query(path: path("a")), after: .none, of: user)
            #expect(found[key("a/1")] == created)
        }
        let later = promised(3, set("a/1"))
        try bench.write { try $0.append(later, effects: [overlay(3, set("a/1"))]) }
        #expect(try bench.write { try $0.overlay(key("a/1"), of: user) } == overlay(3, set("a/1")))
    }
}
