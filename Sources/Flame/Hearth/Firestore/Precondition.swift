import HearthModel

/// What must hold of a document, or the write fails.
///
/// The daemon judges at once as far as it knows the document, and refuses what cannot hold; the backend judges when it
/// applies the write. The names come from Google's server libraries.
public struct Precondition: Hashable, Sendable {
    let model: HearthModel.Precondition

    /// The document exists, or does not.
    public static func exists(_ exists: Bool) -> Precondition {
        Precondition(model: .exists(exists))
    }

    /// The document exists and was last changed then: see `DocumentSnapshot.updateTime`, and
    /// `WriteReceipt.Commit.updateTimes`.
    ///
    /// A waiting write to the same document changes the document, so the condition fails behind one.
    public static func lastUpdateTime(_ time: Timestamp) -> Precondition {
        Precondition(model: .updateTime(SnapshotVersion(time.model)))
    }
}

extension Mutation {
    /// The same write under a condition; `nil` for the write's own.
    func under(_ precondition: Precondition?) -> Mutation {
        guard let precondition else { return self }
        return Mutation(
            key: key, kind: kind, precondition: precondition.model, transforms: transforms)
    }
}
