import HearthModel
import HearthTestSupport
import HearthWire
import Testing

struct WireCodecTests {
    @Test func `every request survives the way through a frame`() throws {
        for request in try Samples.requests() {
            let frame = try Samples.codec.frame(of: request, number: 5)
            #expect(frame.request == 5)
            #expect(frame.kind == request.kind)
            #expect(try Samples.codec.request(frame) == request)
        }
    }

    @Test func `every event survives the way through a frame`() throws {
        for event in try Samples.events() {
            let frame = try Samples.codec.frame(of: event, number: 6)
            #expect(frame.request == 6)
            #expect(frame.kind == event.kind)
            #expect(try Samples.codec.event(frame) == event)
        }
    }

    @Test func `requests and events have no kind in common`() throws {
        let requests = Set(try Samples.requests().map(\.kind))
        let events = Set(try Samples.events().map(\.kind))
        #expect(requests.count == 37)
        #expect(events.count == 32)
        #expect(requests.allSatisfy { $0 < 128 })
        #expect(events.allSatisfy { $0 >= 128 })
    }

    @Test func `before the handshake only the handshake is understood`() throws {
        let early = WireCodec()
        for request in try Samples.requests() {
            let frame = try Samples.codec.frame(of: request, number: 1)
            if Self.namesDocuments(request) {
                #expect(throws: WireError.noDatabaseYet) { try early.request(frame) }
            } else {
                #expect(try early.request(frame) == request)
            }
        }
    }

    /// Whether only a codec of a database can read the request.
    private static func namesDocuments(_ request: Request) -> Bool {
        switch request {
        case .session, .inquiry: return false
        case .realtime: return true
        case .administration(let request):
            if case .steerQueue = request { return true }
            return false
        case .firestore(let request):
            switch request {
            case .get, .listen, .write, .explain, .readDocuments, .noteReads, .commit, .aggregate,
                .buildBundle:
                return true
            case .waitForPendingWrites, .waitForOwnWrites, .listenToSync, .unlistenToSync,
                .loadBundle, .getNamedQuery, .manageIndexes, .voteNetwork, .cancelWrite:
                return false
            case .pin(let order):
                if case .keep = order { return true }
                return false
            }
        }
    }

    @Test func `a pending server timestamp reaches the client and is not taken from it`() throws {
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(
                localWriteTime: Timestamp(seconds: 4, nanoseconds: 0), previousValue: .integer(3)))
        let document = try Samples.document("a/b", ["at": pending])
        let event = Event.snapshot(
            try Samples.snapshot(
                documents: [Event.ListedDocument(document, hasPendingWrites: true)]))
        let frame = try Samples.codec.frame(of: event)
        guard case .snapshot(let snapshot) = try Samples.codec.event(frame) else {
            Issue.record("Another event came out")
            return
        }
        #expect(snapshot.documents.first?.document[FieldPath(["at"])] == pending)
        guard
            case .serverTimestamp(let stand)? = snapshot.documents.first?
                .document[FieldPath(["at"])]
        else { return }
        #expect(stand.previousValue == .integer(3))

        let write = Request.firestore(
            .write(
                FirestoreRequest.Write(
                    sequence: 1, answeredBelow: 1,
                    mutations: [Mutation(key: try Samples.key("a/b"), kind: .set(["at": pending]))])
            ))
        #expect(throws: WireError.self) { try Samples.codec.frame(of: write, number: 1) }
    }

    @Test func `a query that Firestore refuses is refused where it is read`() throws {
        var query = Query(path: ResourcePath(["rooms"]))
        query.filters = [.field(FieldPath(["a"]), .isIn, .array([]))]
        let frame = try Samples.codec.frame(of: .firestore(.get(query, .default)), number: 1)
        #expect {
            try Samples.codec.request(frame)
        } throws: { error in
            (error as? WireError)?.hearthError.code == .invalidArgument
        }
    }

    @Test func `a name of another database is refused`() throws {
        let other = WireCodec(database: DatabaseID(project: "other"))
        let frame = try other.frame(
            of: .firestore(.get(Query(document: try Samples.key("a/b")), .default)), number: 1)
        #expect(throws: WireError.self) { try Samples.codec.request(frame) }
    }

    @Test func `a write without writes is refused`() throws {
        let frame = try Samples.codec.frame(
            of: .firestore(
                .write(FirestoreRequest.Write(sequence: 1, answeredBelow: 1, mutations: []))),
            number: 1)
        #expect(throws: WireError.self) { try Samples.codec.request(frame) }
    }

    @Test func `an unknown kind is named, so that it can be skipped`() {
        #expect(throws: WireError.unknownKind(99)) {
            try Samples.codec.request(Frame(kind: 99, request: 1, body: []))
        }
        #expect(throws: WireError.unknownKind(255)) {
            try Samples.codec.event(Frame(kind: 255, request: 1, body: []))
        }
        #expect(throws: WireError.unknownKind(0)) {
            try Samples.codec.event(Frame(kind: 0, request: 1, body: []))
        }
    }

    @Test func `a code that nobody knows reads as unknown`() throws {
        // Failure { code: 0 }, which would mean that all is well.
        let frame = Frame(kind: Event.failed(Self.anyError).kind, request: 1, body: [])
        #expect(
            try Samples.codec.event(frame) == .failed(HearthError(code: .unknown, message: "")))
    }

    @Test func `a body that is too large for a frame is refused before it is sent`() throws {
        let bytes = [UInt8](repeating: 1, count: Frame.bodyByteCountMax)
        let part = Request.firestore(
            .loadBundle(FirestoreRequest.BundlePart(data: bytes, hasMore: false)))
        #expect(throws: WireError.self) { try Samples.codec.frame(of: part, number: 1) }
    }

    @Test(arguments: 0..<100)
    func `random bodies never crash the codec`(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        for kind in UInt8(0)...255 {
            let body = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let frame = Frame(kind: kind, request: 1, body: body)
            #expect(throws: Never.self) { Self.read(frame) }
        }
    }

    @Test(arguments: 0..<20)
    func `changed bytes of real messages never crash the codec`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let requests = try Samples.requests().map { try Samples.codec.frame(of: $0, number: 1) }
        let events = try Samples.events().map { try Samples.codec.frame(of: $0) }
        for frame in requests + events where !frame.body.isEmpty {
            for _ in 0..<50 {
                var broken = frame
                broken.body = random.damaged(frame.body)
                if random.next() % 4 == 0 {
                    broken.body.removeLast(
                        Int.random(in: 0...broken.body.count, using: &random))
                }
                Self.read(broken)
            }
        }
    }

    private static let anyError = HearthError(code: .unknown, message: "")

    /// Reads a frame both ways; that it cannot be read is no fault.
    private static func read(_ frame: Frame) {
        _ = try? Samples.codec.request(frame)
        _ = try? Samples.codec.event(frame)
        _ = try? WireCodec().request(frame)
    }
}
