import HearthEngine
import HearthFirestore
import HearthModel

/// How a daemon's readers take surveys: at any time behind the order, and in any order.
extension SimulatedClient {
    /// A survey on its way.
    struct Survey: Sendable {
        let order: SurveyOrder
        /// What the store held when the order came.
        let early: SurveyOutcome
    }

    /// What becomes of a survey.
    enum SurveyFate: Sendable {
        /// The snapshot is of the time of the order.
        case early
        /// The snapshot is of now.
        case late
        case tooLarge
        case failed
    }

    /// Takes an errand of the engine's.
    ///
    /// Sometimes the news that a survey has ended comes too late.
    func run(_ errand: SurveyErrand) {
        switch errand {
        case .begin(let order):
            surveys.append(Survey(order: order, early: store.survey(order)))
        case .join:
            break  // Surveys come back in any order.
        case .handOn(let order, let outcome):
            surveys.append(Survey(order: order, early: outcome))
        case .end(let id):
            if id.rawValue.isMultiple(of: 2) { surveys.removeAll { $0.order.id == id } }
        }
    }

    /// Hands an answer to the engine.
    func answerSurvey(_ place: Int, _ fate: SurveyFate, at now: Timestamp) {
        let survey = surveys.remove(at: place)
        let outcome: SurveyOutcome =
            switch fate {
            case .early: survey.early
            case .late: store.survey(survey.order)
            case .tooLarge: .tooLarge
            case .failed: .failed
            }
        take(.surveyed(survey.order.id, outcome), at: now)
    }

    /// Hands all answers to the engine, and the answers to what the engine orders then.
    func answerSurveys(at now: Timestamp) {
        while !surveys.isEmpty { answerSurvey(0, .late, at: now) }
    }
}
