package import HashTreeCollections
package import HearthEngine
package import HearthModel

/// The surveys under way, with the inputs that wait for each survey and the documents that have
/// changed since the survey began.
///
///     documents now = documents of the survey, except what changed since + what changed, as it is now
///
/// A survey sees the store as it is after the turn that orders the survey. So every change is in the
/// survey, or is noted here, or both. Equal questions are one survey.
package struct Surveys: Sendable {
    /// Who waits for a survey, and with what goes on.
    package enum Waiter: Hashable, Sendable {
        case listen(ListenerID, Query, ListenOptions)
        case get(RequestID, Query, ReadSource)
        case aggregate(RequestID, AggregateRequest)
        case explain(RequestID, Query)
        /// The pins: one pin is taken up.
        case pins
        /// The view of a query, whose limit has lost a document.
        case refill(Query)
        /// A read that asks for more than its program did.
        case wideRead(WideRead)

        /// The session; `nil` for the pins and for views.
        package var session: UInt64? {
            switch self {
            case .listen(let id, _, _): id.session
            case .get(let id, _, _), .aggregate(let id, _), .explain(let id, _): id.session
            case .wideRead(let read): read.id.session
            case .pins, .refill: nil
            }
        }

        /// The request; `nil` for whoever waits for no answer.
        package var request: RequestID? {
            switch self {
            case .get(let id, _, _), .aggregate(let id, _), .explain(let id, _): id
            case .wideRead(let read): read.id
            case .listen, .pins, .refill: nil
            }
        }

        /// The listener; `nil` for whoever does not listen.
        package var listener: ListenerID? {
            if case .listen(let id, _, _) = self { id } else { nil }
        }
    }

    /// A survey that has come back.
    package struct Report: Sendable {
        /// The question.
        package let question: SurveyQuestion
        /// What came of it.
        package let outcome: SurveyOutcome
        /// The documents where the query looks that may have changed since the survey began.
        package let changed: TreeSet<DocumentKey>
        /// Whether more has changed than is told apart.
        package let isOutdated: Bool
        /// How often the question has been surveyed.
        package let attempt: Int
        /// Who is served, in the order of asking.
        package let waiters: [Waiter]
        /// Who is served next, by the same survey; `nil` if nobody else waits.
        package let next: Waiter?
        /// Who must wait for another survey: an answer of one moment may be older than the question.
        package let late: [Waiter]
    }

    fileprivate struct Row: Sendable {
        let question: SurveyQuestion
        /// The last change before the survey, by the trail of the place where it looks.
        let begunAfter: UInt64
        /// The Unix users who have asked; `nil` is the daemon itself, or a user that is not known.
        var users: Set<UInt32?> = []
        var attempt: Int
        var waiters: [Waiter] = []
        /// Who asked after something had changed, for what is of one moment.
        var late: [Waiter] = []
    }

    private let changeCountMax: Int
    private var rows: TreeDictionary<SurveyID, Row> = [:]
    /// The changes in the places of surveys on their way.
    private var trails: TreeDictionary<QueryPlace, ChangeTrail> = [:]
    private var ids: TreeDictionary<SurveyQuestion, SurveyID> = [:]
    private var lastID = SurveyID(0)

    /// None.
    ///
    /// - Parameter changeCountMax: How many changed documents are told apart in each place.
    package init(changeCountMax: Int) {
        self.changeCountMax = changeCountMax
    }

    /// Whether none is on its way.
    package var isEmpty: Bool { rows.isEmpty }

    /// Everybody who waits: by the surveys, and for one survey in the order of asking.
    package var waiters: [Waiter] {
        rows.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap(\.value.everybody)
    }

    /// Whether a session waits.
    package var isAwaitedBySession: Bool {
        rows.values.contains { $0.isAwaited { $0.session != nil } }
    }

    /// Whether the answer to a question is on its way.
    package func isOnItsWay(_ question: SurveyQuestion) -> Bool { ids[question] != nil }

    /// Somebody waits from now on.
    ///
    /// - Parameters:
    ///   - waiter: The input that waits for the survey.
    ///   - question: What the survey answers.
    ///   - attempt: Which survey of the question it would be, counted from 1.
    /// - Returns: The number of a new survey, which must be ordered; `nil` if the question's survey
    ///   is on its way.
    package mutating func add(
        _ waiter: Waiter, to question: SurveyQuestion, attempt: Int = 1
    ) -> SurveyID? {
        let place = QueryPlace(question.query)
        if let id = ids[question] {
            let lastChange = trails[place]?.last ?? 0
            rows[id]?.add(waiter, attempt: attempt, lastChange: lastChange)
            return nil
        }
        lastID = SurveyID(lastID.rawValue + 1)
        ids[question] = lastID
        var trail = trails[place] ?? ChangeTrail(countMax: changeCountMax)
        trail.surveyCount += 1
        trails[place] = trail
        rows[lastID] = Row(
            question: question, begunAfter: trail.last, attempt: attempt, waiters: [waiter])
        return lastID
    }

    /// A Unix user waits for the answer to a question that is on its way.
    ///
    /// - Returns: The survey, if nobody of the user has waited for it so far.
    package mutating func share(_ question: SurveyQuestion, with user: UInt32?) -> SurveyID? {
        guard let id = ids[question] else { return nil }
        return rows[id]?.users.insert(user).inserted ?? false ? id : nil
    }

    /// Some wait no longer.
    ///
    /// - Returns: The surveys for which nobody waits any more. They are forgotten.
    package mutating func remove(where leaves: (Waiter) -> Bool) -> [SurveyID] {
        var ended: [SurveyID] = []
        for (id, row) in rows where row.isAwaited(by: leaves) {
            var left = row
            left.waiters.removeAll(where: leaves)
            left.late.removeAll(where: leaves)
            if left.waiters.isEmpty && left.late.isEmpty {
                ended.append(id)
                forget(id, row)
            } else {
                rows[id] = left
            }
        }
        return ended.sorted { $0.rawValue < $1.rawValue }
    }

    /// Notes what a turn may have changed. O(changes), however many surveys are on their way; O(places)
    /// if everything has changed.
    package mutating func note(_ changes: DocumentChanges) {
        if changes.isAll {
            for place in trails.keys { trails[place]?.insertAll() }
        }
        for key in changes.keys {
            for place in QueryPlace.all(of: key) { trails[place]?.insert(key) }
        }
    }

    /// Takes a survey that has come back; `nil` if nobody waits for it any more.
    ///
    /// Whoever asks from now on asks anew.
    ///
    /// - Parameters:
    ///   - id: The survey. A survey that nobody waits for is no error.
    ///   - outcome: What the reader found.
    ///   - countMax: How many waiters are served now. The other waiters wait on, and changes are
    ///     noted for them.
    package mutating func take(
        _ id: SurveyID, _ outcome: SurveyOutcome, serving countMax: Int = .max
    ) -> Report? {
        guard var row = rows[id] else { return nil }
        let isOfOneMoment =
            switch outcome {
            case .numbers, .picture: true
            case .documents, .tooLarge, .failed: false
            }
        let late = isOfOneMoment ? row.late : []
        if !isOfOneMoment { row.waiters += row.late }
        row.late = []
        let served = Array(row.waiters.prefix(countMax))
        row.waiters.removeFirst(served.count)
        let query = row.question.query
        let changes = trails[QueryPlace(query)]?.changes(after: row.begunAfter)
        unask(id, row.question)
        if row.waiters.isEmpty { forget(id, row) } else { rows[id] = row }
        return Report(
            question: row.question, outcome: outcome,
            changed: TreeSet((changes ?? []).filter { query.matchesPath($0) }),
            isOutdated: changes == nil, attempt: row.attempt, waiters: served,
            next: row.waiters.first, late: late)
    }

    /// Whoever asks from now on asks anew, unless somebody has done so since the survey came back.
    private mutating func unask(_ id: SurveyID, _ question: SurveyQuestion) {
        if ids[question] == id { ids[question] = nil }
    }

    private mutating func forget(_ id: SurveyID, _ row: Row) {
        rows[id] = nil
        unask(id, row.question)
        let place = QueryPlace(row.question.query)
        trails[place]?.surveyCount -= 1
        if trails[place]?.surveyCount == 0 { trails[place] = nil }
    }
}

extension Surveys.Row {
    /// All who wait.
    var everybody: [Surveys.Waiter] { waiters + late }

    /// Whether any of some wait.
    func isAwaited(by isMeant: (Surveys.Waiter) -> Bool) -> Bool {
        waiters.contains(where: isMeant) || late.contains(where: isMeant)
    }

    /// Somebody waits from now on.
    ///
    /// The survey may have opened its snapshot before the last change, and a program must find its own
    /// accepted writes. Documents that changed are read anew, but not in an answer of one moment.
    mutating func add(_ waiter: Surveys.Waiter, attempt: Int, lastChange: UInt64) {
        // Who has waited for long does not begin anew with who asks now.
        self.attempt = max(self.attempt, attempt)
        if waiters.contains(waiter) || late.contains(waiter) { return }
        if question.wanted.isOfOneMoment, lastChange > begunAfter {
            late.append(waiter)
        } else {
            waiters.append(waiter)
        }
    }
}
