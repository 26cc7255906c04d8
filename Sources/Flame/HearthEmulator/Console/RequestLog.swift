import HearthBackend
import HearthModel
import Synchronization

/// The newest requests to an emulator, for consoles that show them while they come.
///
/// There is a log only if somebody asked for a console: without one, no request costs anything more.
package final class RequestLog: Sendable {
    private struct State {
        var ring = RequestRing()
        var wakes: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextWake = 0
    }

    private let state = Mutex(State())

    /// An empty log.
    package init() {}

    /// Begins to note a request to Firestore.
    func begin(_ method: String, by caller: Caller, at now: Timestamp) -> RequestRecord {
        RequestRecord(method, by: RequestEntry.Asker(caller), at: now, in: self)
    }

    /// Begins to note a request to the Realtime Database.
    func begin(_ method: String, by caller: RealtimeCaller, at now: Timestamp) -> RequestRecord {
        RequestRecord(method, by: RequestEntry.Asker(caller), at: now, in: self)
    }

    /// Adds a request that has ended.
    func add(_ entry: RequestEntry) {
        let wakes = state.withLock { state in
            state.ring.add(entry)
            return Array(state.wakes.values)
        }
        for wake in wakes { wake.yield() }
    }

    /// The requests behind a number that are still kept, newest first, and the number of the last.
    package func entries(after number: Int) -> (entries: [RequestEntry], last: Int) {
        state.withLock { ($0.ring.entries(after: number), $0.ring.total) }
    }

    /// Yields once at first, and then whenever requests have been added; many may be one wake.
    package func wakes() -> AsyncStream<Void> {
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextWake += 1
            state.wakes[state.nextWake] = wake
            return state.nextWake
        }
        wake.onTermination = { [weak self] _ in
            self?.state.withLock { $0.wakes[number] = nil }
        }
        wake.yield()
        return wakes
    }
}

extension RequestEntry.Asker {
    /// A caller of Firestore.
    fileprivate init(_ caller: Caller) {
        switch caller {
        case .admin: self = .owner
        case .user(let user): self = .user(user.uid)
        case .nobody: self = .nobody
        }
    }

    /// A caller of the Realtime Database.
    fileprivate init(_ caller: RealtimeCaller) {
        switch caller {
        case .admin: self = .owner
        case .user(let auth): self = .user(auth["uid"]?.string ?? "somebody without a uid")
        case .nobody: self = .nobody
        }
    }
}
