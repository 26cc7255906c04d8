package import HearthModel

/// The number of a survey; an engine uses none twice.
package struct SurveyID: Hashable, Sendable {
    /// The number, counted from 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// The order to survey a collection: to answer a question from a snapshot of the store that is taken
/// after the order.
package struct SurveyOrder: Hashable, Sendable {
    /// The number of the survey.
    package let id: SurveyID
    /// The question.
    package let question: SurveyQuestion
    /// Whose pending effects may push documents out of a limit.
    package let user: UserID
    /// The session that asked first; `nil` for the daemon itself.
    package let session: UInt64?
    /// The Unix user of that session, if it is known.
    package let uid: UInt32?
    /// Up to when the backend had told of the query, as far as the engine knows: the disk hears of
    /// that late.
    package let readAt: SnapshotVersion
    /// The bounds.
    package let terms: SurveyTerms

    /// Orders a survey.
    ///
    /// - Parameters:
    ///   - id: The number of the survey.
    ///   - question: The question.
    ///   - user: Whose pending effects may push documents out of a limit.
    ///   - session: The session that asked first; `nil` for the daemon itself.
    ///   - uid: The Unix user of the session that asked first; `nil` if nobody knows the user.
    ///   - readAt: Up to when the backend had told of the query, as far as the engine knows: the
    ///     disk hears of that late.
    ///   - terms: The bounds.
    package init(
        id: SurveyID, question: SurveyQuestion, user: UserID, session: UInt64? = nil,
        uid: UInt32? = nil, readAt: SnapshotVersion = .zero, terms: SurveyTerms = SurveyTerms()
    ) {
        self.readAt = readAt
        self.id = id
        self.question = question
        self.user = user
        self.session = session
        self.uid = uid
        self.terms = terms
    }
}

/// What an engine has done beside its turns.
package enum SurveyErrand: Hashable, Sendable {
    /// Takes a survey. Answered by `surveyed`.
    case begin(SurveyOrder)
    /// Another Unix user waits for a survey too: it is taken when the turn of either has come; `nil` for
    /// the daemon itself.
    case join(SurveyID, UInt32?)
    /// Hands what came of a survey to the next who waits for it: at once by `surveyed`, and for the
    /// session of the order.
    case handOn(SurveyOrder, SurveyOutcome)
    /// Gives a survey up: nobody waits for the answer, which need not be told any more.
    case end(SurveyID)
}
