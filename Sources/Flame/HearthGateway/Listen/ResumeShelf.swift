import HearthModel
import Synchronization

/// What streams that are over have shown to their clients, for clients that come back.
///
/// For all connections of a gateway. A stream asks when it begins or ends, and never in between. A
/// client that finds nothing here is told everything anew, which costs more and loses nothing.
final class ResumeShelf: Sendable {
    private struct Place: Hashable {
        let stream: UInt64
        let database: DatabaseID
        let shape: ListenShape
    }

    private struct Kept {
        /// `nil` if the stream had two such targets, whose tokens cannot be told apart.
        let history: SentHistory?
        let until: Duration

        var documentCount: Int { history?.latest?.count ?? 0 }
    }

    private struct State {
        var lastStream: UInt64 = 0
        var kept: [Place: Kept] = [:]
        /// The places in the order of their coming, some of them gone.
        var order: [Place] = []
        var documentCount = 0
    }

    /// How long a client may stay away: a client that lives comes back within a minute.
    static let timeMax = Duration.seconds(300)
    /// Targets that are kept.
    static let targetCountMax = 1_024
    /// Documents in their last pictures: about as many as a busy daemon's memory holds anyway.
    static let documentCountMax = 100_000

    /// The life of this gateway. Tokens of others mean nothing here.
    let epoch: UInt64
    private let state = Mutex(State())

    /// An empty shelf.
    ///
    /// - Parameter epoch: By chance, so that no two processes share it.
    init(epoch: UInt64) {
        self.epoch = epoch
    }

    /// How many targets are kept.
    var count: Int { state.withLock { $0.kept.count } }

    /// The number of a new stream.
    func nextStream() -> UInt64 {
        state.withLock {
            $0.lastStream += 1
            return $0.lastStream
        }
    }

    /// Keeps what a stream that is over has shown, or a target of it.
    func put(
        _ histories: [(ListenShape, SentHistory)], of stream: UInt64, in database: DatabaseID,
        at now: Duration
    ) {
        state.withLock { state in
            Self.forget(&state, at: now)
            for (shape, history) in histories {
                let place = Place(stream: stream, database: database, shape: shape)
                let isTaken = Self.remove(place, &state) != nil
                let kept = Kept(history: isTaken ? nil : history, until: now + Self.timeMax)
                state.kept[place] = kept
                state.order.append(place)
                state.documentCount += kept.documentCount
            }
            Self.trim(&state)
            if state.order.count > 2 * Self.targetCountMax {
                let kept = state.kept
                state.order.removeAll { kept[$0] == nil }
            }
        }
    }

    /// Where a client with a token goes on. What is found is kept no more: the client will be told
    /// of later states, which the kept history does not have.
    func take(
        _ mark: ResumeMark, _ shape: ListenShape, in database: DatabaseID, at now: Duration
    ) -> GatewayTarget.Resumption {
        guard mark.epoch == epoch else { return .unknown }
        return state.withLock { state in
            Self.forget(&state, at: now)
            let place = Place(stream: mark.stream, database: database, shape: shape)
            guard let history = Self.remove(place, &state)?.history,
                let names = history.names(toldAfter: mark.number)
            else { return .unknown }
            return .point(history, told: names)
        }
    }

    /// Drops what nobody has come back for.
    func forget(at now: Duration) {
        state.withLock { Self.forget(&$0, at: now) }
    }

    private static func remove(_ place: Place, _ state: inout State) -> Kept? {
        guard let kept = state.kept.removeValue(forKey: place) else { return nil }
        state.documentCount -= kept.documentCount
        return kept
    }

    private static func forget(_ state: inout State, at now: Duration) {
        let old = state.order.prefix { place in state.kept[place].map { $0.until <= now } ?? true }
        for place in old { _ = remove(place, &state) }
        state.order.removeFirst(old.count)
    }

    private static func trim(_ state: inout State) {
        var count = 0
        for place in state.order
        where state.kept.count > targetCountMax || state.documentCount > documentCountMax {
            _ = remove(place, &state)
            count += 1
        }
        state.order.removeFirst(count)
    }
}
