/// Decides which survey is taken next: a few at once, one of each owner, and the owners take turns.
///
///     append > next > finished
///
/// So an owner who asks for survey after survey delays only the owner's own. Now and then all surveys
/// pause, because a store's log can begin anew only while nobody reads.
struct SurveyLine<Element> {
    /// Who asks: a Unix user, or with `nil` the daemon itself.
    typealias Owner = UInt32?
    /// A moment.
    typealias Moment = ContinuousClock.Instant

    /// A survey that begins.
    struct Begun {
        let element: Element
        let owner: Owner
        /// How long the survey waits before it reads.
        let pause: Duration
    }

    private let laneCount: Int
    /// What waits, of each owner in the order of asking.
    private var waiting: [Owner: [Element]] = [:]
    /// The owners of the waiting elements. The owner who was served last is last.
    private var order: [Owner] = []
    private var running: Set<Owner> = []
    /// Since when surveys follow each other without a pause; `nil` before the first.
    private var busySince: Moment?
    /// When a survey last ended without another survey under way.
    private var lastEnd: Moment?
    /// Until when nobody reads.
    private var pausesUntil: Moment?

    /// An empty line.
    ///
    /// - Parameter laneCount: How many surveys are taken at once, 1 or more.
    init(laneCount: Int) {
        self.laneCount = laneCount
    }

    /// Puts a survey at the end of its owner's.
    mutating func append(_ element: Element, of owner: Owner) {
        if waiting[owner] == nil { order.append(owner) }
        waiting[owner, default: []].append(element)
    }

    /// The next survey to begin; `nil` if none may begin now. O(owners).
    mutating func next(at now: Moment) -> Begun? {
        guard running.count < laneCount,
            let place = order.firstIndex(where: { !running.contains($0) }), mayBegin(at: now)
        else { return nil }
        let owner = order.remove(at: place)
        guard var elements = waiting.removeValue(forKey: owner), !elements.isEmpty else {
            preconditionFailure("An owner is in the order, and nothing waits")
        }
        let element = elements.removeFirst()
        if !elements.isEmpty {
            waiting[owner] = elements
            order.append(owner)
        }
        running.insert(owner)
        let pause = pausesUntil.map { max(.zero, now.duration(to: $0)) } ?? .zero
        return Begun(element: element, owner: owner, pause: pause)
    }

    /// Whether a survey may begin; orders the pause that is due.
    ///
    /// A pause begins when the last running survey has ended.
    private mutating func mayBegin(at now: Moment) -> Bool {
        let hasPaused =
            running.isEmpty && (lastEnd.map { now - $0 >= SurveyPauses.length } ?? true)
        guard let since = busySince, !hasPaused else {
            busySince = now
            return true
        }
        guard since.duration(to: now) >= SurveyPauses.period else { return true }
        guard running.isEmpty else { return false }
        let end = now + SurveyPauses.length
        (pausesUntil, busySince) = (end, end)
        return true
    }

    /// An owner's survey is over, so another may begin.
    mutating func finished(_ owner: Owner, at now: Moment) {
        running.remove(owner)
        if running.isEmpty { lastEnd = now }
    }

    /// Forgets what waits and leaves.
    mutating func remove(where leaves: (Element) -> Bool) {
        for (owner, elements) in waiting {
            let staying = elements.filter { !leaves($0) }
            waiting[owner] = staying.isEmpty ? nil : staying
        }
        order.removeAll { waiting[$0] == nil }
    }
}

extension SurveyLine.Begun: Sendable where Element: Sendable {}

/// When the surveys of a store pause.
enum SurveyPauses {
    /// How long surveys follow each other before a pause is due. A busy writer's log grows by some
    /// ten megabytes meanwhile.
    static let period = Duration.seconds(5)
    /// How long nobody reads: long enough to copy the rest of the log, short beside the period.
    static let length = Duration.milliseconds(200)
}
