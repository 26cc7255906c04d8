import Dispatch
import Glibc
import NIOCore
import Synchronization

/// Makes peers of the users whose clients connect over loopback.
///
/// Over TCP nobody shows credentials, but both ends are sockets of this machine: the kernel knows
/// the owner of the client's socket (NETLINK_SOCK_DIAG). Only an established connection whose
/// client still has its socket names an owner. The process and its unit stay unknown, so rules
/// that allow something to a unit never match, and rules that deny something to a unit do. The
/// groups are those that the system's names give the user.
final class LoopbackPeers: Sendable {
    private struct Known {
        let groups: [UInt32]
        let gid: UInt32
        let at: ContinuousClock.Instant

        func peer(_ uid: UInt32) -> Peer {
            var peer = Peer(
                uid: uid, payer: SubordinateUsers.ofMachine.owner(of: uid), gid: gid, pid: 0,
                groups: groups)
            peer.isUnitKnown = false
            return peer
        }
    }

    /// The look-ups of some users: a few at a time.
    private struct Lane {
        var runningCount = 0
        /// Users whose turn has not come.
        var pending: [UInt32] = []
    }

    private struct State {
        /// Users of this machine, as they were last looked up.
        var known: [UInt32: Known] = [:]
        /// Ids that no user has.
        var strangers: [UInt32: Known] = [:]
        var waiting: [UInt32: [EventLoopPromise<Peer>]] = [:]
        /// The look-ups of users who are in `known`, however long ago.
        var again = Lane()
        /// The look-ups of all others. A user may own thousands of ids that no user has.
        var first = Lane()
    }

    /// Finds a user's groups; of an unknown user, the group that nobody has.
    typealias Groups = @Sendable (UInt32) -> (gid: UInt32, groups: [UInt32])

    /// How long the groups of a user are remembered. A connection over the Unix socket shows the
    /// groups of its process, which are as old as the process.
    static let memoryTime = Duration.seconds(10)
    /// Users whose groups are remembered.
    private static let knownCountMax = 1_024
    /// Look-ups at a time in each lane: one that takes long holds up few.
    static let laneCount = 4
    /// Users of a lane whose turn has not come.
    static let pendingCountMax = 256
    /// Connections of one user that wait for a look-up.
    static let waitingCountMax = 256

    private let state = Mutex(State())
    private let memoryTime: Duration
    private let groups: Groups
    /// Where the system's names are asked for, which may take long.
    private let queue = DispatchQueue(label: "hearth.loopback", attributes: .concurrent)

    /// Remembers nobody.
    init(
        remembering memoryTime: Duration = memoryTime,
        groups: @escaping Groups = SystemNames.groups
    ) {
        self.memoryTime = memoryTime
        self.groups = groups
    }

    /// A user as a peer.
    ///
    /// - Returns: A future that fails if too many of such users wait.
    func peer(_ uid: UInt32, on loop: any EventLoop) -> EventLoopFuture<Peer> {
        let promise = loop.makePromise(of: Peer.self)
        let answer = state.withLock { state -> Answer in
            if let known = state.known[uid] ?? state.strangers[uid],
                .now - known.at < memoryTime
            {
                return .known(known)
            }
            let count = state.waiting[uid]?.count ?? 0
            guard count < Self.waitingCountMax else { return .tooMany }
            let lane = Self.lane(of: uid, state)
            let isFirst = count == 0
            if isFirst, state[keyPath: lane].pending.count >= Self.pendingCountMax {
                return .tooMany
            }
            state.waiting[uid, default: []].append(promise)
            guard isFirst else { return .waits }
            guard state[keyPath: lane].runningCount < Self.laneCount else {
                state[keyPath: lane].pending.append(uid)
                return .waits
            }
            state[keyPath: lane].runningCount += 1
            return .looksUp(lane)
        }
        switch answer {
        case .known(let known): promise.succeed(known.peer(uid))
        case .tooMany: promise.fail(TooMany())
        case .waits: break
        case .looksUp(let lane): queue.async { self.work(from: uid, in: lane) }
        }
        return promise.futureResult
    }

    private enum Answer {
        case known(Known)
        case tooMany
        case waits
        case looksUp(any WritableKeyPath<State, Lane> & Sendable)
    }

    /// More look-ups wait than may.
    private struct TooMany: Error {}

    private static func lane(
        of uid: UInt32, _ state: State
    ) -> any WritableKeyPath<State, Lane> & Sendable {
        state.known[uid] == nil ? \.first : \.again
    }

    /// Looks users of a lane up until nobody waits in it.
    private func work(from uid: UInt32, in lane: any WritableKeyPath<State, Lane> & Sendable) {
        var next: UInt32? = uid
        while let uid = next {
            let (gid, groups) = groups(uid)
            let found = Known(groups: groups, gid: gid, at: .now)
            let waiting = state.withLock { state in
                Self.remember(uid, found, &state)
                if state[keyPath: lane].pending.isEmpty {
                    state[keyPath: lane].runningCount -= 1
                    next = nil
                } else {
                    next = state[keyPath: lane].pending.removeFirst()
                }
                return state.waiting.removeValue(forKey: uid) ?? []
            }
            for promise in waiting { promise.succeed(found.peer(uid)) }
        }
    }

    /// Remembers ids without a user apart from ids of users, so that an id without a user displaces
    /// no user.
    private static func remember(_ uid: UInt32, _ found: Known, _ state: inout State) {
        guard found.gid != SystemNames.nobodysGroup else {
            state.known[uid] = nil
            if state.strangers.count >= knownCountMax { state.strangers = [:] }
            state.strangers[uid] = found
            return
        }
        if state.known.count >= knownCountMax { state.known = [:] }
        state.strangers[uid] = nil
        state.known[uid] = found
    }
}
