/// How much of a collection a turn looks at by itself, and how surveys are taken.
package struct SurveyTerms: Hashable, Sendable {
    /// The documents that a turn looks at before it asks for a survey. About a millisecond, if few
    /// match.
    package var scanCountMax = 1_000
    /// The bytes of documents that a turn reads before it asks for a survey. Some milliseconds.
    package var scanByteCountMax = 2 << 20
    /// The documents that a turn looks at to fill a limit that has lost a document.
    package var refillCountMax = 1_000
    /// How many documents behind a limit a survey hands over.
    ///
    /// Each document that changes while the survey is taken may push one document out of the limit.
    package var spareCount = 200
    /// The most documents of a limited query that a survey hands over.
    package var firstCountMax = 20_000
    /// The most bytes of documents, as the wire has them, that a survey hands over to a turn that makes a
    /// view of them. What a survey holds in memory has a bound of its own (`SurveyRoom`).
    ///
    /// A result that is larger costs its turn more than the look at the collection does.
    package var byteCountMax = 64 << 20
    /// The most documents that may change while a survey is taken: the turn reads each by its name.
    package var changeCountMax = 500
    /// How often a question is surveyed before the turn looks by itself.
    package var attemptCountMax = 3

    /// The terms of a daemon.
    package init() {}
}
