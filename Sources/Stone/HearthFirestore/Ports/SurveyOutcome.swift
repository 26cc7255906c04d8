package import HearthModel

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
    /// Keeps the room of the documents.
    package var hold = SurveyHold()

    /// Reports documents.
    ///
    /// - Parameters:
    ///   - documents: The documents.
    ///   - examinedCount: How many documents were looked at.
    ///   - isComplete: Whether these are all documents that match, and not only the first.
    ///   - sorted: The documents in the order of their query, if a turn may make a view of the
    ///     documents; otherwise `nil`.
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
    ///
    /// - Parameters:
    ///   - values: The numbers by their aliases.
    ///   - documentCount: How many documents counted.
    ///   - plan: How the documents were found.
    ///   - hasPendingWrites: Whether a pending write is in the numbers.
    ///   - readAt: Up to when the backend had told of the query.
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
    /// Keeps the room of what is shown, until the picture has been handed on.
    package var hold = SurveyHold()

    /// Reports a picture.
    ///
    /// - Parameters:
    ///   - snapshot: What is shown.
    ///   - plan: How the documents were found.
    ///   - wantedIndexes: The indexes that would have helped.
    package init(
        snapshot: ViewSnapshot, plan: QueryPlanDescription, wantedIndexes: [FieldIndex]
    ) {
        self.snapshot = snapshot
        self.plan = plan
        self.wantedIndexes = wantedIndexes
    }
}
