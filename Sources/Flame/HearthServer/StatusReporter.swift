import Dispatch
package import HearthEngine
package import HearthModel
package import HearthWire
import NIOCore
import Synchronization

/// Finds out how the daemon is, and what waits, without disturbing any engine.
///
/// Reads on a thread of its own, because it blocks on the disk.
package final class StatusReporter: Sendable {
    /// What stays the same while the daemon runs.
    package struct Constants: Sendable {
        /// The daemon's version.
        package var daemonVersion: String
        /// Where the backends are, for people.
        package var setups: DaemonSetups
        /// Firebase's user to whom the queues belong at the start.
        package var user: UserID

        /// Takes the constants.
        ///
        /// - Parameters:
        ///   - daemonVersion: The daemon's version.
        ///   - setups: Where the backends are, for people.
        ///   - user: The Firebase user to whom the queues belong at the start.
        package init(daemonVersion: String, setups: DaemonSetups, user: UserID) {
            self.daemonVersion = daemonVersion
            self.setups = setups
            self.user = user
        }
    }

    /// The part of a processor that users' questions may take.
    private static let usersPart = 0.2

    let constants: Constants
    private let registry: SessionRegistry
    let engines: EngineRegistry
    let startedAt = ContinuousClock.now
    let hour = Mutex(HourLog())
    private let queue: DispatchQueue
    private let questions: FairQueue
    private let reasons = DegradedReasons()
    private let user: Mutex<UserID>
    private let keptPlaceCount: @Sendable (InstanceID) -> Int
    /// Reads the configuration again.
    private let reloads = ReloadDesk()

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - constants: What stays the same while the daemon runs.
    ///   - registry: The sessions to report on.
    ///   - engines: The engines to report on.
    ///   - keptPlaceCount: How many places of an instance are kept in step.
    package init(
        constants: Constants, registry: SessionRegistry, engines: EngineRegistry,
        keptPlaceCount: @escaping @Sendable (InstanceID) -> Int
    ) {
        self.constants = constants
        self.keptPlaceCount = keptPlaceCount
        user = Mutex(constants.user)
        self.registry = registry
        self.engines = engines
        queue = DispatchQueue(label: "hearth.status")
        questions = FairQueue(on: queue, part: Self.usersPart)
        registry.statusBoard.open(
            StatusBoard.Eyes(
                queue: queue,
                look: { [weak self] key in
                    guard let self, self.engines.engine(of: key)?.isBeforeOpening != true else {
                        return nil
                    }
                    return self.status(of: key)
                },
                lookAtAll: { [weak self] in
                    guard let self else { return [] }
                    return self.statuses(of: self.engines.all.filter { !$0.value.isBeforeOpening })
                }))
    }

    /// Notes why the daemon does less than it should, or with `nil` that `subject` is well again.
    ///
    /// - Parameters:
    ///   - reason: A sentence for people; `nil` if the subject is well.
    ///   - subject: What the reason is about, such as `memory`; a later call with the same name
    ///     replaces the reason.
    ///   - concerns: Which databases the subject concerns, always the same for a subject.
    package func setReason(
        _ reason: String?, for subject: String,
        concerning concerns: @escaping @Sendable (EngineKey) -> Bool = { _ in true }
    ) {
        let isNews = reasons.set(reason, for: subject, concerning: concerns)
        if isNews { registry.statusBoard.changed(nil) }
    }

    /// Says how the configuration is read again. Blocks on the disk.
    func setReload(_ body: @escaping @Sendable () -> Result<ReloadReport, HearthError>) {
        reloads.enable(body)
    }

    /// Reads the configuration again, soon, if anybody has said how.
    package func reloadLater() { reloads.order() }

    /// Notes who is signed in.
    func setUser(_ user: UserID) {
        self.user.withLock { $0 = user }
        registry.statusBoard.changed(nil)
    }

    /// Why the daemon does less than it should, for one database or for all.
    package var generalReasons: [String] { reasons.all }

    /// Answers a session's question. The future succeeds, if only with a failure to tell.
    func answer(
        _ question: SessionMachine.Question, of key: EngineKey, from source: MailboxSource,
        on loop: any EventLoop
    ) -> EventLoopFuture<Event> {
        if case .inquiry(.inspection(let subject, let place), let uid) = question {
            return inspect(subject, after: place, ofUser: uid, from: source, on: loop)
        }
        if case .reload = question { return reload(on: loop) }
        let promise = loop.makePromise(of: Event.self)
        let find: @Sendable () -> Void = {
            self.questions.run(from: source) { promise.succeed(self.event(question, key)) }
        }
        if let engine = engines.engine(of: key) {
            engine.lifecycle.whenOpened(find)
        } else {
            find()
        }
        return promise.futureResult
    }

    private func reload(on loop: any EventLoop) -> EventLoopFuture<Event> {
        let promise = loop.makePromise(of: Event.self)
        reloads.ask { outcome in
            switch outcome {
            case .success(let report): promise.succeed(.reloaded(report))
            case .failure(let error): promise.succeed(.failed(error))
            }
        }
        return promise.futureResult
    }

    private func inspect(
        _ subject: Inspection.Subject, after place: Inspection.Place, ofUser uid: UInt32?,
        from source: MailboxSource, on loop: any EventLoop
    ) -> EventLoopFuture<Event> {
        switch subject {
        case .clients:
            return registry.clients(ofUser: uid, after: place, on: loop).map {
                .report(.inspection($0))
            }
        case .listeners:
            return registry.listeners(ofUser: uid, after: place, on: loop).flatMap { list in
                self.read(from: source, on: loop) { $0 = list.described() }
            }
        case .metrics: return read(from: source, on: loop) { $0.metrics = self.metrics() }
        case .hour:
            let hour = hour.withLock { $0.steps }
            return read(from: source, on: loop) { $0.hour = hour }
        case .databases:
            // While a store is being opened, nobody can tell its waiting batches yet.
            return opened(engines.all.values, on: loop).flatMap {
                self.read(from: source, on: loop) { $0.databases = self.databases }
            }
        }
    }

    /// Succeeds when engines have opened their stores, or could not.
    private func opened(
        _ engines: some Sequence<RunningEngine>, on loop: any EventLoop
    ) -> EventLoopFuture<Void> {
        let openings = engines.map { engine in
            let promise = loop.makePromise(of: Void.self)
            engine.lifecycle.whenOpened { promise.succeed(()) }
            return promise.futureResult
        }
        return EventLoopFuture.andAllSucceed(openings, on: loop)
    }

    /// Fills in an inspection on the thread that may block on the disk.
    private func read(
        from source: MailboxSource, on loop: any EventLoop,
        _ fill: @escaping @Sendable (inout Inspection) -> Void
    ) -> EventLoopFuture<Event> {
        let promise = loop.makePromise(of: Event.self)
        questions.run(from: source) {
            var inspection = Inspection()
            fill(&inspection)
            promise.succeed(.report(.inspection(inspection)))
        }
        return promise.futureResult
    }

    /// How every open database is: Firestore's before instances, each kind in the order of names.
    private var databases: [StatusReport] { statuses(of: engines.all) }

    private func statuses(of engines: [EngineKey: RunningEngine]) -> [StatusReport] {
        engines.keys.sorted {
            ($0.realtime == nil ? 0 : 1, $0.description)
                < ($1.realtime == nil ? 0 : 1, $1.description)
        }.map(status)
    }

    /// How the daemon is, seen from one engine. Blocks on the disk.
    package func status(of key: EngineKey) -> StatusReport {
        var report = StatusReport(database: key)
        report.daemonVersion = constants.daemonVersion
        report.uptime = .seconds((ContinuousClock.now - startedAt).components.seconds)
        report.upstream = constants.setups[key].upstream
        report.user = user.withLock { $0 }
        report.degradedReasons = reasons.concerning(key)
        let figures = registry.figures(of: key)
        report.clientCount = figures.clientCount
        report.listenerCount = figures.toldListenerCount
        report.keptPlaceCount = key.realtime.map(keptPlaceCount) ?? 0
        guard let engine = engines.engine(of: key) else { return report }
        add(engine.lifecycle.status, of: key, to: &report)
        do throws(StoreError) {
            add(try engine.reader.figures(), to: &report)
        } catch {
            report.hasUnknownCounts = true
            report.degradedReasons.append("The cache cannot be counted. \(error)")
        }
        return report
    }

    /// How the daemon is with all open databases, in one line for people. Blocks on the disk.
    package var line: String {
        let reports = databases
        if let reason = generalReasons.first ?? reports.lazy.flatMap(\.degradedReasons).first {
            return "degraded: \(reason)"
        }
        guard !reports.isEmpty else { return "running, no database is open" }
        let states = Set(
            reports.compactMap { engines.engine(of: $0.database)?.lifecycle.status.syncState })
        let state = SyncState.worstFirst.first(where: states.contains)?.rawValue ?? "starting"
        let oldest = reports.compactMap(\.oldestWrittenAt).min()
        return "\(state), \(reports.reduce(0) { $0 + $1.queueBatchCount }) queued"
            + "\(Self.age(of: oldest).map { " (oldest \($0))" } ?? ""), "
            + "\(reports.reduce(0) { $0 + $1.clientCount }) clients, "
            + "\(reports.reduce(0) { $0 + $1.listenerCount }) listeners"
    }

    /// How long ago something was written, in its largest unit.
    private static func age(of writtenAt: Timestamp?) -> String? {
        guard let writtenAt else { return nil }
        let seconds = max(0, SystemClock().now().secondsSince(writtenAt))
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }

    private func add(
        _ status: EngineStatus, of key: EngineKey, to report: inout StatusReport
    ) {
        if case .failed(let error) = status.phase {
            report.hasUnknownCounts = true
            report.degradedReasons.append("The cache cannot be used. \(error)")
        } else if let failure = status.storeFailure {
            report.degradedReasons.append("The cache fails. \(failure)")
        }
        if let failure = status.markerFailure {
            let what =
                switch key {
                case .firestore: "queue.exactlyOnce has no effect: the backend refuses its markers."
                case .realtime: "realtime.exactlyOnce has no effect: the backend refuses its fence."
                }
            report.degradedReasons.append("\(what) \(failure)")
        }
        report.losses = LossReports.standing(status.losses)
        report.tell(of: status.bundles)
        report.pinCount = status.pins.count
        report.pinnedByteCount = status.pins.byteCount
        report.stoppedPinCount = status.pins.stoppedCount
        report.onlineState = status.onlineState
        report.isIdle = status.syncState == .idle
        report.isNetworkEnabled = status.isNetworkEnabled
        report.connectionError = status.connectionFailure?.error
        report.connectionFailedAt = status.connectionFailure?.at
        report.nextAttemptDelay = status.nextAttemptDelay
    }

    private func add(_ figures: StoreFigures, to report: inout StatusReport) {
        report.queueBatchCount = figures.queueBatchCount
        report.heldBatchCount = figures.heldBatchCount
        report.oldestWrittenAt = figures.oldestWrittenAt
        report.deadLetterCount = figures.deadLetterCount
        report.targetCount = figures.targetCount
        report.cachedDocumentCount = figures.documentCount
        report.cacheByteCount = figures.byteCount
        report.historyEntryCount = figures.history.count
        report.historyByteCount = figures.history.byteCount
    }

    // MARK: Lists

    private func event(_ question: SessionMachine.Question, _ key: EngineKey) -> Event {
        do throws(StoreError) {
            switch question {
            case .inquiry(let inquiry, let uid):
                let report = try report(on: inquiry, key)
                guard let uid, case .document(let document) = inquiry,
                    case .document(let description) = report
                else { return .report(report) }
                return .report(.document(description.told(of: document, toUser: uid)))
            case .reload: preconditionFailure("The desk of reloads answers that")
            case .signIn: preconditionFailure("The service of signing in answers that")
            case .keep: preconditionFailure("The desk of kept places answers that")
            case .pin: preconditionFailure("The desk of pins or the engine answers that")
            case .backUp: preconditionFailure("The desk of backups answers that")
            }
        } catch {
            return .failed(
                HearthError(code: .unavailable, message: complaint(of: error, in: key)))
        }
    }

    /// Why a question of a store has no answer: where the store is not open, its readers know no reason.
    private func complaint(of error: StoreError, in key: EngineKey) -> String {
        switch engines.engine(of: key)?.lifecycle.status.phase {
        case .failed(let reason)?:
            "The store of \(key) cannot be opened, so nobody can tell what is in it. \(reason)"
        case .opening?: "The store of \(key) is being opened. Ask again later."
        case .open?: "The store cannot be read. \(error)"
        case .closed?, nil: "The store of \(key) is not open. Ask again."
        }
    }

    private func report(
        on inquiry: Inquiry, _ key: EngineKey
    ) throws(StoreError) -> Report {
        if case .status = inquiry { return .status(status(of: key)) }
        guard let reader = engines.engine(of: key)?.reader else { throw .io("it is not open") }
        guard let report = try reader.report(on: inquiry) else {
            throw .io("a store of this kind has nothing of the sort")
        }
        return report
    }
}

extension SyncState {
    /// All states, the one that operators must know of first.
    fileprivate static let worstFirst: [SyncState] = [
        .offline, .connecting, .catchingUp, .live, .idle,
    ]
}
