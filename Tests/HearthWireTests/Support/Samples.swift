import HearthEngine
import HearthModel
import HearthWire

/// One of everything that goes over the socket.
enum Samples {
    static let database = DatabaseID(project: "demo", database: "house")
    static let codec = WireCodec(database: database)

    /// A report of the ledger with a row of each kind.
    static let ledger: LedgerReport = {
        let program = LedgerProgram(uid: 1_000, unit: "kiosk.service", name: "kiosk")
        var listener = LedgerReport.Row(
            program: program, query: "rooms", sums: LedgerSums(reads: 1, aloneReads: .max))
        listener.session = 7
        listener.since = Timestamp(seconds: 7, nanoseconds: 8)
        listener.isStopped = true
        listener.budget = LedgerBudget(.user(1_000), readCount: 7, limit: 8)
        var first = LedgerReport.Row(program: program)
        first.budget = LedgerBudget(.unit("kiosk.service"), readCount: .max, limit: .max)
        var second = LedgerReport.Row(program: .others)
        second.budget = LedgerBudget(.program(.others), readCount: 0, limit: 1)
        return LedgerReport(
            since: Timestamp(seconds: 86_400, nanoseconds: 0),
            rows: [
                LedgerReport.Row(program: .others), LedgerReport.Row(query: ""),
                LedgerReport.Row(day: LedgerDay(-1)), listener, first, second,
            ], total: LedgerSums(reads: 2, aloneReads: 3), readBudget: 9, uidReadBudget: 10,
            stopsAtBudget: true)
    }()

    static func key(_ path: String) throws -> DocumentKey { try DocumentKey(parsing: path) }

    static func document(_ path: String, _ fields: MapValue = ["n": .integer(1)]) throws -> Document
    {
        .found(
            try key(path), at: SnapshotVersion(Timestamp(seconds: 7, nanoseconds: 8)), fields,
            createdAt: SnapshotVersion(Timestamp(seconds: 5, nanoseconds: 6)))
    }

    static let everyValue: MapValue = [
        "null": .null, "flag": .boolean(true), "number": .integer(.min), "ratio": .double(-0.0),
        "nan": .double(.nan), "time": .timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_999)),
        "text": .string("e\u{301}é"), "bytes": .bytes([0, 255]),
        "place": .geoPoint(GeoPoint(latitude: -90, longitude: 180)),
        "reference": .reference(
            DocumentName(
                database: DatabaseID(project: "other"), path: ResourcePath(["a", "b"]))),
        "list": .array([.integer(1), .map(["x": .array([])])]), "vector": .vector([1.5, 2]),
    ]

    static func query() throws -> Query {
        var query = Query(path: try ResourcePath(parsing: "rooms/hall/lamps"))
        query.filters = [
            .field(FieldPath(["watts"]), .greaterThan, .integer(3)),
            .field(FieldPath(["tags"]), .arrayContainsAny, .array([.string("y")])),
        ]
        query.explicitOrderBys = [OrderBy(FieldPath(["watts"]), .descending)]
        query.limit = Query.Limit(3, .last)
        query.startAt = Bound([.integer(100)], isInclusive: true)
        query.endAt = Bound([.integer(5)], isInclusive: false)
        return query
    }

    static let index = WireIndex(
        collectionGroup: "rooms", isGroup: true,
        fields: [
            .init(path: FieldPath(["a", "b c"]), kind: .descending),
            .init(path: FieldPath(["tags"]), kind: .contains),
        ], isAutomatic: true, isComplete: true)

    static func requests() throws -> [Request] {
        let query = try query()
        var alternatives = Query(collectionGroup: "lamps")
        alternatives.filters = [
            .or([
                .field(FieldPath(["a b"]), .equal, .string("x")),
                .field(FieldPath(["c"]), .equal, .null),
            ])
        ]
        let transforms = [
            FieldTransform(field: FieldPath(["at"]), operation: .serverTimestamp),
            FieldTransform(field: FieldPath(["n"]), operation: .increment(.integer(2))),
        ]
        return [
            .session(
                .hello(
                    Hello(
                        versions: 1...4, client: Hello.Client(high: .max, low: 1), program: "lamp",
                        database: .firestore(.exactly(database)), answeredBelow: 12))),
            .session(.hello(Hello(client: .anonymous, program: ""))),
            .session(
                .hello(
                    Hello(client: .anonymous, program: "", database: .firestore(.named("other"))))),
            .session(.ping), .session(.shareReads), .session(.listenToStatus(.database)),
            .session(.listenToStatus(.allDatabases)),
            .firestore(.get(Query(document: try key("rooms/hall")), .server)),
            .firestore(.get(alternatives, .cache)),
            .firestore(.get(query, .default)),
            .firestore(
                .listen(
                    query,
                    ListenOptions(
                        includeMetadataChanges: true, waitForSyncWhenOnline: true, isCacheOnly: true
                    ))),
            .firestore(.listen(Query(path: ResourcePath(["rooms"])), ListenOptions())),
            .session(.unlisten),
            .firestore(
                .write(
                    FirestoreRequest.Write(
                        sequence: 9, answeredBelow: 4,
                        mutations: [
                            Mutation(
                                key: try key("a/b"), kind: .set(everyValue), transforms: transforms),
                            Mutation(
                                key: try key("a/c"),
                                kind: .patch(["x": .integer(1)], FieldMask([FieldPath(["x"])])),
                                precondition: .exists(true)),
                            Mutation(key: try key("a/d"), kind: .delete),
                        ]))),
            .firestore(.waitForPendingWrites), .firestore(.listenToSync),
            .firestore(.unlistenToSync),
            .firestore(.loadBundle(FirestoreRequest.BundlePart(data: [1, 2, 3], hasMore: true))),
            .firestore(.getNamedQuery("best")), .inquiry(.status),
            .inquiry(.inspection(.metrics)), .inquiry(.inspection(.clients)),
            .inquiry(.inspection(.listeners)),
            .inquiry(.inspection(.listeners, after: .init(session: 7, row: 9))),
            .inquiry(.inspection(.databases)), .inquiry(.inspection(.hour)),
            .inquiry(
                .queue(Inquiry.BatchPage(after: BatchID(4), batchCountMax: 10, withWrites: true))),
            .inquiry(.deadLetters(Inquiry.BatchPage())),
            .inquiry(
                .deadLetters(
                    Inquiry.BatchPage(after: BatchID(6), batchCountMax: 1, withFate: true))),
            .administration(.setNetwork(isEnabled: true)),
            .administration(.steerQueue(.hold([BatchID(1), BatchID(2)]))),
            .administration(.steerQueue(.release([BatchID(1)]))),
            .administration(.steerQueue(.cancel([BatchID(1)]))),
            .administration(.steerQueue(.drop([BatchID(1)]))),
            .administration(
                .steerQueue(.edit(BatchID(3), [Mutation(key: try key("a/c"), kind: .delete)]))),
            .administration(.reload), .administration(.steerQueue(.retry)),
            .administration(.backUp(position: 0)), .administration(.backUp(position: 1 << 40)),
            .administration(.steerQueue(.dropDeadLetters([BatchID(4)]))),
            .administration(.steerQueue(.retryDeadLetters([BatchID(4)], evenIfApplied: true))),
            .administration(
                .steerQueue(
                    .editDeadLetter(
                        BatchID(4), [Mutation(key: try key("a/b"), kind: .delete)],
                        evenIfApplied: true))),
            .administration(.authenticate(.tell)), .administration(.authenticate(.signOut)),
            .administration(.authenticate(.signIn(.anonymous))),
            .administration(.authenticate(.signIn(.password(email: "a@b", Secret("p"))))),
            .administration(.authenticate(.signIn(.newAccount(email: "a@b", Secret("p"))))),
            .administration(.authenticate(.signIn(.customToken(Secret("t"))))),
            .firestore(.explain(query)), .firestore(.manageIndexes(.none)),
            .firestore(.manageIndexes(.add(index))),
            .firestore(.manageIndexes(.remove(index))), .firestore(.manageIndexes(.removeAll)),
            .firestore(.manageIndexes(.setAutomaticCreation(isEnabled: false))),
            .firestore(.manageIndexes(.configure("{}"))),
            .inquiry(
                .collections(
                    Inquiry.CollectionPage(
                        below: ResourcePath(["a", "b"]), after: ResourcePath(["a", "b", "c"]),
                        countMax: 5))),
            .inquiry(.collections(Inquiry.CollectionPage(below: .root, isOfBackend: true))),
            .inquiry(.document(try key("a/b"))), .administration(.clearPersistence),
            .inquiry(.ledger(LedgerQuestion())),
            .inquiry(
                .ledger(
                    LedgerQuestion(since: Timestamp(seconds: 7, nanoseconds: 8), by: .listener))),
            .inquiry(.ledger(LedgerQuestion(by: .query))),
            .inquiry(.ledger(LedgerQuestion(by: .day))),
            .inquiry(.history(HistoryQuestion(of: try key("a/b")))),
            .inquiry(
                .history(
                    HistoryQuestion(
                        of: try key("a/b/c/d"), before: 9,
                        since: Timestamp(seconds: -7, nanoseconds: 8), countMax: 3))),
            .inquiry(
                .history(
                    HistoryQuestion(of: try key("a/b"), at: Timestamp(seconds: 7, nanoseconds: 8)))),
            .firestore(.waitForOwnWrites(last: BatchID(7))),
            .firestore(.voteNetwork(isEnabled: true)),
            .firestore(.cancelWrite(sequence: 3, batch: BatchID(7))),
            .firestore(
                .write(
                    .init(
                        sequence: 4, answeredBelow: 2,
                        mutations: [Mutation(key: try key("a/b"), kind: .delete)],
                        terms: SendingTerms(
                            expiresAt: Timestamp(seconds: 9, nanoseconds: 1_000),
                            isOnlineOnly: true), isJudgedAtOnce: true, sentTo: 8))),
            .firestore(.pin(.list)), .firestore(.pin(.end(name: "lamps", uid: 7))),
            .firestore(.pin(.end(name: "é", uid: nil))),
            .firestore(.pin(.wait(name: "lamps", uid: 0))),
            .firestore(.pin(.keep(query, name: "lamps", freshness: .seconds(600)))),
            .firestore(.pin(.keep(Query(document: try key("a/b")), name: "b", freshness: nil))),
            .firestore(.readDocuments([try key("a/b"), try key("a/c")])),
            .firestore(.noteReads([try key("a/b"), try key("a/c")])),
            .firestore(
                .commit([
                    Mutation(
                        key: try key("a/b"), kind: .verify,
                        precondition: .updateTime(
                            SnapshotVersion(Timestamp(seconds: 3, nanoseconds: 4_000)))),
                    Mutation(key: try key("a/c"), kind: .delete, precondition: .exists(true)),
                ])),
            .firestore(
                .aggregate(
                    AggregateRequest(
                        query: query,
                        aggregations: [
                            Aggregation(alias: "a", operation: .count(upTo: nil)),
                            Aggregation(alias: "b", operation: .count(upTo: 3)),
                            Aggregation(alias: "c", operation: .sum(FieldPath(["x", "y z"]))),
                            Aggregation(alias: "d", operation: .average(FieldPath(["x"]))),
                        ], source: .cache))),
            .firestore(
                .buildBundle(
                    BundleOrder(
                        id: "all", queries: [.init(name: "best", query: query)],
                        documents: [try key("a/b")]))),
        ]
    }

    static func snapshot(
        base: UInt64? = nil, documents: [Event.ListedDocument]? = nil
    ) throws -> Event.Snapshot {
        Event.Snapshot(
            id: 8, base: base,
            documents: try documents ?? [
                Event.ListedDocument(document("rooms/hall", everyValue), hasPendingWrites: false),
                Event.ListedDocument(document("rooms/attic"), hasPendingWrites: true),
            ],
            removed: [try key("rooms/cellar")],
            flags: Event.SnapshotFlags(
                isFromCache: true, hasPendingWrites: true, excludesMetadataChanges: true,
                rejectedWrites: [
                    RejectedWrite(BatchID(7), HearthError(code: .permissionDenied, message: "No."))
                ], changeNumber: 9))
    }

    /// A history with a step of each kind.
    static var report: StatusReport {
        var report = StatusReport(database: .firestore(database))
        report.daemonVersion = "1.0"
        report.uptime = .seconds(60)
        report.degradedReasons = ["The disk is full."]
        report.losses = [
            StoreLoss(
                noticedAt: Timestamp(seconds: 5, nanoseconds: 0), account: "It was emptied.",
                path: "/store/x.sqlite.damaged-5-report")
        ]
        report.tell(
            of: [BundleLoading(id: "news", documentCount: 150, totalDocumentCount: 100_000)],
            besides: 2)
        report.user = UserID("ada")
        report.upstream = "localhost:8080"
        report.onlineState = .offline
        report.isNetworkEnabled = false
        report.queueBatchCount = 3
        report.oldestWrittenAt = Timestamp(seconds: 1, nanoseconds: 2)
        report.deadLetterCount = 4
        report.clientCount = 5
        report.listenerCount = 6
        report.targetCount = 7
        report.cachedDocumentCount = 8
        report.cacheByteCount = 9
        report.heldBatchCount = 2
        report.keptPlaceCount = 1
        (report.pinCount, report.pinnedByteCount, report.stoppedPinCount) = (3, 70_000, 1)
        (report.historyEntryCount, report.historyByteCount) = (4, 80_000)
        report.hasUnknownCounts = true
        report.connectionError = HearthError(code: .permissionDenied, message: "Not yours.")
        report.connectionFailedAt = Timestamp(seconds: 4, nanoseconds: 0)
        report.nextAttemptDelay = .milliseconds(0)
        return report
    }

    static func pins() throws -> [PinReport] {
        let standing = Pin(id: .init(uid: nil, name: "a/b"), query: Query(document: try key("a/b")))
        let fresh = Pin(
            id: .init(uid: 0, name: "lamps"), query: try query(), freshness: .milliseconds(1_500))
        return [PinReport(pin: standing, state: .waiting)]
            + PinReport.State.allCases.map { state in
                PinReport(
                    pin: fresh, state: state, completedAt: Timestamp(seconds: 9, nanoseconds: 1),
                    byteCount: 12,
                    error: state == .stopped
                        ? HearthError(code: .resourceExhausted, message: "Too much.") : nil)
            }
    }

    static func welcome(_ collection: DaemonSetup.Collection) -> Welcome {
        Welcome(
            version: 1, sessionID: 77, database: .firestore(database), daemonVersion: "1.0",
            limits: Welcome.Limits(listenerCountMax: 100, requestCountMax: 200),
            setup: DaemonSetup(
                upstream: "localhost:8080", isEmulator: true, isPersistent: false,
                collection: collection), storeGeneration: 0xFEDC_BA98_7654_3210)
    }

    static func events() throws -> [Event] {
        let error = HearthError(code: .permissionDenied, message: "Not yours.")
        let report = self.report
        let committedAt = SnapshotVersion(Timestamp(seconds: 3, nanoseconds: 0))
        return [
            .welcome(
                Welcome(
                    version: 1, sessionID: 77, database: .firestore(database), daemonVersion: "1.0",
                    limits: Welcome.Limits(listenerCountMax: 100, requestCountMax: 200))),
            .welcome(welcome(.leastUsed(cacheByteCountMax: 5_000_000_000))),
            .welcome(welcome(.eager)), .welcome(welcome(.never)),
            .done, .failed(error), .answer(try snapshot()), .snapshot(try snapshot(base: 7)),
            .listenFailed(error), .writeAccepted(.init(sequence: 2, batch: BatchID(3))),
            .writeCommitted(
                .init(
                    sequence: 2, batch: BatchID(3), committedAt: committedAt,
                    updateTimes: [committedAt])),
            .writeRejected(
                .init(
                    sequence: 2, batch: BatchID(3), error: error, mayHaveBeenApplied: true,
                    isOutcomeUnknown: true)),
            .inSync, .report(.status(report)),
            .report(.status(StatusReport(database: .firestore(database)))),
            .report(.inspection(inspection)),
            .inSync, .report(.status(report)),
            .signIn(SignInReport(user: UserID("ada"), source: "a key", isChangeable: true)),
            .signIn(
                SignInReport(
                    user: .unauthenticated, source: "nothing", isChangeable: false,
                    problem: "The key is gone.")),
            .report(.status(StatusReport(database: .firestore(database)))),
            .report(.queue(QueuePage(batches: [try batch()], hasMore: true))),
            .report(
                .collections(
                    Report.CollectionList(
                        paths: [ResourcePath(["a"]), ResourcePath(["a", "b", "c"])], hasMore: true))
            ),
            .report(.document(try description())), .report(.ledger(ledger)),
            .report(.history(try history())),
            .report(.history(HistoryPage(entries: [], hasMore: false))),
            .report(
                .ledger(
                    LedgerReport(
                        since: Timestamp(seconds: 0, nanoseconds: 0), rows: [],
                        total: LedgerSums()))),
            .report(
                .document(
                    DocumentDescription(.invalid(try key("a/b")), isInTarget: false, batches: []))),
            .reloaded(ReloadReport(applied: ["access"], needsRestart: ["server.loopCount"])),
            .backupPart(
                BackupPart(
                    data: [0, 255, 7], hasMore: true, byteCountExpected: 1 << 40,
                    database: "projects/p/databases/d")),
            .backupPart(
                BackupPart(data: [], hasMore: false, byteCountExpected: 0, database: "")),
            .queueSteered([SteeredBatch(BatchID(1), newID: BatchID(9))]), .queueSteered([]),
            .report(.deadLetters(letterless(.pending))),
            .report(.deadLetters(letterless(.committed))),
            .report(.deadLetters(letterless(.rejected(error, mayHaveBeenApplied: true)))),
            .report(
                .deadLetters(
                    DeadLetterPage(
                        letters: [
                            DeadLetterPage.Letter(
                                batch: try batch(), error: error,
                                rejectedAt: Timestamp(seconds: 20, nanoseconds: 0),
                                mayHaveBeenApplied: true)
                        ], hasMore: false))),
            .bundleProgress(
                .init(
                    documentsLoaded: 1, totalDocuments: 2, bytesLoaded: 3, totalBytes: 4,
                    isFinished: true)),
            .namedQuery(.init(query: try query(), readAt: committedAt)), .namedQuery(nil),
            .documents([
                try document("rooms/hall", everyValue), .missing(try key("a/b"), at: .zero),
            ]),
            .committed(.init(committedAt: committedAt, updateTimes: [committedAt])),
            .explanation(
                QueryExplanation(
                    plan: "index", indexes: ["rooms(a asc)"], examinedCount: 3, matchedCount: 2,
                    why: "It fits.")),
            .indexes(IndexList(indexes: [index], createsAutomatically: true)),
            .pins(try pins()), .pins(try pins(), hasMore: true),
            .commitFailed(error, mayHaveBeenApplied: true),
            .numbers(
                .init(
                    values: ["a": .integer(.min), "b": .double(-0.5), "c": .null],
                    isFromCache: true, hasPendingWrites: true)),
            .bundle(FirestoreRequest.BundlePart(data: [1, 2, 3], hasMore: true)),
        ]
    }
}
