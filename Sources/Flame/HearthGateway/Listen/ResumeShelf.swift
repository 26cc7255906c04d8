import HearthModel
import NIOCore
import Synchronization

/// The pictures that ended streams have shown to their clients, for returning clients.
///
/// For all connections of a gateway. A stream asks when it begins or ends, and never in between. A
/// client that finds nothing here is told everything anew, which costs more and loses nothing.
final class ResumeShelf: Sendable {
    /// A stream as its client can name it: nobody takes what another user's client was shown.
    struct StreamName: Hashable {
        /// The stream's number.
        let id: UInt64
        /// Whose documents it shows.
        let database: DatabaseID
        /// The client's user.
        let uid: UInt32
        /// The user who pays for what the client takes.
        let payer: UInt32
    }

    private struct Place: Hashable {
        let stream: StreamName
        let shape: ListenShape
    }

    private struct Kept {
        /// `nil` if the stream had two such targets, whose tokens cannot be told apart.
        let history: SentHistory?
        let byteCount: Int
        let until: Duration
    }

    private struct State {
        var lastStream: UInt64 = 0
        var kept: [Place: Kept] = [:]
        /// The places in order of arrival; some are gone.
        var order: [Place] = []
        var byteCount = 0
        /// How many targets are kept for each user who pays.
        var counts: [UInt32: Int] = [:]
        /// When the shelf is swept, as somebody has been told.
        var sweepsAt: Duration?
    }

    /// How long a client may stay away: a client that lives comes back within a minute.
    static let timeMax = Duration.seconds(300)
    /// Targets that are kept.
    static let targetCountMax = 1_024
    /// Kept targets of all clients of one paying user.
    static let uidTargetCountMax = 64
    /// Bytes of all kept pictures. A picture that is larger alone is not kept.
    static let byteCountMax = 16 << 20

    /// The life of this gateway. Tokens of others mean nothing here.
    let epoch: UInt64
    private let state = Mutex(State())

    /// An empty shelf.
    ///
    /// - Parameter epoch: A random number, so that no two processes have the same.
    init(epoch: UInt64) {
        self.epoch = epoch
    }

    /// How many targets are kept.
    var count: Int { state.withLock { $0.kept.count } }

    /// Bytes of all kept pictures.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// The number of a new stream.
    func nextStream() -> UInt64 {
        state.withLock {
            $0.lastStream += 1
            return $0.lastStream
        }
    }

    /// Keeps the picture of an ended stream or target. O(documents).
    ///
    /// - Returns: When `forget` is to be called, unless somebody has been told to call it.
    @discardableResult
    func put(
        _ histories: [(ListenShape, SentHistory)], of stream: StreamName, at now: Duration
    ) -> Duration? {
        let sized = histories.map { shape, history in
            let byteCount = shape.byteCount + history.byteCount(upTo: Self.byteCountMax)
            return (Place(stream: stream, shape: shape), history, byteCount)
        }
        return state.withLock { state in
            Self.forget(&state, at: now)
            for (place, history, byteCount) in sized where byteCount <= Self.byteCountMax {
                let isTaken = Self.remove(place, &state) != nil
                Self.add(
                    Kept(
                        history: isTaken ? nil : history, byteCount: byteCount,
                        until: now + Self.timeMax), at: place, &state)
            }
            Self.trim(&state, of: stream.payer)
            guard state.sweepsAt == nil, !state.kept.isEmpty else { return nil }
            state.sweepsAt = now + Self.timeMax
            return state.sweepsAt
        }
    }

    /// Where a client with a token goes on. What is found is kept no more: the client will be told
    /// of later states, which the kept history does not have.
    ///
    /// - Parameter stream: The stream that the token names.
    func take(
        _ mark: ResumeMark, _ shape: ListenShape, of stream: StreamName, at now: Duration
    ) -> GatewayTarget.Resumption {
        guard mark.epoch == epoch else { return .unknown }
        return state.withLock { state in
            Self.forget(&state, at: now)
            guard
                let history = Self.remove(Place(stream: stream, shape: shape), &state)?.history,
                let names = history.names(toldAfter: mark.number)
            else { return .unknown }
            return .point(history, told: names)
        }
    }

    /// Drops what nobody has come back for.
    ///
    /// - Returns: When this is to be called again; `nil` if nothing is kept.
    @discardableResult
    func forget(at now: Duration) -> Duration? {
        state.withLock { state in
            Self.forget(&state, at: now)
            state.sweepsAt = state.order.first.flatMap { state.kept[$0]?.until }
            return state.sweepsAt
        }
    }

    private static func add(_ kept: Kept, at place: Place, _ state: inout State) {
        state.kept[place] = kept
        state.order.append(place)
        state.byteCount += kept.byteCount
        state.counts[place.stream.payer, default: 0] += 1
    }

    @discardableResult
    private static func remove(_ place: Place, _ state: inout State) -> Kept? {
        guard let kept = state.kept.removeValue(forKey: place) else { return nil }
        state.byteCount -= kept.byteCount
        let count = state.counts[place.stream.payer, default: 0] - 1
        state.counts[place.stream.payer] = count == 0 ? nil : count
        return kept
    }

    private static func forget(_ state: inout State, at now: Duration) {
        let old = state.order.prefix { place in state.kept[place].map { $0.until <= now } ?? true }
        for place in old { remove(place, &state) }
        state.order.removeFirst(old.count)
    }

    /// Drops the oldest of a user with too many, and the oldest of all where there is too much.
    private static func trim(_ state: inout State, of payer: UInt32) {
        if let count = state.counts[payer], count > uidTargetCountMax {
            let own = state.order.filter { $0.stream.payer == payer && state.kept[$0] != nil }
            for place in own.prefix(count - uidTargetCountMax) { remove(place, &state) }
        }
        var count = 0
        for place in state.order
        where state.kept.count > targetCountMax || state.byteCount > byteCountMax {
            remove(place, &state)
            count += 1
        }
        state.order.removeFirst(count)
        guard state.order.count > 2 * targetCountMax else { return }
        let kept = state.kept
        state.order.removeAll { kept[$0] == nil }
    }
}

extension ResumeShelf {
    /// The clock of a gateway's shelf and streams.
    static var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

    /// Drops what nobody has come back for, at a time and after it for as long as anything is kept:
    /// an idle daemon keeps nothing.
    func sweep(at time: Duration, on loop: any EventLoop) {
        loop.scheduleTask(deadline: .uptimeNanoseconds(0) + TimeAmount(time)) { [weak self] in
            guard let self, let next = forget(at: Self.now) else { return }
            sweep(at: next, on: loop)
        }
    }
}

extension ListenShape {
    /// What it takes in memory, about.
    fileprivate var byteCount: Int {
        queries.reduce(256) { $0 + 256 + $1.canonicalID.utf8.count }
    }
}
