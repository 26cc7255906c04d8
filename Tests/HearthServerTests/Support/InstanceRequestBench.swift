import HearthEngine
import HearthModel
import HearthProtocol
import HearthRealtime
import HearthWire

// The fuzz target compiles this file together with the server's machines, see Scripts/fuzz.
#if canImport(HearthServer)
    import HearthServer
#endif

/// A session with an instance of the Realtime Database, its engine and a store. A test may give the
/// session any bytes: frames of a client, and messages of the service. Whatever comes, it must answer
/// or refuse.
///
/// It does what a host does: one turn for each input, in a transaction; actions after the commit. The
/// service says hello at once and nothing else of its own. A step of `RequestStep` is a frame, or:
/// 200 and 203 a message of the service, whose number says which request it answers if it is an
/// answer; 201 the answer "ok" to the oldest request; 202 the end of the link; 204 a timer; 205 a
/// restart.
final class InstanceRequestBench {
    static let instance: InstanceID = {
        guard let instance = InstanceID(project: "demo") else { preconditionFailure("No instance") }
        return instance
    }()

    private let store: any RealtimeStore
    private let fence: RealtimePath?
    private var engine: RealtimeEngine
    private var session: UInt64 = 0
    private var machine: SessionMachine
    private var now = Timestamp(seconds: 1_700_000_000, nanoseconds: 0)
    private var inbox: [RealtimeUpstreamEvent] = []
    private var link: StreamNumber?
    /// The numbers of the requests that the service has not answered.
    private var unanswered: [Int] = []
    private var timers = BenchedTimers<RealtimeTimer>()
    /// Turns that the store failed, which no input should bring about.
    private(set) var failures: [StoreError] = []
    /// Answers that clients were given.
    private(set) var replies: [Event] = []
    /// How many nodes clients were shown.
    private(set) var nodeCount = 0

    init(on store: any RealtimeStore, fence: RealtimePath? = nil) {
        self.store = store
        self.fence = fence
        engine = Self.engine(fence)
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
            case .watched, .called: said(step.body, step.number)
            case .written: answer(at: 0, .ok, .none)
            case .closed: closed(step.number)
            case .timer: fire(step.number)
            case .restarted: restart()
            }
            drain()
        }
    }

    // MARK: The session

    private static func greeting(_ session: UInt64) -> SessionMachine {
        .benched(session, with: DatabaseDirectory(database: nil, instance: instance))
    }

    /// A new session in the place of one that has ended.
    private func greet() {
        session += 1
        machine = Self.greeting(session)
        let hello = Hello(
            client: .init(high: 1, low: session), program: "fuzz", database: .realtime(.standard))
        perform(machine.received(.session(.hello(hello)), number: 1))
    }

    /// Makes all frames of what is shown.
    private func encode(_ shared: SharedNodes) {
        nodeCount += 1
        var index = 0
        while (try? shared.frame(index)) != nil { index += 1 }
    }

    private func perform(_ actions: [SessionMachine.Action]) {
        for action in actions {
            switch action {
            case .attach(let key):
                let error = HearthError(code: .unavailable, message: "Another database.")
                perform(
                    key == .realtime(Self.instance)
                        ? machine.attached() : machine.attachFailed(error))
            case .submit(.realtime(let input)), .submitAlone(.realtime(let input), _):
                take(input)
            case .submit(.firestore), .submitAlone(.firestore, _), .snapshot, .answer:
                preconditionFailure("A session of an instance does that")
            case .reply(let event, let number):
                replies.append(event)
                _ = try? machine.codec.frames(of: event, number: number)
            case .news(let shared, _), .nodes(let shared, _), .step(let shared, _):
                encode(shared)
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

    private static func engine(_ fence: RealtimePath?) -> RealtimeEngine {
        var configuration = RealtimeEngine.Configuration(instance: instance, fence: fence)
        configuration.hashedByteCountMin = 64
        return RealtimeEngine(configuration: configuration, seed: 1)
    }

    private func take(_ input: RealtimeEngine.Input) {
        var next = engine
        let time = now
        let actions: [RealtimeEngine.Action]
        do throws(StoreError) {
            actions = try store.transaction { transaction throws(StoreError) in
                try next.take(input, at: time, in: transaction)
            }
        } catch {
            failures.append(error)
            next = engine
            actions = next.turnFailed(input, error, at: time)
        }
        engine = next
        perform(actions)
    }

    private func perform(_ actions: [RealtimeEngine.Action]) {
        var told: [RealtimeEngine.Action] = []
        for action in actions {
            switch action {
            case .upstream(let command): perform(command)
            case .schedule(let timer, after: _): timers.schedule(timer)
            case .cancel(let timer): timers.cancel(timer)
            case .tell, .fail, .answer, .accept, .settle, .transaction, .complete, .refuse,
                .steered, .note:
                told.append(action)
            }
        }
        let sorted = RealtimeDelivery.bySession(told, note: { _ in })
        let listening = session
        for delivery in sorted[listening] ?? [] where session == listening {
            perform(machine.delivered(realtime: delivery))
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
        engine = Self.engine(fence)
        (link, unanswered, timers, inbox) = (nil, [], BenchedTimers(), [])
        take(.start)
        take(.setNetwork(isEnabled: true))
        greet()
    }

    // MARK: The service

    private func perform(_ command: RealtimeCommand) {
        switch command {
        case .open(let number, as: _):
            link = number
            inbox.append(.opened(number, serverTimeOffset: 0))
        case .send(let number, let request):
            if number == link { unanswered.append(request.number) }
        case .close(let number):
            if number == link { (link, unanswered, inbox) = (nil, [], []) }
        }
    }

    private func said(_ message: [UInt8], _ number: UInt8) {
        guard let link, let read = try? RealtimeCodec.decodeServer(message) else { return }
        switch read {
        case .push(let push): take(.upstream(.pushed(link, push)))
        case .answer(let said): answer(at: Int(number), said.status, said.body)
        case .hello, .shutdown, .reset, .error, .ping, .pong, .unknown: break
        }
    }

    /// The service answers a request, in whatever order.
    private func answer(at place: Int, _ status: RealtimeStatus, _ body: RealtimeBody) {
        guard let link, !unanswered.isEmpty else { return }
        let number = unanswered.remove(at: place % unanswered.count)
        let answer = RealtimeAnswer(number: number, status: status, body: body)
        take(.upstream(.answered(link, answer)))
    }

    private func closed(_ number: UInt8) {
        guard let link else { return }
        (self.link, unanswered, inbox) = (nil, [], [])
        let code = StatusCode(rawValue: Int32(number % 17))
        take(.upstream(.closed(link, code.map { HearthError(code: $0, message: "It is over.") })))
    }
}
