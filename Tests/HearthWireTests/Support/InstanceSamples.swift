import HearthEngine
import HearthModel
import HearthTestSupport
import HearthWire

/// A sample of everything that goes over the socket in a session with an instance of the Realtime
/// Database, and random changes of the samples.
enum InstanceSamples {
    static let instance = InstanceID(host: "demo.firebaseio.com", name: "demo")
    static let codec: WireCodec = instance.map { WireCodec(.realtime($0)) } ?? WireCodec()

    static func node() throws -> Node {
        try Node(
            json: """
                {"hall":{"lamps":{"a":true,"b":{".value":1.5,".priority":"x"}},".priority":-2},
                 "name":"กข😀","n":-9007199254740993}
                """)
    }

    static func unresolved() throws -> UnresolvedNode {
        try NodeReader.read(
            Array(#"{"at":{".sv":"timestamp"},"n":{".sv":{"increment":2}},"x":[1,null,2]}"#.utf8))
    }

    static func changes() throws -> [RealtimeChange] {
        [
            .set("/", UnresolvedNode(.empty)), .set("/a/b", UnresolvedNode(try node())),
            .set("/a/b", try unresolved()),
            .set("/a/b/.priority", UnresolvedNode(Node(.integer(3)))),
            .set("/a/.priority", UnresolvedNode(.timestamp)),
            .update(
                "/rooms",
                [
                    .init("hall/name", UnresolvedNode(Node(.string("Hall")))),
                    .init("/.priority", UnresolvedNode(Node(.double(0.5)))),
                    .init("attic", UnresolvedNode(.empty)), .init("cellar", try unresolved()),
                ]),
            .update(.root, []),
        ]
    }

    static let queries: [QueryParameters] = [
        .all, QueryParameters(index: .key), QueryParameters(index: .value),
        .equalTo(.string("x"), key: "k", index: .child("a/b")),
        QueryParameters(
            index: .child("age"), start: .init(.integer(3), isInclusive: false),
            end: .init(.double(7.5), key: .key("z")), limit: .init(5, from: .last)),
        QueryParameters(index: .key, start: .init(.string("m")), limit: .init(1, from: .first)),
        QueryParameters(start: .init(nil), end: .init(.bool(true))),
    ]

    static func requests() throws -> [Request] {
        let changes = try changes()
        let requests: [InstanceRequest] =
            queries.map { .listen(ListenTarget("/rooms", $0), .observer) } + [
                .listen(
                    ListenTarget(
                        RealtimePath.info.appending(ChildKey(unchecked: "connected")), .all),
                    .silent),
                .get(ListenTarget("/", .all), .any), .get(ListenTarget("/a", .all), .server),
                .get(ListenTarget("/a", queries[3]), .cache), .waitForPendingWrites,
                .waitForOwnWrites(last: BatchID(7)), .purgeOwnWrites,
                .runTransaction("/votes", showsEstimate: true), .propose(nil, round: 3),
                .propose(UnresolvedNode(try node()), round: 1),
                .propose(try unresolved(), round: 0), .withhold(isWithheld: true),
                .keep(.tell), .keep(.keep(ListenTarget("/rooms/hall", .all))),
                .keep(.release(ListenTarget("/", .all))),
                .keep(.keep(ListenTarget("/rooms", queries[3]))),
                .keep(.release(ListenTarget("/rooms", queries[2]))),
                .withhold(isWithheld: false), .onDisconnect(.cancel("/presence"), .link),
            ]
            + changes.map { .write(.init(sequence: 9, answeredBelow: 4, change: $0, sentTo: 7)) }
            + OnDisconnectScope.allCases.map { .onDisconnect(.write(changes[2]), $0) }
        let orders: [QueueOrder<RealtimeChange>] = [
            .hold([BatchID(1), BatchID(2)]), .release([BatchID(1)]), .cancel([BatchID(1)]),
            .drop([BatchID(1)]), .edit(BatchID(3), changes[5]), .retry,
            .retryDeadLetters([BatchID(4)], evenIfApplied: true),
            .editDeadLetter(BatchID(4), changes[1], evenIfApplied: false),
            .dropDeadLetters([BatchID(4)]),
        ]
        return requests.map { .realtime($0) }
            + orders.map { .administration(.steerRealtimeQueue($0)) }
            + [
                .inquiry(.children(.init(of: "/", in: .cache(beginningWith: "")))),
                .inquiry(
                    .children(
                        .init(of: "/rooms", in: .cache(beginningWith: "h\u{301}"), countMax: 7))),
                .inquiry(.children(.init(of: "/", in: .backend(after: nil)))),
                .inquiry(
                    .children(.init(of: "/rooms", in: .backend(after: "hall"), countMax: 7))),
            ]
    }

    static func news() throws -> [ViewNews] {
        let target = ListenTarget("/rooms", .all)
        return [
            ViewNews(target, .whole(.empty), isComplete: false, isValueTold: false),
            ViewNews(
                target, .whole(try node()), isComplete: false, isValueTold: false,
                isBeginning: true),
            ViewNews(target, .whole(try node()), isComplete: true, isValueTold: true),
            ViewNews(
                target,
                .changes([
                    .init("hall", try node()), .init("hall/lamps/a", .empty),
                    .init("/.priority", Node(.string("p"))), .init("x/.priority", .empty),
                ]), isComplete: true, isValueTold: false),
            ViewNews(target, .changes([]), isComplete: true, isValueTold: true),
        ]
    }

    static func steps() throws -> [TransactionStep] {
        [
            .run(.empty, round: 1), .run(try node(), round: 70), .committed(try node()),
            .aborted(.empty),
            .failed(HearthError(code: .permissionDenied, message: "No."), try node()),
        ]
    }

    static func batch(_ change: RealtimeChange?) throws -> QueuePage.Batch {
        var batch = QueuePage.Batch(
            id: BatchID(3), state: .held, writtenAt: Timestamp(seconds: 10, nanoseconds: 0),
            byteCount: 99, writer: Writer(uid: 1_000, gid: 100, pid: 4_242, program: "lamp"),
            content: .places(["/a/b", "/a/.priority"], change))
        batch.heldBy = BatchID(2)
        return batch
    }

    /// The events that are one frame each.
    static func events() throws -> [Event] {
        let key = codec.key ?? .firestore(Samples.database)
        let error = HearthError(code: .permissionDenied, message: "Not yours.")
        var inspection = Inspection()
        let process = Writer(uid: 1, gid: 2, pid: 3)
        inspection.clients = [
            Inspection.Client(
                session: 4, process: process, database: key, listenerCount: 1, age: .seconds(6))
        ]
        inspection.listeners = [
            Inspection.Listener(session: 4, process: process, database: key, query: "/rooms")
        ]
        let letter = DeadLetterPage.Letter(
            batch: try batch(changes()[5]), error: error,
            rejectedAt: Timestamp(seconds: 20, nanoseconds: 0), mayHaveBeenApplied: true)
        return [
            .welcome(
                Welcome(
                    version: 1, sessionID: 77, database: key, daemonVersion: "1.0",
                    limits: Welcome.Limits(listenerCountMax: 100, requestCountMax: 200))),
            .report(.status(StatusReport(database: key))), .report(.inspection(inspection)),
            .report(
                .queue(
                    QueuePage(batches: [try batch(nil), try batch(changes()[0])], hasMore: true))),
            .report(.deadLetters(DeadLetterPage(letters: [letter], hasMore: false))),
            .report(
                .children(
                    .init(
                        children: [
                            .init(key: "7", hasChildren: true), .init(key: "é", hasChildren: false),
                        ], hasMore: true))),
            .keptPlaces([
                KeptPlace(ListenTarget("/menu", .all), uid: nil, isAllowed: true),
                KeptPlace(ListenTarget("/rooms", queries[2]), uid: 0, isAllowed: false),
            ]),
            .sharedReads(byteCount: nil), .sharedReads(byteCount: 8 << 20),
            .queueSteered([SteeredBatch(BatchID(1), newID: BatchID(9))]), .listenFailed(error),
            .writeCommitted(.init(sequence: 1, batch: BatchID(2), committedAt: .zero)),
            .node(.init(isFromCache: true, nodes: EncodedNodes(try node()))),
        ]
            + (try news().compactMap {
                var parts = NodeParts(of: $0)
                return parts.nextEvent()
            })
            + (try steps().compactMap {
                var parts = NodeParts(of: $0)
                return parts.nextEvent()
            })
    }

    // MARK: Chance

    static func node(depth: Int = 0, _ random: inout SeededGenerator) -> Node {
        let priority: LeafValue? =
            Int.random(in: 0..<5, using: &random) == 0 ? .string("p") : nil
        switch Int.random(in: 0..<(depth > 3 ? 5 : 8), using: &random) {
        case 0: return depth == 0 ? .empty : Node(.bool(true), priority: priority)
        case 1: return Node(.integer(Int64.random(in: .min ... .max, using: &random)))
        case 2: return Node(.double(Double.random(in: -1...1, using: &random)), priority: priority)
        case 3:
            let text = String(repeating: "é", count: Int.random(in: 0..<300, using: &random))
            return Node(.string(text), priority: priority)
        case 4: return Node(.bool(false))
        default:
            let children = (0..<Int.random(in: 1..<12, using: &random)).map { _ in
                (
                    key: ChildKey(unchecked: "k\(Int.random(in: 0..<1_000, using: &random))"),
                    node: node(depth: depth + 1, &random)
                )
            }
            return Node(children: children, priority: priority)
        }
    }
}

/// Places that stand in these tests.
extension WritePath: ExpressibleByStringLiteral {
    /// Takes a literal, which must be a place.
    package init(stringLiteral text: String) {
        guard let place = WritePath(text) else { preconditionFailure("\(text) is no place") }
        self = place
    }
}
