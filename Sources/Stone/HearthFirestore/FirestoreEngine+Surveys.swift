import HashTreeCollections
import HearthEngine
import HearthModel

/// Looks at whole collections, which no turn may take the time for.
///
/// A turn looks at some documents itself. If that is not enough, the engine orders a survey: a reader
/// beside the turns answers the question from a snapshot of the store. The asker waits here, and is
/// served by the turn that takes the answer.
///
///     look --short--> served
///       \--long--> waits --surveyed--> served
///                    \--leaves--> forgotten
extension FirestoreEngine {
    /// What a turn has in hand to serve whoever asked.
    enum Sight {
        /// The turn has found the documents itself.
        case found(LocalStore.QueryResult)
        /// A survey has found the documents of the survey's question.
        case surveyed(LocalStore.QueryResult)
        /// A survey has computed the numbers.
        case numbers(SurveyNumbers)
        /// A survey has made the picture.
        case picture(SurveyPicture)
    }

    /// What a new recipient of a query is shown.
    enum FirstSight {
        /// The view that others have.
        case view
        /// A view that is made from what the cache has.
        case cached(LocalStore.QueryResult)
    }

    /// What a new recipient is to be shown; `nil` if it waits for a survey from now on.
    mutating func firstSight(
        of query: Query, for waiter: Surveys.Waiter, _ turn: inout Turn
    ) throws(StoreError) -> FirstSight? {
        if listeners.hasAny(of: query) { return .view }
        return try look(at: query, for: waiter, &turn).map { .cached($0) }
    }

    /// The documents of a query; `nil` if whoever asks waits for a survey from now on.
    ///
    /// A query that cost too much may get an index for the next time.
    mutating func look(
        at query: Query, for waiter: Surveys.Waiter, _ turn: inout Turn
    ) throws(StoreError) -> LocalStore.QueryResult? {
        switch try sight(of: query, asking: SurveyQuestion(query), for: waiter, &turn) {
        case .found(let result), .surveyed(let result):
            try makeWanted(result.wantedIndexes, &turn)
            return result
        case .numbers, .picture: preconditionFailure("Another answer than documents")
        case nil: return nil
        }
    }

    /// What the turn has in hand of a query; `nil` if whoever asks waits for a survey from now on.
    ///
    /// - Parameter question: What a survey is asked, if the look takes long.
    mutating func sight(
        of query: Query, asking question: SurveyQuestion, for waiter: Surveys.Waiter,
        _ turn: inout Turn
    ) throws(StoreError) -> Sight? {
        let store = turn.store
        try store.enter(.executeQuery)
        if let terms = configuration.surveys {
            let report = turn.report(on: question)
            if let sight = try sight(of: query, question, report, terms, store) { return sight }
            if report?.isWorthAnother(terms) ?? true {
                try wait(waiter, for: question, attempt: (report?.attempt ?? 0) + 1, terms, &turn)
                return nil
            }
        }
        return .found(try local.execute(query, usesPreviousResults: true, store))
    }

    /// What the turn finds with a short look, or in what a survey reports.
    private func sight(
        of query: Query, _ question: SurveyQuestion, _ report: Surveys.Report?,
        _ terms: SurveyTerms, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Sight? {
        switch report?.outcome {
        case nil:
            if surveys.isOnItsWay(question) { return nil }
            let bounds = ScanBounds(
                examinedCountMax: terms.scanCountMax, byteCountMax: terms.scanByteCountMax)
            let short = try local.execute(
                query, usesPreviousResults: true, within: bounds, store)
            return short.map { .found($0) }
        case .documents(let findings)?:
            guard let report, !report.isOutdated else { return nil }
            let found = try local.matches(
                of: question.query, having: question.fields, in: findings,
                changed: report.changed, store)
            return found.map { .surveyed(local.scanned(question.query, $0)) }
        case .numbers(let numbers)?: return .numbers(numbers)
        case .picture(let picture)?: return .picture(picture)
        case .tooLarge?, .failed?: return nil
        }
    }

    /// Somebody waits for a survey from now on.
    mutating func wait(
        _ waiter: Surveys.Waiter, for question: SurveyQuestion, attempt: Int, _ terms: SurveyTerms,
        _ turn: inout Turn
    ) throws(StoreError) {
        let new = surveys.add(waiter, to: question, attempt: attempt)
        let user = user(of: waiter)
        let shared = surveys.share(question, with: user)
        if let new {
            let readAt = try local.readAt(of: question.query, turn.store)
            let order = order(new, question, for: waiter, knownAt: readAt, terms)
            turn.effects.actions.append(.survey(.begin(order)))
        } else if let shared {
            turn.effects.actions.append(.survey(.join(shared, user)))
        }
    }

    /// The Unix user who waits, if the user is known.
    private func user(of waiter: Surveys.Waiter) -> UInt32? {
        waiter.session.flatMap { ledger.program(of: $0).uid }
    }

    private func order(
        _ id: SurveyID, _ question: SurveyQuestion, for waiter: Surveys.Waiter,
        knownAt readAt: SnapshotVersion = .zero, _ terms: SurveyTerms
    ) -> SurveyOrder {
        SurveyOrder(
            id: id, question: question, user: local.user, session: waiter.session,
            uid: user(of: waiter), readAt: readAt, terms: terms)
    }

    /// A survey has come back: the first who waits goes on.
    ///
    /// Each waiter is served in a turn of the waiter's own, as if nobody had had to wait: to show many
    /// documents, or to look where the survey could not, takes long enough once.
    mutating func surveyed(
        _ id: SurveyID, _ outcome: SurveyOutcome, _ turn: inout Turn
    ) throws(StoreError) {
        guard let terms = configuration.surveys,
            let report = surveys.take(id, outcome, serving: 1)
        else { return }  // They left meanwhile.
        turn.report = report
        for waiter in report.waiters {
            switch waiter {
            case .listen(let id, let query, let options): try listen(id, query, options, &turn)
            case .get(let id, let query, let source): try get(id, query, source, &turn)
            case .aggregate(let id, let request): try aggregateFromCache(id, request, &turn)
            case .explain(let id, let query): try explain(id, query, &turn)
            case .pins: try tendPins(&turn)
            case .refill(let query): try refill(query, &turn)
            case .wideRead(let read): try askForMore(read, &turn)
            }
        }
        turn.report = nil
        for waiter in report.late {
            try wait(waiter, for: report.question, attempt: 1, terms, &turn)
        }
        if let next = report.next {
            let order = order(id, report.question, for: next, terms)
            turn.effects.actions.append(.survey(.handOn(order, outcome)))
        }
    }

    /// The store failed in the turn that would have served those who wait.
    mutating func surveyFailed(
        _ id: SurveyID, _ error: StoreError, _ effects: inout Effects
    ) {
        guard let report = surveys.take(id, .failed) else { return }
        refuse(report.waiters, .storeFailed(error), &effects)
        if report.waiters.contains(.pins) {
            effects.actions.append(.schedule(.pins, after: .seconds(1)))
        }
        if !views.shortIDs.isEmpty {
            settlesSoon = true
            effects.actions.append(.schedule(.settling, after: .seconds(1)))
        }
    }

    /// Some wait for no survey any more.
    mutating func leaveSurveys(
        _ effects: inout Effects, where leaves: (Surveys.Waiter) -> Bool
    ) {
        if surveys.isEmpty { return }
        effects.actions += surveys.remove(where: leaves).map { .survey(.end($0)) }
    }

    /// Nobody who waits for a survey will be served.
    mutating func endSurveys(because error: HearthError, _ effects: inout Effects) {
        let left = surveys.waiters
        leaveSurveys(&effects) { _ in true }
        refuse(left, error, &effects)
    }

    private func refuse(
        _ waiters: [Surveys.Waiter], _ error: HearthError, _ effects: inout Effects
    ) {
        for waiter in waiters {
            if let id = waiter.listener { effects.actions.append(.fail(id, error)) }
            if let id = waiter.request { effects.actions.append(.refuse(id, error)) }
        }
    }
}

extension Turn {
    /// The report of the survey that has come back in this turn, if the survey answers `question`.
    func report(on question: SurveyQuestion) -> Surveys.Report? {
        report.flatMap { $0.question == question ? $0 : nil }
    }
}

extension Surveys.Report {
    /// Whether the question shall be surveyed once more, because too much has changed.
    fileprivate func isWorthAnother(_ terms: SurveyTerms) -> Bool {
        if case .documents = outcome { attempt < terms.attemptCountMax } else { false }
    }
}

extension SurveyQuestion {
    /// The fields that the wanted documents must have.
    fileprivate var fields: [FieldPath] {
        switch wanted {
        case .documents(let fields): fields
        case .numbers, .picture: []
        }
    }
}
