import Dispatch
import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import Synchronization

/// Hears what a host decided, and in which state the store was then.
final class RecordingOutlet: EngineOutlet {
    private let script: FaultyStore.Script
    private struct State {
        var actions: [FirestoreEngine.Action] = []
        var resumed: [UInt64] = []
        var news: [StoreNews] = []
        var endCount = 0
    }

    private let state = Mutex(State())

    init(_ script: FaultyStore.Script) {
        self.script = script
    }

    var actions: [FirestoreEngine.Action] { state.withLock { $0.actions } }
    var news: [StoreNews] { state.withLock { $0.news } }
    /// How often the sessions were ended.
    var endCount: Int { state.withLock { $0.endCount } }
    var resumed: [UInt64] { state.withLock { $0.resumed } }

    func perform(_ actions: [FirestoreEngine.Action]) {
        script.arrange { $0.log.append("act \(actions.count)") }
        state.withLock { $0.actions += actions }
    }

    func resume(_ sessions: [UInt64]) { state.withLock { $0.resumed += sessions } }

    func tell(_ news: StoreNews) { state.withLock { $0.news.append(news) } }

    func statusChanged() {}

    func endSessions(_ error: HearthError) { state.withLock { $0.endCount += 1 } }
}

/// The connection that a host made: keeps its sink, and takes commands to nowhere.
final class SilentUpstream: EngineUpstream {
    let sink: @Sendable (UpstreamEvent) async -> Void

    init(_ sink: @escaping @Sendable (UpstreamEvent) async -> Void) {
        self.sink = sink
    }

    func perform(_ command: UpstreamCommand) {}
}

typealias TestHost = EngineHost<ScriptedEngine, FaultyStore>

/// A host with a scripted engine, a faulty store and a clock that stands still.
struct HostBench: Sendable {
    let script = FaultyStore.Script()
    let clock = ManualClock()
    let outlet: RecordingOutlet
    let host: TestHost
    let upstreams = UpstreamKeeper()

    /// - Parameters:
    ///   - openFailures: What the first attempts to open the store throw.
    ///   - arrange: Changes what the host is made of.
    init(
        quota: Int = 256, openFailures: [StoreError] = [],
        arrange: (inout TestHost.Parts) -> Void = { _ in }
    ) {
        let (script, clock, upstreams) = (script, clock, upstreams)
        outlet = RecordingOutlet(script)
        var limits = HostLimits()
        limits.quota = quota
        limits.openRetryDelay = .seconds(5)
        let failures = FailureList(openFailures)
        var parts = TestHost.Parts(
            key: .firestore(DatabaseID(project: "demo")), clock: clock, limits: limits,
            outlet: outlet,
            openStore: { () throws(StoreError) in
                if let failure = failures.next() { throw failure }
                return OpenedStore(FaultyStore(script))
            },
            makeEngine: { ScriptedEngine() },
            connect: { sink in upstreams.make(sink) })
        parts.forget = { (_, _) throws(StoreError) in
            script.arrange { $0.log.append("forget") }
            return false
        }
        arrange(&parts)
        host = TestHost(parts)
    }

    /// Opens the store, and forgets what that took.
    func start() async {
        host.start()
        await settle()
        script.arrange { $0.log = [] }
    }

    /// Puts inputs of several sessions in the mailbox while no turn can run, and lets them run.
    func submitTogether(_ inputs: [(session: UInt64, input: FirestoreEngine.Input)]) async {
        await host.onExecutor { host in
            for (session, input) in inputs {
                _ = host.submit([input], from: .session(session))
            }
        }
        await settle()
    }

    /// Returns when nothing waits and the last turn is over.
    func settle() async {
        repeat { await host.onExecutor { _ in } } while host.status.waitingCount > 0
        await host.onExecutor { _ in }
    }
}

/// Keeps the connections that a host makes.
final class UpstreamKeeper: Sendable {
    private let made = Mutex<[SilentUpstream]>([])

    var last: SilentUpstream? { made.withLock { $0.last } }

    func make(_ sink: @escaping @Sendable (UpstreamEvent) async -> Void) -> any FirestoreUpstream {
        let upstream = SilentUpstream(sink)
        made.withLock { $0.append(upstream) }
        return upstream
    }
}

/// Errors, handed out one by one.
private final class FailureList: Sendable {
    private let failures: Mutex<[StoreError]>

    init(_ failures: [StoreError]) {
        self.failures = Mutex(failures)
    }

    func next() -> StoreError? {
        failures.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
}

extension EngineHost {
    /// Runs something between turns.
    func onExecutor(_ body: @Sendable (isolated EngineHost) -> Void) { body(self) }

    /// Closes the host right after something, before any other turn.
    func close(after body: @Sendable (isolated EngineHost) -> Void) async {
        body(self)
        await close()
    }
}

/// A write of a session, under a number.
func write(_ session: UInt64, _ number: UInt64) -> FirestoreEngine.Input {
    .write(
        WriteRequest(
            id: RequestID(session: session, number: number),
            writer: Writer(uid: 1, gid: 1, pid: 1), mutations: []))
}
