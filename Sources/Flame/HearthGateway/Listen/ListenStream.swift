import HearthFirestore
import HearthModel
import HearthServer

/// The messages of one watch stream.
///
///     add > ADD, [RESET], documents, CURRENT, NO_CHANGE, then per picture: documents, NO_CHANGE
///
/// Pulled: whoever sends asks for the next message as long as the client can take one. While the
/// client cannot, each target keeps its newest snapshot and nothing else, and the differences are
/// computed afterwards. A NO_CHANGE without targets completes the pictures of all targets.
///
/// Decides; `ListenCall` listens, waits and sends.
struct ListenStream: Sendable {
    /// After how much silence the stream says that it lives: Node's client gives up after 120 s.
    static let silenceMax = Duration.seconds(30)
    /// How long a write may wait for its answer before listeners are shown it.
    static let settlingWindow = Duration.milliseconds(250)
    /// So many places for turns stay once all targets have had their turn.
    private static let placeCountMax = 8

    /// A target's turn to tell.
    private struct Turn: Sendable {
        let id: WireTargetID
        /// What the target tells; `nil` before the turn, and for nothing.
        var telling: GatewayTarget.Telling?
    }

    /// The process that makes the tokens.
    let epoch: UInt64
    /// The stream's number in this process.
    let id: UInt64
    private var targets = TargetTable()
    /// Targets with a new snapshot, in the order of the snapshots' coming, and some that have ended.
    private var turns: [Turn] = []
    /// Targets that hold something back.
    private var holding: Set<WireTargetID> = []
    private var outgoing = OutgoingMessages()
    private var number: UInt64 = 0
    private var times = ReadTimes()
    private var lastSentAt: Duration
    /// When `next` may have something that no arrival announces, as of its last answer `nil`.
    private(set) var wakesAt: Duration
    /// What the messages that wait take in memory.
    private(set) var waitingByteCount = 0

    /// A stream without targets.
    init(epoch: UInt64, id: UInt64, at now: Duration) {
        self.epoch = epoch
        self.id = id
        lastSentAt = now
        wakesAt = now + Self.silenceMax
    }

    /// The names of the targets.
    var targetIDs: [WireTargetID] { targets.all.map(\.id).sorted() }

    /// Whether there is a target of this name.
    func hasTarget(_ id: WireTargetID) -> Bool { targets.place(of: id) != nil }

    /// Whether a target has been told whole once.
    func isCurrent(_ id: WireTargetID) -> Bool {
        targets.place(of: id).map { targets[$0].isCurrent } ?? false
    }

    /// Takes up a target; its name must be free.
    ///
    /// - Parameter last: The time of the last message that the client has of the target.
    mutating func add(_ target: GatewayTarget, after last: Timestamp? = nil) {
        if let last { times.raise(to: last) }
        targets.insert(target)
        put(.added(target.id))
        list(target.id)
    }

    /// Refuses a target that was not taken up.
    mutating func refuse(_ id: WireTargetID, _ error: HearthError) {
        put(.added(id))
        put(.ended(id, error))
    }

    /// Ends a target, with an error or on the client's wish.
    ///
    /// The target's last news is told before its end, because a later token speaks for that news
    /// too.
    ///
    /// - Returns: The target as it was; `nil` if there is none, since it ended before.
    mutating func end(_ id: WireTargetID, _ error: HearthError?) -> GatewayTarget? {
        guard let target = targets.remove(id) else { return nil }
        holding.remove(id)
        put(.ended(id, error))
        return target
    }

    /// Takes a snapshot of one of a target's queries.
    mutating func received(_ snapshot: SharedSnapshot, of query: Int, for id: WireTargetID) {
        guard let place = targets.place(of: id) else { return }
        if targets[place].received(snapshot, of: query) { turns.append(Turn(id: id)) }
    }

    /// Gives a target that is due its turn.
    private mutating func list(_ id: WireTargetID) {
        guard let place = targets.place(of: id) else { return }
        if targets[place].mustBeListed() { turns.append(Turn(id: id)) }
    }

    /// The next message; `nil` if there is none for now.
    ///
    /// - Parameter isSettling: Whether writes that wait are held back for the settling window.
    mutating func next(at now: Duration, isSettling: Bool) -> ListenMessage? {
        if outgoing.isEmpty { fill(at: now, isSettling ? Self.settlingWindow : nil) }
        if outgoing.isEmpty, now >= lastSentAt + Self.silenceMax { put(.alive) }
        guard let message = outgoing.popFirst() else {
            noteWaking()
            return nil
        }
        waitingByteCount -= message.byteCount
        lastSentAt = now
        return message
    }

    private mutating func noteWaking() {
        wakesAt = lastSentAt + Self.silenceMax
        for id in holding {
            if let time = showsAt(id) { wakesAt = min(wakesAt, time) }
        }
    }

    /// The pictures of the targets; a returning client goes on from them.
    var histories: [(ListenShape, SentHistory)] {
        targets.all.filter(\.isCurrent).map { ($0.shape, $0.history) }
    }

    private mutating func put(_ message: ListenMessage) {
        outgoing.append(message)
        waitingByteCount += message.byteCount
    }

    /// Makes all messages that are due now, and the point after them.
    private mutating func fill(at now: Duration, _ window: Duration?) {
        for id in holding where isHeldTooLong(id, at: now, window) {
            list(id)
        }
        guard !turns.isEmpty else { return }
        var heard: SnapshotVersion?
        for turn in turns.indices {
            let id = turns[turn].id
            guard let place = targets.place(of: id) else { continue }
            let telling = targets[place].take(number + 1, at: now, settling: window)
            noteHold(of: id, in: place)
            guard let telling else { continue }
            heard = max(heard ?? .zero, targets[place].readAt)
            turns[turn].telling = telling
        }
        if let heard { tellTurns(upTo: heard) }
        turns.removeAll(keepingCapacity: turns.count <= Self.placeCountMax)
    }

    /// Adds the messages of the targets in turn, then the point that completes the targets'
    /// pictures.
    ///
    /// - Parameter heard: Up to when the backend has told of these targets.
    private mutating func tellTurns(upTo heard: SnapshotVersion) {
        number += 1
        let mark = ResumeMark(
            epoch: epoch, stream: id, number: number,
            readAt: times.next(heard.timestamp, targets.marks))
        for turn in turns {
            if let telling = turn.telling { tell(telling, of: turn.id, mark) }
        }
        put(.settled(mark))
        for turn in turns where turn.telling?.isFirst == true && isOnce(turn.id) {
            finish(turn.id)
        }
    }

    private func isOnce(_ id: WireTargetID) -> Bool {
        targets.place(of: id).map { targets[$0].isOnce } ?? false
    }

    private func showsAt(_ id: WireTargetID) -> Duration? {
        targets.place(of: id).flatMap { targets[$0].showsAt }
    }

    private mutating func noteHold(of id: WireTargetID, in place: Int) {
        if targets[place].isHolding {
            holding.insert(id)
        } else if !holding.isEmpty {
            holding.remove(id)
        }
    }

    private func isHeldTooLong(
        _ id: WireTargetID, at now: Duration, _ window: Duration?
    ) -> Bool {
        guard window != nil else { return true }
        return showsAt(id).map { $0 <= now } ?? false
    }

    private mutating func tell(
        _ telling: GatewayTarget.Telling, of id: WireTargetID, _ mark: ResumeMark
    ) {
        guard let place = targets.place(of: id) else { return }
        if telling.isReset { put(.reset(id)) }
        for removal in telling.removals {
            let (key, time) = (removal.key, removal.at ?? mark.readAt)
            put(removal.isDeleted ? .deleted(key, id, at: time) : .removed(key, id, at: time))
        }
        if let shared = telling.shared, targets[place].shape.projection == nil {
            put(.told(shared, id))
        } else {
            let shape = targets[place].shape
            for document in telling.changed { put(.changed(document, shape, id)) }
        }
        if telling.isFirst { put(.current(id, mark)) }
    }

    /// Ends a target that was asked for once and has been told whole.
    private mutating func finish(_ id: WireTargetID) {
        targets.remove(id)
        holding.remove(id)
        put(.ended(id, nil))
    }
}
