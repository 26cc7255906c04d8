import HashTreeCollections
package import HearthModel

/// Tells which writes the backend has applied when their answers were lost.
///
/// An update cannot be conditional. So each write is sent as an update that also leaves a mark, and
/// after a lost connection the marks tell what the backend applied. While the backend still holds
/// the old connection, what was sent there may still be applied; so each connection also has the
/// backend note when it ends, and the marks count only once every earlier connection has ended.
///
///     <fence>/<daemon>/applied/<write>     true: the backend applied the write
///     <fence>/<daemon>/ended/<connection>  false: the connection lasts; true: it has ended
///
/// A backend that has forgotten the old connection never notes the connection's end. After some
/// minutes of asking, the end is not waited for any more: a write without a mark is then in doubt.
///
/// One number of the last write would not do: a write among others can be refused, and would look
/// applied. A later write removes the marks of answered writes, and ended connections are removed
/// when they are seen.
///
///     closed --opened--> asking --answered--> open
///       ^                 |   ^                |
///       |              waiting-+               |
///       +--------------- closed ---------------+
package struct Fence: Sendable {
    /// What the backend is asked for the fence's sake.
    package enum Call: Hashable, Sendable {
        /// To note the connection's end.
        case order
        /// To note that the connection lasts.
        case announcement
        /// For the marks, and the connections that last.
        case reading
        /// To remove connections that have ended.
        case tidying
    }

    /// A request to the backend, with what it is for.
    package struct Request: Hashable, Sendable {
        /// What for.
        package let call: Call
        /// What is asked.
        package let action: RealtimeAction
    }

    /// What an answer means.
    package enum Step: Hashable, Sendable {
        /// Nothing yet.
        case none
        /// Earlier connections last: the marks must be read again after a while.
        ///
        /// `isLong` if operators should know of the wait.
        case wait(Duration, isLong: Bool)
        /// Writes may be sent. Of those in doubt, the backend has applied these.
        ///
        /// The backend has applied no other writes, unless there are `lost` connections: the
        /// backend never noted the end of such a connection.
        case opened(applied: Set<BatchID>, lost: [ChildKey], requests: [Request])
        /// The backend does not let the fence be kept.
        case denied(HearthError)
    }

    private enum State: Hashable, Sendable {
        case closed
        case asking(attempt: Int)
        case waiting(attempt: Int)
        case open
        case denied
    }

    /// How often the marks are read on one connection before the end of an earlier one is waited for
    /// no more. With the waits between, about five minutes: longer than a backend that lives needs
    /// to find out that a connection is broken.
    static let readingCountMax = 64
    /// After so many readings operators should know what the writes wait for: after about eight seconds.
    private static let longReadingCount = 6
    /// How many marks one write removes at most, and how many ended connections one removes.
    private static let removedCountMax = 64
    /// How long the first wait lasts; each further wait lasts twice as long, up to the longest.
    private static let firstWait = Duration.milliseconds(250)
    private static let longestWait = Duration.seconds(5)

    /// Where this daemon's part of the fence is.
    package let place: RealtimePath
    private var state = State.closed
    private var connection: ChildKey?
    /// The backend's finished calls for the connection.
    private var done: Set<Call> = []
    /// How often the connection has read that an earlier one lasts.
    private var readingCount = 0
    /// Writes whose answers have come, and whose marks are still there.
    private var answered: TreeSet<BatchID> = []
    /// The marks that a write on its way removes.
    private var removed: TreeDictionary<BatchID, [BatchID]> = [:]

    /// A fence without a connection.
    ///
    /// - Parameter daemon: The store's name, which no other daemon has.
    package init(at fence: RealtimePath, daemon: String) {
        place = fence.appending(ChildKey(unchecked: daemon))
    }

    /// Whether writes may be sent, with marks or without.
    package var admitsWrites: Bool { state == .open || state == .denied }

    /// Whether writes are sent with marks.
    package var isKept: Bool { state == .open }

    private var applied: RealtimePath { place.appending("applied" as ChildKey) }
    private var ended: RealtimePath { place.appending("ended" as ChildKey) }

    // MARK: The connection

    /// A connection stands.
    ///
    /// - Parameter connection: The connection's name; no other connection of this daemon has the
    ///   same, before or after.
    package mutating func linkOpened(as connection: ChildKey) -> [Request] {
        self.connection = connection
        (done, readingCount) = ([], 0)
        state = .asking(attempt: 0)
        let own = WritePath(ended.appending(connection))
        return [
            Request(call: .order, action: .onDisconnectPut(own, UnresolvedNode(Node(true)))),
            Request(
                call: .announcement, action: .put(own, UnresolvedNode(Node(false)), hash: "")),
            reading,
        ]
    }

    private var reading: Request { Request(call: .reading, action: .get(place, .all)) }

    /// The connection has ended.
    package mutating func linkClosed() {
        (state, connection) = (.closed, nil)
        (answered, removed) = ([], [:])
    }

    /// A wait is over.
    package mutating func waited() -> [Request] {
        // A race: the connection ended while the timer ran.
        guard case .waiting(let attempt) = state else { return [] }
        state = .asking(attempt: attempt)
        return [reading]
    }

    /// The backend has done what it was asked.
    ///
    /// - Parameters:
    ///   - call: What the backend was asked.
    ///   - node: What was read; empty if nothing was asked for.
    ///   - hasDoubt: Whether a write waits that was sent on an earlier connection.
    package mutating func succeeded(_ call: Call, _ node: Node, hasDoubt: Bool) -> Step {
        done.insert(call)
        guard case .asking(let attempt) = state, call == .reading else { return .none }
        let connections = node.child("ended").children.filter { $0.key != connection }
        let lasting = connections.filter { $0.node.leaf != .bool(true) }.map(\.key)
        var lost: [ChildKey] = []
        if hasDoubt, !lasting.isEmpty {
            readingCount += 1
            guard readingCount >= Self.readingCountMax, keepsOrders else { return wait(attempt) }
            lost = lasting
        }
        state = .open
        let numbers = node.child("applied").children.compactMap { Int64($0.key.text) }
        let marks = Set(numbers.map { BatchID($0) })
        answered = TreeSet(marks)
        // Only if the note still stands: unlike an update, it counts for no write of the queue.
        let requests = connections.filter { $0.node.leaf == .bool(true) || !lost.isEmpty }
            .prefix(Self.removedCountMax)
            .map { connection in
                Request(
                    call: .tidying,
                    action: .put(
                        WritePath(ended.appending(connection.key)), UnresolvedNode(.empty),
                        hash: NodeHash.hash(of: connection.node)))
            }
        return .opened(applied: marks, lost: lost, requests: Array(requests))
    }

    /// Whether the backend takes this connection's own notes, as it should have taken the notes of
    /// the earlier connection.
    private var keepsOrders: Bool { done.isSuperset(of: [.order, .announcement]) }

    /// The backend has refused what it was asked.
    package mutating func failed(_ call: Call, _ error: HearthError) -> Step {
        guard case .asking(let attempt) = state, call != .tidying else { return .none }
        guard error.code.isPermanent else { return call == .reading ? wait(attempt) : .none }
        state = .denied
        return .denied(error)
    }

    private mutating func wait(_ attempt: Int) -> Step {
        state = .waiting(attempt: attempt + 1)
        return .wait(
            min(Self.longestWait, Self.firstWait * (1 << min(attempt, 10))),
            isLong: readingCount >= Self.longReadingCount)
    }

    // MARK: Writes

    /// A mark tells of a write that still waits, in another user's queue: it must stay.
    package mutating func keepMark(of write: BatchID) { answered.remove(write) }

    /// Whether a program may make a change: the fence is the daemon's.
    ///
    /// A change that replaces a place above the fence would take the marks of other writes away, or
    /// bring false marks.
    package static func refusal(of change: RealtimeChange, at fence: RealtimePath) -> HearthError? {
        for part in change.parts {
            let place = part.place.path
            if fence.contains(place) {
                return touched("\(place) is at or below \(fence)", "Write elsewhere")
            }
            if part.place.covers(WritePath(fence)) {
                return touched("\(place) is above \(fence)", "Write its children one by one")
            }
        }
        return nil
    }

    private static func touched(_ what: String, _ advice: String) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "\(what), where the daemon notes which writes the backend has applied. "
                + "\(advice), or move realtime.exactlyOnce.")
    }

    /// The change to send for a write: the write's own with its mark.
    ///
    /// A write that replaces the fence too, and that was accepted before the fence was there, is sent
    /// without a mark: one update cannot name a place and another above it.
    package mutating func marked(_ change: RealtimeChange, _ write: BatchID) -> RealtimeChange {
        let own = WritePath(place)
        guard state == .open, !change.parts.contains(where: { $0.place.covers(own) }) else {
            return change
        }
        let gone = Array(answered.prefix(Self.removedCountMax))
        for number in gone { answered.remove(number) }
        if !gone.isEmpty { removed[write] = gone }
        let marks = [part(write, Node(true))] + gone.map { part($0, .empty) }
        return .update(.root, change.parts + marks)
    }

    private func part(_ write: BatchID, _ node: Node) -> RealtimeChange.Part {
        let key = ChildKey(unchecked: "\(write)")
        return .init(WritePath(applied.appending(key)), UnresolvedNode(node))
    }

    /// The backend has answered a write that was sent on this connection.
    package mutating func settled(_ write: BatchID, isCommitted: Bool) {
        let gone = removed.removeValue(forKey: write) ?? []
        guard state == .open else { return }
        if isCommitted { answered.insert(write) } else { answered.formUnion(gone) }
    }
}
