import HearthModel

/// The questions to a backend that wait for their answers, by the users who have asked.
///
/// Each question has a connection of its own, and a slow backend may take half a minute for its answer. So
/// a user has few at once, and no user's questions take the descriptors of the others.
final class OpenQuestions: Sendable {
    /// Questions that a user may have open at once.
    static let uidCountMax = 8

    private let counts = UserCounts()

    /// A user asks; `end` must follow.
    ///
    /// - Throws: `HearthError` with `resourceExhausted` if too many of the user's questions are open.
    func begin(for uid: UInt32) throws(HearthError) {
        guard counts.enter(uid, countMax: Self.uidCountMax) else {
            throw HearthError(
                code: .resourceExhausted,
                message: "Programs of uid \(uid) have asked the backend \(Self.uidCountMax) "
                    + "questions that are not answered yet. Ask again when one is.")
        }
    }

    /// A question of a user has its answer.
    func end(for uid: UInt32) { counts.leave(uid) }
}
