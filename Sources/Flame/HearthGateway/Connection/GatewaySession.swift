import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import NIOCore

/// A connection's work in one database: its rights, its engine, its unanswered requests.
///
/// One line in the engine's mailbox. The numbers of requests and listeners are the session's own,
/// and none comes twice. For the event loop of the connection.
final class GatewaySession: SessionEnd {
    /// A listener of the session.
    private final class Listening {
        let query: Query
        let byteCount: Int
        let take: (FirestoreDelivery) -> Void

        init(_ query: Query, byteCount: Int, then take: @escaping (FirestoreDelivery) -> Void) {
            self.query = query
            self.byteCount = byteCount
            self.take = take
        }
    }

    /// A refusal as the journal counts it: once for each rule and right, however often it comes.
    private struct NotedRefusal: Hashable {
        let right: AccessPolicy.Right
        let rule: String?
    }

    /// The session's number.
    let id: UInt64
    /// Whose documents are asked for.
    let database: DatabaseID
    /// What the access rules allow the peer here.
    private(set) var grant: AccessGrant
    /// The engine, and what the daemon has besides it for the database.
    let service: RunningEngine.FirestoreService
    /// The connection that the session belongs to.
    let connection: GatewayConnection
    /// The daemons that the client's calls came through.
    let way = CallWay()

    private let key: EngineKey
    private let lifecycle: (any EngineLifecycle)?
    private var limits: SessionLimits
    private var lastNumber: UInt64 = 0
    private var asked: [UInt64: (FirestoreDelivery) -> Bool] = [:]
    /// Accepted writes whose outcome somebody here wants to be told.
    var awaited: [UInt64: BatchID] = [:]
    private var listeners: [UInt64: Listening] = [:]
    /// Bytes of the listeners' queries.
    private var queryByteCount = 0
    private var gathered: [FirestoreEngine.Input] = []
    private var notedRefusals: Set<NotedRefusal> = []
    /// Calls that have begun and are not answered.
    private var callCount = 0
    /// Bytes of the requests of those calls.
    private var callByteCount = 0
    /// Bytes that calls hold for the client besides.
    private var heldByteCount = 0
    private var tally = SessionTally()
    /// Requests to write.
    var writeCount = 0
    private var isMailboxFull = false
    private var isPaced = false
    private var isOver = false
    private var hasLeft = false

    /// A session on the engine that the connection has attached to.
    ///
    /// - Parameter program: What the program calls itself. The engine hears of it with the first input.
    init(
        _ id: UInt64, in database: DatabaseID, service: RunningEngine.FirestoreService,
        of connection: GatewayConnection, program: String?
    ) {
        self.id = id
        self.database = database
        self.service = service
        self.connection = connection
        key = .firestore(database)
        lifecycle = connection.parts.engines.engine(of: key)?.lifecycle
        limits = connection.settings.limits
        grant = AccessGrant(connection.settings.access, to: connection.peer, in: key)
        tally.heldByteCount = ClientMemory.clientByteCount
        gathered = [
            .introduce(session: id, LedgerProgram(of: connection.peer.writer(program)))
        ]
    }

    /// Who writes, as the queue remembers it.
    ///
    /// - Parameter program: What the program calls itself.
    func writer(_ program: String?) -> Writer { connection.peer.writer(program) }

    /// Makes the calls to the backend that the engine has no word for.
    var door: any BackendDoor { service.door }

    /// Whether the backend can be reached, as the engine knows it, or else the door.
    ///
    /// `.offline` means that what needs the backend is refused at once. An engine that wants nothing
    /// of the backend tries nothing, so asking has the door try.
    var reach: OnlineState {
        guard let status = lifecycle?.status, status.isNetworkEnabled else { return .offline }
        if status.onlineState == .online { return .online }
        door.knock()
        switch door.reach {
        case .unknown: return status.onlineState
        case .reachable: return .unknown
        case .unreachable: return .offline
        }
    }

    /// What the engine's own streams know of the backend.
    var engineState: OnlineState { lifecycle?.status.onlineState ?? .unknown }

    // MARK: Rights

    /// Checks a right, and tells the journal of a refusal if that is news.
    func check(_ right: AccessPolicy.Right, _ scope: AccessScope) throws(HearthError) {
        if let marks = connection.settings.marks, scope.concerns(marks) {
            throw .marks(in: marks)
        }
        guard let refusal = grant.refusal(of: right, to: scope) else { return }
        let noted = NotedRefusal(right: right, rule: refusal.rule)
        if notedRefusals.insert(noted).inserted {
            connection.parts.registry.noteRefused(id, refusal)
        }
        throw refusal.error
    }

    func reconfigure(_ values: LiveSettings.Values) {
        connection.reconfigure(values)
        limits = values.limits
        notedRefusals = []
        grant = AccessGrant(values.access, to: connection.peer, in: key)
        for (number, listening) in listeners {
            let refusal = grant.refusal(of: .read, to: AccessScope(listening.query))
            guard let refusal else { continue }
            unlisten(number)
            listening.take(.fail(number, refusal.error))
        }
        count()
    }

    // MARK: Requests

    /// Asks the engine.
    ///
    /// - Parameters:
    ///   - input: Makes the input of the request's name.
    ///   - take: Gets every delivery for the request, on the loop, and returns whether it wants more.
    ///     The end of the session comes as `.refuse`.
    /// - Returns: The request's number, for `forget`.
    @discardableResult
    func ask(
        _ input: (RequestID) -> FirestoreEngine.Input,
        then take: @escaping (FirestoreDelivery) -> Bool
    ) -> UInt64 {
        lastNumber += 1
        let number = lastNumber
        asked[number] = take
        gather(input(RequestID(session: id, number: number)))
        return number
    }

    /// Documents as the cache has them, each found or missing; `nil` if one must be asked for.
    ///
    /// The documents have every write of this session that the session was told of.
    func remembered(_ keys: [DocumentKey]) -> DocumentsRead? {
        isOver ? nil : service.cachedReads.documents(keys)
    }

    /// Drops what the engine will have for a request; a write that it asked for stays.
    func forget(_ request: UInt64) { asked[request] = nil }

    /// Gives up a request, unless it was answered: the engine need not answer it.
    func abandon(_ request: UInt64) {
        guard asked.removeValue(forKey: request) != nil, !isOver else { return }
        gather(.abandon(RequestID(session: id, number: request)))
    }

    /// Tells the engine whether somebody hears of a write's outcome, also while the session ends.
    func report(_ input: FirestoreEngine.Input) {
        guard !hasLeft else { return }  // Whoever leaves disclaims all.
        gathered.append(input)
        connection.submitSoon()
    }

    /// Listens to a query until `unlisten`, or until `take` gets `.fail`.
    ///
    /// - Parameters:
    ///   - byteCount: What the query takes in memory, about.
    ///   - take: Gets every delivery for the listener, on the loop.
    /// - Returns: The listener's number.
    /// - Throws: If the program's user has too many listeners.
    func listen(
        _ query: Query, _ options: ListenOptions, byteCount: Int = 0,
        then take: @escaping (FirestoreDelivery) -> Void
    ) throws(HearthError) -> UInt64 {
        if let refusal = quota.refusalOfListener(
            besides: listeners.count, others.listenerCount - tally.listenerCount)
        {
            throw refusal
        }
        lastNumber += 1
        let number = lastNumber
        listeners[number] = Listening(query, byteCount: byteCount, then: take)
        queryByteCount += byteCount
        gather(.listen(ListenerID(session: id, number: number), query, options))
        count()
        return number
    }

    /// Ends a listener. Deliveries that are on the way are dropped.
    func unlisten(_ listener: UInt64) {
        guard remove(listener) != nil else { return }
        gather(.unlisten(ListenerID(session: id, number: listener)))
        count()
    }

    private func remove(_ listener: UInt64) -> Listening? {
        guard let listening = listeners.removeValue(forKey: listener) else { return nil }
        queryByteCount -= listening.byteCount
        return listening
    }

    /// Asks the engine for nothing more than to take an input.
    func gather(_ input: FirestoreEngine.Input) {
        if isOver { return connection.eventLoop.assumeIsolated().execute { [self] in refuseAll() } }
        gathered.append(input)
        connection.submitSoon()
    }

    /// Puts what was gathered in the engine's mailbox.
    func submit() {
        guard !gathered.isEmpty else { return }
        let inputs = gathered
        gathered.removeAll(keepingCapacity: true)
        switch service.inlet.submit(inputs, from: source) {
        case .taken(hasRoom: true): break
        case .taken(hasRoom: false):
            isMailboxFull = true
            connection.pacer?.readIfMay()
        case .refused: connection.end(.shuttingDown)
        }
    }

    private var source: MailboxSource { .session(id, of: connection.peer.payer) }

    // MARK: What is held

    /// A call has begun.
    ///
    /// - Throws: If the program's user has too many requests without an answer.
    func began(byteCount: Int) throws(HearthError) {
        if let refusal = quota.refusalOfAnswer(
            besides: callCount, others.requestCount - tally.requestCount)
        {
            throw refusal
        }
        callCount += 1
        callByteCount += byteCount
        count()
    }

    /// A call that had begun is answered, or nobody waits for it.
    func finished(byteCount: Int) {
        callCount -= 1
        callByteCount -= byteCount
        count()
    }

    /// Counts bytes that are held for the client.
    func hold(_ byteCount: Int) {
        heldByteCount += byteCount
        count()
    }

    /// Bytes that were held are free again.
    func release(_ byteCount: Int) { hold(-byteCount) }

    private var quota: RequestQuota { RequestQuota(limits, uid: connection.peer.payer) }

    private var others: SessionRegistry.Figures {
        connection.parts.registry.figures(ofUser: connection.peer.payer)
    }

    /// Whether more may be read of the client: the mailbox has room, and not too much waits.
    var mayRead: Bool { !isMailboxFull && !isPaced }

    private func count() {
        guard !isOver else { return }
        let countMax = limits.memory.waitingByteCountMax
        isPaced = callByteCount > (isPaced ? countMax / 2 : countMax)
        connection.pacer?.readIfMay()
        let now = SessionTally(
            listenerCount: listeners.count, requestCount: callCount,
            heldByteCount: ClientMemory.clientByteCount + callByteCount + heldByteCount
                + callCount * ClientMemory.requestByteCount + queryByteCount
                + listeners.count * ClientMemory.listenerByteCount)
        guard now.isWorthTelling(after: tally) else { return }
        tally = now
        if let error = connection.parts.registry.counted(id, now, within: limits.memory) {
            evict(error)
        }
    }

    // MARK: From the engine, on the loop

    func deliver(_ deliveries: Deliveries) {
        guard case .firestore(let deliveries) = deliveries else {
            preconditionFailure("\(key) has another kind of engine")
        }
        let began = LoopMoment.now()
        for delivery in deliveries { take(delivery) }
        _ = connection.charge(since: began)
    }

    /// Hands a delivery on; one that nobody waits for lost a race.
    private func take(_ delivery: FirestoreDelivery) {
        switch delivery {
        case .snapshot(let number, _), .inSync(let number): listeners[number]?.take(delivery)
        case .fail(let number, _):
            guard let listening = remove(number) else { return }
            listening.take(delivery)
            count()
        case .answer, .accept, .settle, .complete, .refuse, .loaded, .found, .explained, .indexes,
            .result:
            let number = delivery.number
            guard let take = asked[number] else { return }
            note(delivery)
            if !take(delivery) { forget(number) }
        }
    }

    func resumeReading() {
        isMailboxFull = false
        connection.pacer?.readIfMay()
    }

    func evict(_ error: HearthError) { connection.evict(error) }

    func end(_ error: HearthError) { connection.end(error) }

    var listenedTo: [ListenerText] {
        listeners.sorted { $0.key < $1.key }.map(\.value.query)
            .map { query in ListenerText(query.words) }
    }

    var traffic: Inspection.Traffic { connection.traffic(of: self) }

    // MARK: End

    /// Refuses what is owed, because the connection ends.
    func over(_ error: HearthError) {
        guard !isOver else { return }
        isOver = true
        refuseAll(error)
    }

    /// The client may repeat an unanswered call elsewhere or later, whatever ends this session.
    private func refuseAll(_ error: HearthError = .shuttingDown) {
        let (asked, listeners) = (asked, listeners)
        (self.asked, self.listeners) = ([:], [:])
        let refusal = HearthError(code: .unavailable, message: error.message)
        for (number, take) in asked { _ = take(.refuse(number, refusal)) }
        for (number, listening) in listeners { listening.take(.fail(number, error)) }
    }

    /// The client is gone: the engine drops all that the session asked for but its writes.
    func leave() {
        isOver = true
        for (number, batch) in awaited { disclaim(number, batch) }
        submit()
        hasLeft = true
        way.end(at: service.door)
        (asked, listeners) = ([:], [:])
        _ = service.inlet.submit([.disconnected(session: id)], from: source)
        connection.parts.engines.detach(from: key)
        connection.parts.registry.remove(id)
    }
}

extension AccessScope {
    /// Whether a request for no more than a collection or a document concerns a collection.
    fileprivate func concerns(_ collection: ResourcePath) -> Bool {
        switch self {
        case .collection(let path): path == collection
        case .document(let path): path.parent == collection
        case .group, .subtree, .everything, .anything: false
        }
    }
}
