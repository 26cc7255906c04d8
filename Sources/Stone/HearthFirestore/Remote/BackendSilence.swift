import HashTreeCollections
package import HearthEngine
package import HearthModel

/// Notices a backend that was asked and says nothing, though no connection has ended.
///
///     rest --listen or call--> asked --10 s without a word--> silent --a word--> rest
///
/// A process that hangs, or a network that drops every packet, ends no stream for the better part
/// of a minute. The watch costs no message: any word counts, and only a question starts the clock.
/// A long calculation may take its time, so numbers that do not come prove nothing of the backend.
///
/// A snapshot that is passed over, because the snapshot is older than what the cache has, is no word:
/// the snapshot shows nobody anything. An answer that such a snapshot holds back has the same ten
/// seconds.
package struct BackendSilence: Sendable {
    /// What the timer has found.
    package struct Verdict: Hashable, Sendable {
        /// Whether a listen had no word on its stream for the whole patience.
        package var isStreamSilent = false
        /// Whether an answer has been held back for the whole patience, with no snapshot in order.
        package var isAnswerOverdue = false
        /// The calls that had no answer, with no other word for the whole patience.
        package var calls: [RequestID] = []
        /// When to look again; `nil` if nothing is asked.
        package var pause: Duration?

        /// Nothing.
        package init() {}
    }

    /// The longest that a read waits for a word: as long as for a first connection.
    package static let patience = Duration.seconds(10)

    /// Whether the backend counts as gone because it said nothing.
    package private(set) var isSilent = false
    /// When a listen was sent without a word on the stream since.
    private var listenedAt: Timestamp?
    /// When the calls were made that the cache may answer.
    private var calls: TreeDictionary<RequestID, Timestamp> = [:]
    /// When the backend last said anything, and when on the watch stream.
    private var heardAt: Timestamp?
    private var heardOnStreamAt: Timestamp?
    /// When a snapshot first held an answer back since the stream's last snapshot in order.
    private var heldBackAt: Timestamp?
    private var isTimerRunning = false

    /// Nothing was asked.
    package init() {}

    /// A listen was sent, or waits for its stream.
    ///
    /// - Returns: When the timer must run out; `nil` if the timer runs.
    package mutating func listened(at now: Timestamp) -> Duration? {
        listenedAt = listenedAt ?? now
        return timer(after: Self.patience)
    }

    /// A call was made that the cache may answer.
    ///
    /// - Returns: As `listened`.
    package mutating func called(_ id: RequestID, at now: Timestamp) -> Duration? {
        calls[id] = now
        return timer(after: Self.patience)
    }

    /// A call was answered, or nobody waits for its answer.
    package mutating func ended(_ id: RequestID) { calls[id] = nil }

    /// The backend has said something.
    package mutating func heard(at now: Timestamp) { heardAt = now }

    /// The backend has said something on the watch stream.
    package mutating func heardOnStream(at now: Timestamp) {
        (heardAt, heardOnStreamAt, listenedAt) = (now, now, nil)
    }

    /// A snapshot was passed over.
    ///
    /// - Parameter isAnswerHeldBack: Whether the snapshot would have shown a listen's whole answer.
    /// - Returns: As `listened`.
    package mutating func passedOver(at now: Timestamp, isAnswerHeldBack: Bool) -> Duration? {
        guard isAnswerHeldBack else {
            heldBackAt = nil
            return nil
        }
        let first = heldBackAt ?? now
        heldBackAt = first
        return timer(after: max(.zero, Self.rest(since: first, at: now)))
    }

    /// A snapshot was in order, so no answer is held back any more.
    package mutating func caughtUp() { heldBackAt = nil }

    /// The timer ran out.
    ///
    /// - Parameters:
    ///   - isListenAwaited: Whether a listen still waits for the backend to take it up.
    ///   - isAnswerHeldBack: Whether a listen was answered, and waits for a snapshot in order.
    package mutating func fired(
        at now: Timestamp, isListenAwaited: Bool, isAnswerHeldBack: Bool = false
    ) -> Verdict {
        isTimerRunning = false
        // The word that came was about another listen.
        if listenedAt == nil, isListenAwaited { listenedAt = heardOnStreamAt ?? now }
        var verdict = Verdict()
        var pauses: [Duration] = []
        if let listenedAt {
            let rest = Self.rest(since: listenedAt, at: now)
            if rest > .zero {
                pauses.append(rest)
            } else {
                verdict.isStreamSilent = true
                self.listenedAt = nil
            }
        }
        if let heldBackAt, isAnswerHeldBack {
            let rest = Self.rest(since: heldBackAt, at: now)
            if rest > .zero { pauses.append(rest) } else { verdict.isAnswerOverdue = true }
        }
        for (id, calledAt) in calls {
            let rest = Self.rest(since: max(calledAt, heardAt ?? calledAt), at: now)
            if rest > .zero { pauses.append(rest) } else { verdict.calls.append(id) }
        }
        verdict.calls.sort()
        verdict.pause = pauses.min().flatMap { timer(after: $0) }
        return verdict
    }

    /// The backend counts as gone from now on.
    ///
    /// - Returns: All calls that the cache may answer, in order; they are forgotten.
    package mutating func begin() -> [RequestID] {
        isSilent = true
        listenedAt = nil
        defer { calls = [:] }
        return calls.keys.sorted()
    }

    /// The backend counts as gone no more, or for another reason.
    package mutating func end() { isSilent = false }

    /// The stream has ended, and with it what it was silent about.
    package mutating func streamEnded() {
        isSilent = false
        heldBackAt = nil
    }

    /// No stream carries a listen any more.
    package mutating func forgetListens() { listenedAt = nil }

    /// No call is awaited any more.
    package mutating func forgetCalls() { calls = [:] }

    private mutating func timer(after pause: Duration) -> Duration? {
        guard !isTimerRunning else { return nil }
        isTimerRunning = true
        return pause
    }

    /// What is left of the patience. A clock that was set back makes nobody wait longer.
    private static func rest(since moment: Timestamp, at now: Timestamp) -> Duration {
        min(patience, patience - now.since(moment))
    }
}
