import HearthEngine
import HearthModel
import HearthWire

/// A session's dialogue with its engine, by the kind of the engine.
///
/// One of the two dialogues is there. The two properties stand side by side so that each changes in
/// place.
struct Dialogue: Sendable {
    typealias Action = SessionMachine.Action

    private var firestore: FirestoreDialogue?
    private var realtime: RealtimeDialogue?

    /// A dialogue in which nothing has been asked.
    init(_ configuration: SessionMachine.Configuration, _ greeting: Hello, with key: EngineKey) {
        switch key {
        case .firestore(let database):
            firestore = FirestoreDialogue(configuration, greeting, in: database)
        case .realtime: realtime = RealtimeDialogue(configuration, greeting)
        }
    }

    /// Whether the access rules let the peer administer everything.
    mutating func administers(_ isAllowed: Bool) { firestore?.administers = isAllowed }

    /// New limits of the client's held bytes count from now on.
    mutating func limit(_ memory: ClientMemory) { firestore?.memory = memory }

    /// Bytes that the engine keeps for the session besides what is owed.
    var keptByteCount: Int { realtime?.ordersByteCount ?? 0 }

    // MARK: Requests

    /// A program's request to a Firestore database that may enter.
    mutating func admitted(
        _ request: FirestoreRequest, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        firestore?.admitted(request, number, &owed) ?? [.reply(.failed(.noFirestore), number)]
    }

    /// A program's request to an instance of the Realtime Database that may enter.
    mutating func admitted(
        _ request: InstanceRequest, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        realtime?.admitted(request, number, &owed) ?? [.reply(.failed(.noInstance), number)]
    }

    /// The access rules did not let a request enter.
    mutating func refused(_ number: UInt64, _ owed: inout OwedAnswers) {
        firestore?.refused(number, &owed)
    }

    /// An administrator steers the queue of a Firestore database.
    func steered(
        _ order: QueueOrder<[Mutation]>, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        firestore?.steered(order, number, &owed) ?? [.reply(.failed(.noFirestore), number)]
    }

    /// An administrator steers the queue of an instance of the Realtime Database.
    func steered(
        _ order: QueueOrder<RealtimeChange>, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        realtime?.steered(order, number, &owed) ?? [.reply(.failed(.noInstance), number)]
    }

    /// An operator asks for the ledger of a Firestore database.
    func asked(
        _ question: LedgerQuestion, ofUser uid: UInt32?, _ number: UInt64, _ owed: inout OwedAnswers
    ) -> [Action] {
        firestore?.asked(question, ofUser: uid, number, &owed)
            ?? [.reply(.failed(.noFirestore), number)]
    }

    /// An administrator forgets cache and queue.
    func cleared(_ number: UInt64, _ owed: inout OwedAnswers) -> [Action] {
        firestore?.cleared(number, &owed) ?? realtime?.cleared(number, &owed) ?? []
    }

    /// An administrator goes online or offline.
    func switched(isOnline: Bool, _ number: UInt64) -> [Action] {
        firestore?.switched(isOnline: isOnline, number)
            ?? realtime?.switched(isOnline: isOnline, number) ?? []
    }

    /// The client ends a subscription.
    mutating func unlistened(_ number: UInt64, _ owed: inout OwedAnswers) -> [Action] {
        firestore?.unlistened(number, &owed) ?? realtime?.unlistened(number, &owed) ?? []
    }

    // MARK: Rights

    /// Other rules count from now on: what they do not allow ends.
    mutating func reviewed(_ grant: AccessGrant, _ owed: inout OwedAnswers) -> [Action] {
        var actions: [Action] = []
        for (number, scope) in owed.listeners {
            guard let refusal = grant.refusal(of: .read, to: scope) else { continue }
            actions += unlistened(number, &owed)
            actions.append(.reply(.listenFailed(refusal.error), number))
        }
        return actions + (realtime?.reviewed(grant, &owed) ?? [])
    }

    // MARK: Deliveries

    /// A Firestore engine has something for the session.
    mutating func delivered(_ delivery: FirestoreDelivery, _ owed: inout OwedAnswers) -> [Action] {
        firestore?.delivered(delivery, &owed) ?? []
    }

    /// The engine of an instance of the Realtime Database has something for the session.
    mutating func delivered(_ delivery: RealtimeDelivery, _ owed: inout OwedAnswers) -> [Action] {
        realtime?.delivered(delivery, &owed) ?? []
    }

    /// Whether a listener to the Realtime Database takes news.
    mutating func takes(
        _ news: SharedNodes, _ number: UInt64, _ owed: OwedAnswers
    ) -> Bool {
        realtime?.takes(news, number, owed) ?? false
    }

    /// The client reads again, after news for one of its listeners had been dropped.
    mutating func listenAnew(_ number: UInt64, _ owed: OwedAnswers) -> [Action] {
        realtime?.listenAnew(number, owed) ?? []
    }

    // MARK: State

    /// What the listeners listen to, in the order of their numbers.
    var listenedTo: [ListenerText] { firestore?.listenedTo ?? realtime?.listenedTo ?? [] }

    /// The requests to write and the commits of transactions that have entered.
    var writeCount: Int { firestore?.writeCount ?? realtime?.writeCount ?? 0 }

    /// The begun bundles by their numbers; the value changes with each part of the bundle.
    var begunBundles: [UInt64: UInt64] { firestore?.begunBundles ?? [:] }

    /// Fails the bundles unchanged since `earlier`: the next part has not come in time.
    mutating func bundlesTimedOut(
        _ earlier: [UInt64: UInt64], _ owed: inout OwedAnswers
    ) -> [Action] {
        firestore?.bundlesTimedOut(earlier, &owed) ?? []
    }

    /// The session is over, and nothing is kept for it.
    mutating func release() {
        firestore?.release()
        realtime?.release()
    }
}

extension HearthError {
    fileprivate static let noFirestore = HearthError(
        code: .failedPrecondition,
        message:
            "The session speaks to an instance of the Realtime Database, and the request is for "
            + "a Firestore database. Open another session for that.")

    fileprivate static let noInstance = HearthError(
        code: .failedPrecondition,
        message:
            "The session speaks to a Firestore database, and the request is for an instance of "
            + "the Realtime Database. Open another session for that.")
}
