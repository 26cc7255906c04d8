import HearthEngine
package import HearthFirestore

extension FirestoreStore {
    /// Answers the question of a survey from the store as it is now.
    package func survey(_ order: SurveyOrder) -> SurveyOutcome {
        do throws(StoreError) {
            return try transaction { transaction throws(StoreError) in
                try order.answer(from: transaction)
            }
        } catch {
            return .failed
        }
    }
}
