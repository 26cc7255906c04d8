import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthWire

// The fuzz target compiles this file together with the server's machines, see Scripts/fuzz.
#if canImport(HearthServer)
    import HearthServer
#endif

/// A session, its engine and a store. A test may give the session any bytes: frames of a client,
/// and messages of the backend. Whatever comes, it must answer or refuse.
///
/// It does what a host does: one turn for each input, in a transaction; actions after the commit. The
/// backend opens its streams at once and says nothing of its own.
final class RequestBench {
    static let database = DatabaseID(project: "demo")
    private static let wire = FirestoreCodec(database: database)

    private let store: any FirestoreStore
    private var engine: FirestoreEngine
    private var session: UInt64 = 0
    private var machine: SessionMachine
    private var now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private var inbox: [UpstreamEvent] = []
    private var watch: StreamNumber?
    private var write: StreamNumber?
    private var calls: [(id: RequestID, call: BackendCall)] = []
    private var timers = BenchedTimers<TimerID>()
    /// Turns that the store failed, which no input should bring about.
    private(set) var failures: [StoreError] = []
    /// Answers that clients were given.
    private(set) var replies: [Event] = []

    init(on store: any FirestoreStore) {
        self.store = store
        engine = FirestoreEngine(configuration: .init(database: Self.database), seed: 1)
        machine = Self.greeting(session)
        take(.start)
        take(.setNetwork(isEnabled: true))
        greet()
    }

    /// Takes the steps of a fuzzer's input. After each, what is under way goes on to its end.
    func run(_ steps: [RequestStep]) {
        for step in steps {
            now = now.advanced(by: .milliseconds(10))
            switch step.kind {
            case .frame(let kind):
                perform(
                    machine.received(
                        kind: kind, number: UInt64(step.number), body: step.body.span.bytes))
            case .watched: watched(step.body)
            case .written: written(step.body)
            case .closed: closed(step.number)
            case .called: called(step.number, step.body)
            case .timer: fire(step.number)
            case .restarted: restart()
            }
            drain()
        }
    }

    // MARK: The session

    private static func greeting(_ session: UInt64) -> SessionMachine {
        .benched(session, with: DatabaseDirectory(database: database))
    }

    /// A new session in the place of one that has ended.
    private func greet() {
        session += 1
        machine = Self.greeting(session)
        let hello = Hello(client: .init(high: 1, low: session), program: "fuzz")
        perform(machine.received(.session(.hello(hello)), number: 1))
    }

    /// Makes all frames of a snapshot.
    private func encode(_ shared: SharedSnapshot, _ form: SharedSnapshot.Form) {
        var index = 0
        while let made = try? shared.frame(index, of: form, machine.codec), !made.isLast {
            index += 1
        }
    }

    private func perform(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .attach(let key):
                let error = HearthError(code: .unavailable, message: "Another database.")
                perform(
                    key == .firestore(Self.database)
                        ? machine.attached() : machine.attachFailed(error))
            case .submit(.firestore(let input)), .submitAlone(.firestore(let input), _):
                take(input)
            case .submit(.realtime), .submitAlone(.realtime, _), .news, .nodes, .step:
                preconditionFailure("A Firestore session does that")
            case .reply(let event, let number):
                replies.append(event)
                _ = try? machine.codec.frames(of: event, number: number)
            case .snapshot(let shared, _):
                encode(shared, .difference)
                encode(shared, .whole)
            case .answer(let shared, _): encode(shared, .answer)
            case .ask(_, let number): perform(machine.reported(.done, number: number))
            case .status(let report, let number):
                _ = try? machine.codec.frame(of: .report(report), number: number)
            case .forgetNews, .noteRefusal, .shareReads, .followStatus: break
            case .end:
                take(.disconnected(session: session))
                greet()
            }
        }
    }

    // MARK: Turns

    private func take(_ input: FirestoreEngine.Input) {
        var next = engine
        do {
            let actions = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: now, in: transaction)
            }
            engine = next
            perform(actions)
        } catch {
            failures.append(error)
            perform(engine.turnFailed(input, error, at: now))
        }
    }

    private func perform(_ actions: [FirestoreEngine.Action]) {
        var told: [FirestoreEngine.Action] = []
        for action in actions {
            switch action {
            case .upstream(let command): perform(command)
            case .survey: preconditionFailure("The engine of a bench looks in its turns")
            case .schedule(let timer, after: _): timers.schedule(timer)
            case .cancel(let timer): timers.cancel(timer)
            case .emit, .fail, .inSync, .answer, .accept, .settle, .complete, .refuse, .loaded,
                .found, .explained, .indexes, .result, .note:
                told.append(action)
            }
        }
        for (session, deliveries) in FirestoreDelivery.bySession(told, note: { _ in })
        where session == self.session {
            for delivery in deliveries { perform(machine.delivered(delivery)) }
        }
    }

    private func drain() {
        while !inbox.isEmpty { take(.upstream(inbox.removeFirst())) }
    }

    private func fire(_ number: UInt8) {
        if let timer = timers.take(number) { take(.timerFired(timer)) }
    }

    private func restart() {
        take(.disconnected(session: session))
        engine = FirestoreEngine(configuration: .init(database: Self.database), seed: 1)
        (watch, write, timers, inbox, calls) = (nil, nil, BenchedTimers(), [], [])
        take(.start)
        take(.setNetwork(isEnabled: true))
        greet()
    }

    // MARK: The backend

    private func perform(_ command: UpstreamCommand) {
        switch command {
        case .openWatch(let number, as: _):
            watch = number
            inbox.append(.watchOpened(number))
        case .listen(let number, let request):
            inbox.append(
                .watched(number, .target(.init(kind: .added, targets: [request.wireID]))))
        case .unlisten, .write: break
        case .closeWatch:
            forget { if case .watched = $0 { true } else { false } }
            watch = nil
        case .openWrite(let number, as: _):
            write = number
            inbox.append(.writeOpened(number))
        case .handshake(let number): inbox.append(.writeHandshaken(number, [1]))
        case .closeWrite: write = nil
        case .call(let id, let call, as: _): calls.append((id, call))
        case .abandon(let id): calls.removeAll { $0.0 == id }
        }
    }

    private func forget(_ isOld: (UpstreamEvent) -> Bool) {
        inbox.removeAll(where: isOld)
    }

    private func watched(_ body: [UInt8]) {
        guard let watch, let proto = try? FirestoreCodec.read(ProtoListenResponse.self, from: body),
            let change = try? Self.wire.decode(proto)
        else { return }
        take(.upstream(.watched(watch, change)))
    }

    private func written(_ body: [UInt8]) {
        guard let write, let proto = try? FirestoreCodec.read(ProtoWriteResponse.self, from: body),
            let (committedAt, results) = try? Self.wire.decode(proto)
        else { return }
        take(
            .upstream(
                .writeAnswered(
                    write, .init(token: [2], committedAt: committedAt, results: results))))
    }

    private func closed(_ number: UInt8) {
        let code = StatusCode(rawValue: Int32(number / 2 % 17))
        let error = code.map { HearthError(code: $0, message: "It is over.") }
        if number.isMultiple(of: 2), let watch {
            self.watch = nil
            take(.upstream(.watchClosed(watch, error)))
        } else if let write {
            self.write = nil
            take(.upstream(.writeClosed(write, error)))
        }
    }

    private func called(_ number: UInt8, _ body: [UInt8]) {
        guard !calls.isEmpty else { return }
        let (id, call) = calls.remove(at: Int(number) % calls.count)
        take(.upstream(.called(id, answer(to: call, body))))
    }

    private func answer(to call: BackendCall, _ body: [UInt8]) -> BackendAnswer {
        switch call {
        case .read(let keys):
            let version = SnapshotVersion(now)
            return .read(keys.map { Document.missing($0, at: version) })
        case .run: return .read([])
        case .commit:
            if let proto = try? FirestoreCodec.read(ProtoCommitResponse.self, from: body),
                let (committedAt, results) = try? Self.wire.decode(proto)
            {
                return .committed(at: committedAt, results)
            }
        case .aggregate:
            if let proto = try? FirestoreCodec.read(ProtoAggregationResult.self, from: body),
                let values = try? Self.wire.decode(proto)
            {
                return .aggregated(values)
            }
        }
        return .failed(HearthError(code: .unavailable, message: "No answer."))
    }
}
