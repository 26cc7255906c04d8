import Dispatch
package import HearthEngine
package import HearthModel
import Synchronization

/// Owns one engine and its store: takes inputs in groups, commits, and only then acts.
///
///     opening --opened--> open --close--> closed
///        |  \--failed--> failed --retry--> open
///
/// All state lives on the executor. Inputs come by the mailbox, in order for each source.
package actor EngineHost<
    Engine: HearthEngine.Engine & SendableMetatype, Store: EngineStore & SendableMetatype
>: EngineInlet, EngineLifecycle
where Store.Transaction == Engine.Transaction, Engine.Input: SendableMetatype {
    /// What enters the engine.
    package typealias Input = Engine.Input
    /// What the engine decides.
    package typealias Effect = Engine.Input.Effect
    /// The engine's timers.
    package typealias Timer = Engine.Input.Effect.Timer
    /// A connection to the engine's backend.
    package typealias Upstream = any EngineUpstream<Engine.Input.Effect.Command>

    /// Makes a connection to the backend, whose events go to `sink`.
    package typealias Connect =
        @Sendable (_ sink: @escaping @Sendable (Engine.Input.Event) async -> Void) -> Upstream

    /// What a host is made of.
    package struct Parts: Sendable {
        /// Which engine it is, for names and messages.
        package var key: EngineKey
        /// Where time comes from.
        package var clock: any HostClock
        /// How much may wait, and how much is committed at once.
        package var limits: HostLimits
        /// What remembers answers between turns, if anything does.
        package var memory: (any AnswerMemory<Engine.Reading, Store.Changes>)?
        /// Opens the store. Called on the executor; may block.
        package var openStore: @Sendable () throws(StoreError) -> OpenedStore<Store>
        /// Forgets a slice of the data that was kept for long enough, while nobody waits.
        ///
        /// Returns whether more data remains to forget. Blocks on the disk.
        package var forget: @Sendable (Store, Timestamp) throws(StoreError) -> Bool =
            { (_, _) throws(StoreError) in false }
        /// Gives a slice of the store's free pages back to the disk while nobody waits.
        ///
        /// Returns whether more free pages remain. Blocks on the disk.
        package var shrink: @Sendable (Store) throws(StoreError) -> Bool =
            { (_) throws(StoreError) in false }
        /// Writes meaningless bytes to learn whether the disk takes writes. Blocks on the disk.
        package var probe: @Sendable (Store) throws(StoreError) -> Void =
            { (_) throws(StoreError) in }
        /// Takes the reserve for reads on a full disk; throws `full` if room is short.
        package var takeReserve: @Sendable () throws(StoreError) -> Void = {
            () throws(StoreError) in
        }
        /// Gives the room for reads back to the disk.
        package var releaseReserve: @Sendable () -> Void = {}
        /// Gives back the room for a start too, while the store is being opened on a full disk.
        package var spendReserve: @Sendable () -> Void = {}
        /// Takes as much of the reserve as there is room, when the store is closed: to open the
        /// store again takes some.
        package var keepReserve: @Sendable () -> Void = {}
        /// Adds to an error what would help: of a full disk, how much room and where. Blocks on the disk.
        package var advise: @Sendable (StoreError) -> StoreError = { $0 }
        /// Has a store in which damage was found rescued when it is opened next; false if that would
        /// not help.
        package var condemn: @Sendable (String) throws(StoreError) -> Bool =
            { (_) throws(StoreError) in false }
        /// Keeps the report of a loss on the disk for operators, or without an account takes the report
        /// back, and returns all reports; `nil` if there is no place for any. Blocks on the disk.
        package var keepReport: @Sendable (_ loss: LossName, _ account: String?) -> [StoreLoss]? =
            { _, _ in nil }
        /// Takes back the reports of all losses that the engine has told, and returns what reports are left; `nil` if
        /// there is no place for any. Blocks on the disk.
        package var dropReports: @Sendable () -> [StoreLoss]? = { nil }
        /// Runs an errand beside the turns, and hands over the result, on any thread. Never blocks.
        package var runErrand:
            @Sendable (
                _ errand: Engine.Input.Effect.Errand,
                _ done: @escaping @Sendable (Input, MailboxSource) -> Void
            ) -> Void = { _, _ in }
        /// Makes an engine that has not started.
        package var makeEngine: @Sendable () -> Engine
        /// Connects to the backend; events go to the sink, which waits while there is no room.
        package var connect: Connect
        /// Who hears what the engine decided.
        package var outlet: any EngineOutlet<Effect>

        /// Joins the parts that every engine has; the properties have defaults for the others.
        ///
        /// - Parameters:
        ///   - key: Which engine it is, for names and messages.
        ///   - clock: Where time comes from.
        ///   - limits: How much may wait, and how much is committed at once.
        ///   - outlet: Hears what the engine decided.
        ///   - openStore: Opens the store, on the executor. May block.
        ///   - makeEngine: Makes an engine that has not started.
        ///   - connect: Connects to the backend.
        package init(
            key: EngineKey, clock: any HostClock = SystemClock(),
            limits: HostLimits = HostLimits(), outlet: any EngineOutlet<Effect>,
            openStore: @escaping @Sendable () throws(StoreError) -> OpenedStore<Store>,
            makeEngine: @escaping @Sendable () -> Engine,
            connect: @escaping Connect
        ) {
            self.key = key
            self.clock = clock
            self.limits = limits
            self.outlet = outlet
            self.openStore = openStore
            self.makeEngine = makeEngine
            self.connect = connect
        }
    }

    /// One element that waits for a turn.
    enum Entry: Sendable {
        case input(Input)
        case ring(TimerTable<Timer>.Ring)
        /// The result of an errand, with the number of times that the store had been opened when
        /// the errand was ordered.
        case errandDone(Input, openingCount: Int)
    }

    /// The maintenance of a store, which the host does in slices, chore by chore.
    enum Chore {
        case forget, shrink
    }

    /// The entries that wait for their turns.
    struct Inbox {
        var mailbox: Mailbox<Entry>
        /// What need not have its turn.
        var revocations = Revocations()
        var isDrainScheduled = false
        var isClosed = false
        /// Streams of the connection that wait for room.
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    /// The thread of the turns.
    package nonisolated let executor: EngineExecutor

    nonisolated let parts: Parts
    nonisolated let inbox: Mutex<Inbox>
    private nonisolated let work: Work
    private nonisolated let published = Mutex(EngineStatus())

    var engine: Engine
    var store: Store?
    /// How often an engine has started on a store. Each has errands of its own.
    var openingCount = 0
    var upstream: Upstream?
    /// The user who signed in since the start; `nil` if no user did.
    var user: UserID?
    /// The daemon's last standing order; `nil` if the daemon gave none.
    var standing: Input?
    var timers: TimerTable<Timer>?
    /// Why the open store does not work as it should, if so.
    var failure: StoreError?
    /// The figures since the last report to `status`.
    var figures = EngineFigures()
    /// When the batches on the way to the backend were sent, oldest first.
    var sentAt: [Duration] = []
    /// Failed attempts in a row, to open the store or to use it.
    var attemptCount = 0
    var retryTimer: (any HostTimer)?
    var maintenanceTimer: (any HostTimer)?
    /// The next chore of the store's maintenance.
    var chore = Chore.forget
    /// Since when work that can wait has stepped back, by its timer; `nil` for looking after the store.
    var steppedBackSince: [Timer?: Duration] = [:]

    /// The host's work for each input, as functions of the host.
    ///
    /// Sessions know the host by a protocol. Generic code behind a protocol asks at run time for
    /// types and for the way to copy values. The code that makes a host knows the host's types, so
    /// the compiler specializes these functions, and all that they call in this module, for exactly
    /// these types.
    private struct Work: Sendable {
        let put: @Sendable (EngineHost, [Entry], MailboxSource) -> (Submission, mustSchedule: Bool)
        let drain: @Sendable (isolated EngineHost) -> Void
    }

    /// Makes a host that does nothing until `start`.
    package init(_ parts: Parts) {
        self.parts = parts
        work = Work(put: { $0.put($1, from: $2) }, drain: { $0.drain() })
        executor = EngineExecutor(label: "hearth.engine.\(parts.key.label)")
        inbox = Mutex(Inbox(mailbox: Mailbox(quota: parts.limits.quota)))
        engine = parts.makeEngine()
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    package nonisolated var status: EngineStatus {
        let waitingCount = inbox.withLock { $0.mailbox.count }
        var status = published.withLock { $0 }
        status.waitingCount = waitingCount
        let uptime = parts.clock.uptime()
        status.nextAttemptDelay = status.nextAttemptAt.flatMap { $0 > uptime ? $0 - uptime : nil }
        return status
    }

    /// Opens the store on the executor and starts the engine, before any input has its turn.
    package nonisolated func start() {
        executor.queue.async { self.assumeIsolated { $0.open() } }
    }

    package nonisolated func submit(
        _ inputs: [Input], from source: MailboxSource
    ) -> Submission {
        submit(inputs.map(Entry.input), from: source)
    }

    package nonisolated func administer(_ step: LifecycleStep) {
        _ = submit([Entry.input(.lifecycle(step))], from: .administration)
    }

    package nonisolated func whenOpened(_ body: @escaping @Sendable () -> Void) {
        if status.phase == .opening {
            executor.queue.async(execute: body)  // Behind the opening, which `start` put there.
        } else {
            body()
        }
    }

    /// Returns when the executor has come to it: proof that no turn hangs.
    ///
    /// By hand, because the compiler leaves out a hop after which nothing is done.
    package nonisolated func pulse() async {
        await withCheckedContinuation { continuation in
            executor.queue.async { continuation.resume() }
        }
    }

    nonisolated func submit(_ entries: [Entry], from source: MailboxSource)
        -> Submission
    {
        guard !entries.isEmpty else { return .taken(hasRoom: true) }
        let (submission, mustSchedule) = work.put(self, entries, source)
        if mustSchedule { scheduleDrain() }
        return submission
    }

    private nonisolated func put(
        _ entries: [Entry], from source: MailboxSource
    ) -> (Submission, mustSchedule: Bool) {
        inbox.withLock { inbox in
            guard !inbox.isClosed else { return (.refused, false) }
            var hasRoom = true
            for entry in entries {
                if case .input(let input) = entry, let revocation = input.revocation {
                    inbox.revocations.note(revocation)
                }
                hasRoom = inbox.mailbox.append(entry, from: source)
            }
            let mustSchedule = !inbox.isDrainScheduled
            inbox.isDrainScheduled = true
            return (.taken(hasRoom: hasRoom), mustSchedule)
        }
    }

    /// Takes an event of the backend, and waits if there is no room for the next.
    nonisolated func submit(_ event: Engine.Input.Event) async {
        guard submit([.input(.upstream(event))], from: .upstream) == .taken(hasRoom: false) else {
            return
        }
        await withCheckedContinuation { continuation in
            let mustWait = inbox.withLock { inbox in
                guard inbox.mailbox.isStopped(.upstream) else { return false }
                inbox.waiters.append(continuation)
                return true
            }
            if !mustWait { continuation.resume() }  // A turn made room meanwhile.
        }
    }

    nonisolated func resumeWaiters() {
        let waiters = inbox.withLock { inbox in
            defer { inbox.waiters = [] }
            return inbox.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    nonisolated func scheduleDrain() {
        executor.queue.async { self.assumeIsolated { $0.work.drain($0) } }
    }

    // MARK: On the executor

    /// Notes the orders that the host must repeat to an engine that starts anew.
    func noteWishes(_ inputs: [Input]) {
        for input in inputs {
            if case .standing = input.role { standing = input }
            guard case .lifecycle(let step) = input.role else { continue }
            switch step {
            case .setNetwork(let isEnabled): note { $0.isNetworkEnabled = isEnabled }
            case .changeUser(let user): self.user = user
            case .start, .networkReturned, .setQueueLimits, .disconnected, .shutdown: break
            }
        }
    }

    /// Carries out what was decided and is durable now.
    func perform(_ effects: [Effect]) {
        var others: [Effect] = []
        others.reserveCapacity(effects.count)
        for effect in effects {
            switch effect.role {
            case .schedule(let id, let delay):
                timers?.schedule(id, after: delay)
                if id.isReconnection { noteNextAttempt() }
            case .cancel(let id):
                timers?.cancel(id)
                if id.isReconnection { noteNextAttempt() }
            case .upstream(let command):
                noteSending(command)
                upstream?.perform(command)
            case .errand(let errand):
                let openingCount = openingCount
                parts.runErrand(errand) { [weak self] input, source in
                    let entry = Entry.errandDone(input, openingCount: openingCount)
                    _ = self?.submit([entry], from: source)
                }
            case .note(let news):
                if publish(news) { others.append(effect) }
            case .tell(let reply):
                figures.count(reply)
                others.append(effect)
            }
        }
        if !others.isEmpty { parts.outlet.perform(others) }
    }

    nonisolated func note(_ change: (inout EngineStatus) -> Void) {
        published.withLock { change(&$0) }
        parts.outlet.statusChanged()
    }
}
