package import HearthModel

/// Who judges the preconditions of a write, and when.
package enum WriteConditions: Hashable, Sendable {
    /// The backend judges all when it applies the write. As the SDKs do.
    case asSDK
    /// The backend judges all; promised times are replaced by the versions that they stand for.
    case translated
    /// What is known here is judged at once, before the write is accepted.
    case judged
}

/// What a write has come to when it was accepted here.
package struct PromisedWrite: Hashable, Sendable {
    /// The time that the documents show as their last change until the backend has spoken.
    package let promisedAt: Timestamp
    /// For each write the present values of its transforms; null where the backend tells nothing.
    package let transformResults: [[Value]]

    /// Describes an accepted write.
    package init(promisedAt: Timestamp, transformResults: [[Value]]) {
        self.promisedAt = promisedAt
        self.transformResults = transformResults
    }
}
