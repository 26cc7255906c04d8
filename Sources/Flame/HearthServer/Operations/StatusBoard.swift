import Dispatch
import HearthEngine
import HearthWire
import Synchronization

/// Tells the sessions that listen to the daemon's state whenever the state may have changed.
///
///     silent --changed--> due --look--> resting --changed--> due
///                                          \--rested--> silent
///
/// Whoever changes a part of the state calls `changed`. The call reads one word while nobody listens. The
/// board looks once for all sessions, and rests after each look, so ten looks a second are the most and
/// the last change is always seen. Each session decides what of a look is news to its client.
final class StatusBoard: Sendable {
    /// The time from the end of a look to the next look at least.
    static let pause = Duration.milliseconds(100)
    /// The rest after a look, in times of the look's length: looks take a tenth of a processor at most.
    private static let restPerLook = 9

    /// How the daemon is looked at. Blocks on the disk.
    struct Eyes: Sendable {
        /// The thread of the looks.
        let queue: DispatchQueue
        /// One database; `nil` while its store is being opened, which ends by a change.
        let look: @Sendable (EngineKey) -> StatusReport?
        /// All open databases, in the order in which operators are told. A database is missing until its
        /// store is open, which is a change.
        let lookAtAll: @Sendable () -> [StatusReport]
    }

    private struct Follower: Sendable {
        let key: EngineKey
        let scopes: Set<StatusScope>
        let tell: @Sendable (StatusScope, [StatusReport]) -> Void
    }

    private struct State {
        var eyes: Eyes?
        var followers: [UInt64: Follower] = [:]
        /// The databases that may have changed since the last look.
        var changed: Set<EngineKey> = []
        /// Whether all databases may have changed.
        var isAllChanged = false
        var isLookDue = false
        var restsUntil = ContinuousClock.now
    }

    private let state = Mutex(State())
    private let isFollowed = Atomic(false)

    /// A board without listeners and without eyes.
    init() {}

    /// Looks with these eyes from now on.
    func open(_ eyes: Eyes) { state.withLock { $0.eyes = eyes } }

    /// Tells a session of these scopes from now on, in place of the session's earlier scopes.
    ///
    /// - Parameters:
    ///   - key: The session's database.
    ///   - tell: Called on the thread of the looks, in their order.
    func follow(
        _ scopes: Set<StatusScope>, of key: EngineKey, as session: UInt64,
        tell: @escaping @Sendable (StatusScope, [StatusReport]) -> Void
    ) {
        guard !scopes.isEmpty else { return leave(session) }
        state.withLock { state in
            state.followers[session] = Follower(key: key, scopes: scopes, tell: tell)
            isFollowed.store(true, ordering: .sequentiallyConsistent)
        }
    }

    /// A session is over, or listens no more.
    func leave(_ session: UInt64) {
        guard isFollowed.load(ordering: .sequentiallyConsistent) else { return }
        state.withLock { state in
            state.followers[session] = nil
            guard state.followers.isEmpty else { return }
            isFollowed.store(false, ordering: .sequentiallyConsistent)
            (state.changed, state.isAllChanged) = ([], false)
        }
    }

    /// A database's state may have changed; with `nil`, the state of all databases.
    ///
    /// Callable from any thread, after the change can be seen.
    func changed(_ key: EngineKey?) {
        guard isFollowed.load(ordering: .sequentiallyConsistent) else { return }
        state.withLock { state in
            if let key { state.changed.insert(key) } else { state.isAllChanged = true }
            order(&state)
        }
    }

    /// Has the next look made when the board has rested, if a look is wanted.
    private func order(_ state: inout State) {
        guard !state.isLookDue, !state.followers.isEmpty, let eyes = state.eyes,
            state.isAllChanged || !state.changed.isEmpty
        else { return }
        state.isLookDue = true
        let rest = state.restsUntil - .now
        guard rest > .zero else { return eyes.queue.async { self.look(eyes) } }
        let wait = DispatchTimeInterval.nanoseconds(Int(rest / .nanoseconds(1)))
        eyes.queue.asyncAfter(deadline: .now() + wait) { self.look(eyes) }
    }

    private func look(_ eyes: Eyes) {
        let began = ContinuousClock.now
        let (followers, changed, isAllChanged) = state.withLock { state in
            defer { (state.changed, state.isAllChanged) = ([], false) }
            return (Array(state.followers.values), state.changed, state.isAllChanged)
        }
        let keys = Set(followers.filter { $0.scopes.contains(.database) }.map(\.key))
        let reports = keys.filter { isAllChanged || changed.contains($0) }
            .reduce(into: [EngineKey: StatusReport]()) { $0[$1] = eyes.look($1) }
        let isAllWanted = followers.contains { $0.scopes.contains(.allDatabases) }
        let all = isAllWanted ? eyes.lookAtAll() : []
        for follower in followers {
            if follower.scopes.contains(.database), let report = reports[follower.key] {
                follower.tell(.database, [report])
            }
            if follower.scopes.contains(.allDatabases), !all.isEmpty {
                follower.tell(.allDatabases, all)
            }
        }
        let end = ContinuousClock.now
        state.withLock { state in
            state.restsUntil = end + max(Self.pause, (end - began) * Self.restPerLook)
            state.isLookDue = false
            order(&state)
        }
    }
}
