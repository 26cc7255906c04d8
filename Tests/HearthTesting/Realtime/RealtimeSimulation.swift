import HearthBackend
import HearthEngine
import HearthModel
package import HearthRealtime

/// Seeded disorder: two daemons with programs that write, count, listen and die, a service, links
/// that break, and stores that fail. Daemons also die between a commit and the actions that follow.
///
/// When all is quiet again, every listener must see what the service holds, and every accepted
/// write must have been applied: at least once, and with a fence exactly once.
package struct RealtimeSimulation {
    /// The failure, with the seed that repeats it.
    package struct Failure: Error, Sendable, CustomStringConvertible {
        /// The seed.
        package let seed: UInt64
        /// What went wrong.
        package let faults: [String]

        package var description: String {
            (["seed \(seed)"] + faults.map { "    \($0)" }).joined(separator: "\n")
        }
    }

    /// How much happens, and what may fail.
    package struct Plan: Sendable {
        /// How many things happen.
        package var stepCount = 250
        /// Whether daemons die.
        package var restarts = true
        /// Whether stores fail.
        package var failsStores = true
        /// Whether each write leaves a mark, so that the service applies it once.
        package var hasFence = false

        /// Whether administrators steer the queue, and programs take back what they wrote.
        package var steers = true
        /// Whether other Firebase users sign in.
        package var changesUsers = true

        /// Every kind of failure, and no fence.
        package init() {}
    }

    private let seed: UInt64
    private let plan: Plan
    private var random: SeededRandom
    private var clock = ManualClock()
    private let service = SimulatedService(daemonCount: 2)
    private let ledger = RealtimeLedger()
    private var daemons: [SimulatedDaemon] = []

    /// Who may be signed in; at the beginning and at the end the first.
    private static let users: [UserID] = [.unauthenticated, UserID("ada")]

    /// The timers whose time never comes while all is settling.
    private static let late: Set<RealtimeTimer> = [.idle, .garbageCollection, .unlistening]

    /// Runs one simulation to its end.
    ///
    /// - Parameter makeStore: Makes the empty store of one daemon; a store in memory if it is not told.
    package static func run(
        seed: UInt64, plan: Plan = Plan(),
        makeStore: () -> any RealtimeStore = { RealtimeMemoryStore() }
    ) throws(Failure) {
        var simulation = RealtimeSimulation(seed: seed, plan: plan, makeStore)
        for _ in 0..<plan.stepCount { simulation.step() }
        simulation.settleForAll()
        let seen = simulation.differences()
        simulation.killAll()
        simulation.settleForAll()
        // What outlives the programs happens when the connections end.
        for daemon in simulation.daemons { daemon.take(.shutdown, at: simulation.clock.now) }
        simulation.settle()
        let faults = seen + simulation.faults()
        if !faults.isEmpty { throw Failure(seed: seed, faults: faults) }
    }

    private init(seed: UInt64, plan: Plan, _ makeStore: () -> any RealtimeStore) {
        self.seed = seed
        self.plan = plan
        random = SeededRandom(seed: seed)
        guard let instance = RealtimeDriver.instance else { preconditionFailure("No instance") }
        var configuration = RealtimeEngine.Configuration(
            instance: instance, fence: plan.hasFence ? "fences" : nil)
        configuration.hashedByteCountMin = 1  // Hashes are kept of all that is listened to.
        configuration.begunPartCountMin = 1  // All but single children are read in two steps.
        for index in 0..<2 {
            daemons.append(
                SimulatedDaemon(
                    index, service, ledger, configuration, on: makeStore(), at: clock.now))
        }
    }

    // MARK: What happens

    private mutating func step() {
        guard let daemon = daemons.randomElement(using: &random),
            let session = daemon.sessions.randomElement(using: &random)
        else { return }
        let now = clock.now
        switch Int.random(in: 0..<106, using: &random) {
        case 100..<104 where plan.steers: steer(daemon)
        case 104 where plan.steers && chance(of: 4):
            fail(daemon)
            daemon.purge(at: now)
        case 105 where plan.changesUsers:
            fail(daemon)
            let user = Self.users.randomElement(using: &random) ?? .unauthenticated
            daemon.take(.changeUser(user), at: now)
        case 0..<14:
            let dies = plan.restarts && chance(of: 30)
            fail(daemon)
            daemon.write(ledger.add(part(), by: daemon.index), at: now, dies: dies)
        case 14..<19: daemon.listen(target(), session: session, at: now)
        case 19..<21:
            let ids = daemon.screens.keys.sorted()
            if let id = ids.randomElement(using: &random) { daemon.unlisten(id, at: now) }
        case 21..<26:
            daemon.beginTransaction(session: session, isShown: chance(of: 2), at: now)
        case 26..<33:
            let ids = daemon.computing.keys.sorted()
            if let id = ids.randomElement(using: &random) { daemon.compute(id, at: now) }
        case 33..<35:
            let scope = OnDisconnectScope.allCases.randomElement(using: &random) ?? .link
            daemon.orderPresence(session: session, scope, at: now)
        case 35..<37:
            daemon.kill(session, at: now)
            daemon.addSession()
        case 37..<40: daemon.cut(at: now)
        case 40 where plan.restarts: daemon.restart(at: now)
        case 41..<46:
            if let next = daemon.nextTimer(besides: []) {
                clock.advance(to: max(now, next.at))
                daemon.fire(next.timer, at: clock.now)
            }
        case 46..<75: serveAny()
        default:
            for _ in 0..<Int.random(in: 1...4, using: &random) { bring(to: daemon) }
        }
        daemon.fail([])
    }

    /// An administrator does something to a write, which may have been sent or be gone.
    private mutating func steer(_ daemon: SimulatedDaemon) {
        let batches = ledger.batches(of: daemon.index).suffix(6)
        guard let batch = batches.randomElement(using: &random) else { return }
        let order: QueueOrder<RealtimeChange>
        switch Int.random(in: 0..<6, using: &random) {
        case 0: order = .hold([batch])
        case 1: order = .cancel([batch])
        case 2: order = .drop([batch])
        case 3:
            let part = RealtimeChange.Part(WritePath("tree/edited"), UnresolvedNode(Node(1)))
            guard let change = ledger.edited(batch, of: daemon.index, to: part) else { return }
            order = .edit(batch, change)
        case 4: order = .retry
        default: return daemon.releaseAll(at: clock.now)
        }
        fail(daemon)
        daemon.steer(order, at: clock.now)
    }

    private mutating func chance(of count: Int) -> Bool {
        Int.random(in: 0..<count, using: &random) == 0
    }

    /// A step of the next turn may fail.
    private mutating func fail(_ daemon: SimulatedDaemon) {
        guard plan.failsStores, chance(of: 20) else { return }
        daemon.fail([RealtimeStep.allCases.randomElement(using: &random) ?? .listen])
    }

    private mutating func serveAny() {
        guard let id = service.busy.randomElement(using: &random) else { return }
        // A broken connection lingers, and what it carries comes late or never.
        if chance(of: 8) { service.giveUp(id, at: clock.now) }
        service.serve(id, at: clock.now)
    }

    private mutating func bring(to daemon: SimulatedDaemon) {
        guard let event = service.takeNews(for: daemon.index) else { return }
        fail(daemon)
        let dies = plan.restarts && chance(of: 100)
        daemon.take(.upstream(event), at: clock.now, dies: dies)
        daemon.fail([])
    }

    private static let keys: [ChildKey] = ["a", "b", "c", "7"]

    private mutating func key() -> ChildKey { Self.keys.randomElement(using: &random) ?? "a" }

    private mutating func part() -> RealtimeChange.Part {
        let depth = Int.random(in: 1...3, using: &random)
        var path = RealtimePath(["tree"] + (0..<depth).map { _ in key() })
        if chance(of: 12) { path = RealtimePath(["denied"] + path.keys) }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .init(WritePath(path), UnresolvedNode(.empty))
        case 1: return .init(WritePath(path), UnresolvedNode(.increment(.integer(1))))
        case 2: return .init(WritePath(path), UnresolvedNode(.timestamp))
        case 3: return .init(WritePath(path, isPriority: true), UnresolvedNode(Node(3)))
        default:
            let value = Node(.integer(Int64.random(in: 0..<9, using: &random)))
            return .init(
                WritePath(path),
                UnresolvedNode(chance(of: 2) ? value : .empty.settingChild(key(), to: value)))
        }
    }

    private mutating func target() -> ListenTarget {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: ListenTarget(.root, .all)
        case 1: ListenTarget("total", .all)
        case 2: ListenTarget("log", .all)
        case 3, 4:
            ListenTarget(
                "tree",
                QueryParameters(
                    index: .key, limit: .init(Int.random(in: 1...2, using: &random), from: .first)))
        case 5: ListenTarget(RealtimePath(["tree", key()]), .all)
        default: ListenTarget("tree", .all)
        }
    }

    // MARK: The end

    private func killAll() {
        for daemon in daemons {
            for session in daemon.sessions { daemon.kill(session, at: clock.now) }
        }
    }

    /// Each user signs in once more, so that all queues are emptied, and nothing is held.
    private mutating func settleForAll() {
        settle()
        for user in Self.users.reversed() {
            for daemon in daemons {
                daemon.releaseAll(at: clock.now)
                if plan.changesUsers { daemon.take(.changeUser(user), at: clock.now) }
            }
            settle()
        }
    }

    /// Everything goes its way until nothing is left to do.
    private mutating func settle() {
        for _ in 0..<20_000 {
            if progress() { continue }
            // What waits for time waits no longer.
            let next = daemons.compactMap { daemon in
                daemon.nextTimer(besides: Self.late).map { (daemon, $0.timer, $0.at) }
            }.min { $0.2 < $1.2 }
            guard let (daemon, timer, time) = next else { return }
            clock.advance(to: max(clock.now, time))
            daemon.fire(timer, at: clock.now)
        }
    }

    private func progress() -> Bool {
        if let id = service.busy.first {
            service.serve(id, at: clock.now)
            return true
        }
        for daemon in daemons {
            if let event = service.takeNews(for: daemon.index) {
                daemon.take(.upstream(event), at: clock.now)
                return true
            }
            if let id = daemon.computing.keys.min() {
                daemon.compute(id, at: clock.now)
                return true
            }
        }
        return false
    }

    private func differences() -> [String] {
        daemons.flatMap { daemon in
            daemon.screens.sorted { $0.key < $1.key }.compactMap { _, screen in
                let truth = service.root.node(at: screen.target.path)
                let query = screen.target.query
                let shown = NodeFilter(query).view(of: IndexedNode(truth, by: query.index)).node
                if screen.isComplete, screen.node == shown { return nil }
                return "daemon \(daemon.index) shows \(screen.node?.description ?? "nothing") at "
                    + "\(screen.target.path), and the service has \(shown)"
            }
        }
    }

    private func faults() -> [String] {
        var faults = daemons.flatMap(\.faults)
        for daemon in daemons where daemon.isWaiting(among: Self.users) {
            faults.append("the queue of daemon \(daemon.index) is not empty")
        }
        faults += ledger.faults(in: service.root, isOnce: plan.hasFence) {
            daemons[$0].isDeadLetter($1)
        }
        return faults + ledger.faults(ofRest: service.root)
    }
}
