package import HearthModel

/// The number of a survey; an engine uses none twice.
package struct SurveyID: Hashable, Sendable {
    /// The number, counted from 1.
    package let rawValue: UInt64

    /// Wraps a number.
    package init(_ rawValue: UInt64) { self.rawValue = rawValue }
}

/// What somebody wants to know that takes a look at a whole collection.
package struct SurveyQuestion: Hashable, Sendable {
    /// What is wanted of the documents that match.
    package enum Wanted: Hashable, Sendable {
        /// The documents as the backend told them, if they have these fields.
        ///
        /// Of a query with a limit the first documents, and some more.
        case documents(having: [FieldPath])
        /// Numbers over the documents as a user sees them. The query has no limit.
        case numbers([Aggregation], of: UserID)
        /// What a user is shown who asks once.
        case picture(of: UserID)

        /// Whether the answer is of one moment, because nobody can bring it up to date.
        package var isOfOneMoment: Bool {
            switch self {
            case .documents: false
            case .numbers, .picture: true
            }
        }
    }

    /// The query.
    package let query: Query
    /// What is wanted.
    package let wanted: Wanted

    /// Asks.
    package init(_ query: Query, _ wanted: Wanted = .documents(having: [])) {
        self.query = query
        self.wanted = wanted
    }
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

/// What came of a survey.
package enum SurveyOutcome: Hashable, Sendable {
    /// The documents that were wanted.
    case documents(SurveyFindings)
    /// The numbers that were wanted.
    case numbers(SurveyNumbers)
    /// The picture that was wanted.
    case picture(SurveyPicture)
    /// The documents are more than a survey hands over.
    case tooLarge
    /// The store could not be read beside the turns.
    case failed
}

/// Documents that a survey found, as the backend told them.
package struct SurveyFindings: Hashable, Sendable {
    /// The documents.
    package let documents: [DocumentKey: Document]
    /// How many documents were looked at.
    package let examinedCount: Int
    /// Whether these are all documents that match, and not only the first.
    package let isComplete: Bool
    /// The documents in the order of their query, if a view may be made of them: to sort takes longer
    /// than all else that a turn does with them.
    package let sorted: DocumentSet?

    /// Reports documents.
    package init(
        documents: [DocumentKey: Document], examinedCount: Int, isComplete: Bool,
        sorted: DocumentSet? = nil
    ) {
        self.documents = documents
        self.examinedCount = examinedCount
        self.isComplete = isComplete
        self.sorted = sorted
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(documents.count)
        hasher.combine(examinedCount)
        hasher.combine(isComplete)
    }
}

/// Numbers that a survey computed, of one moment between the question and the answer.
package struct SurveyNumbers: Hashable, Sendable {
    /// The numbers by their aliases.
    package let values: MapValue
    /// How many documents counted.
    package let documentCount: Int
    /// How the documents were found.
    package let plan: QueryPlanDescription
    /// Whether a pending write is in the numbers.
    package let hasPendingWrites: Bool
    /// Up to when the backend had told of the query.
    package let readAt: SnapshotVersion

    /// Reports numbers.
    package init(
        values: MapValue, documentCount: Int, plan: QueryPlanDescription, hasPendingWrites: Bool,
        readAt: SnapshotVersion
    ) {
        self.values = values
        self.documentCount = documentCount
        self.plan = plan
        self.hasPendingWrites = hasPendingWrites
        self.readAt = readAt
    }
}

/// What a user is shown who asks once, of one moment between the question and the answer.
package struct SurveyPicture: Hashable, Sendable {
    /// What is shown.
    package let snapshot: ViewSnapshot
    /// How the documents were found.
    package let plan: QueryPlanDescription
    /// The indexes that would have helped.
    package let wantedIndexes: [FieldIndex]

    /// Reports a picture.
    package init(
        snapshot: ViewSnapshot, plan: QueryPlanDescription, wantedIndexes: [FieldIndex]
    ) {
        self.snapshot = snapshot
        self.plan = plan
        self.wantedIndexes = wantedIndexes
    }
}
