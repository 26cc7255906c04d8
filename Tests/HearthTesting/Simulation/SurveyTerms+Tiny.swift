package import HearthFirestore

extension SurveyTerms {
    /// Terms by which nearly every look is a survey, and little may change meanwhile.
    package static let tiny: SurveyTerms = {
        var terms = SurveyTerms()
        terms.scanCountMax = 2
        terms.spareCount = 1
        terms.changeCountMax = 3
        terms.attemptCountMax = 2
        return terms
    }()
}
