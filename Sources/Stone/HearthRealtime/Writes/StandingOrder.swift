import HearthEngine
import HearthModel

/// A write that is to be made when a program or the connection ends.
///
///     waiting --sent--> sent --answered--> registered --program ends--> leaving --written--> (over)
///        ^                |                    |                          |
///        +---link ends----+                    +--------link ends---------+--> (over)
struct StandingOrder: Sendable {
    enum State: Hashable, Sendable {
        /// The backend never hears of it.
        case local
        /// The backend is still to be told.
        case waiting
        /// The backend was told and has not answered.
        case sent
        /// The backend has it.
        case registered
        /// Its program has ended, and the write is made here; until that is answered, the backend
        /// keeps the order. `nil` if the write could not be queued.
        case leaving(BatchID?)
    }

    let number: OnDisconnectTree.Number
    let session: UInt64
    let scope: OnDisconnectScope
    let writer: Writer
    var change: RealtimeChange
    var state: State
    /// Who waits for the answer: whoever ordered it, and whose orders it replaced.
    var askers: [RequestID]

    /// Whether the backend may make the write when the connection ends.
    var isUpstream: Bool {
        switch state {
        case .sent, .registered, .leaving: true
        case .local, .waiting: false
        }
    }

    /// What the backend is asked.
    var action: RealtimeAction {
        switch change {
        case .set(let place, let node): .onDisconnectPut(place, node)
        case .update(let path, let parts): .onDisconnectMerge(path, parts)
        }
    }

    /// The places that the write names.
    var places: [WritePath] { change.parts.map(\.place) }
}

extension RealtimeChange {
    /// The change without its parts at a place and below; `nil` if no part is left.
    func without(_ place: WritePath) -> RealtimeChange? {
        switch self {
        case .set(let own, _): return place.covers(own) ? nil : self
        case .update(let path, let parts):
            let rest = parts.filter { !place.covers($0.place.below(path)) }
            return rest.isEmpty ? nil : .update(path, rest)
        }
    }
}

extension WritePath {
    /// Whether another place is the same or lies below.
    func covers(_ other: WritePath) -> Bool {
        if isPriority { return other.isPriority && path == other.path }
        return path.contains(other.path)
    }
}
