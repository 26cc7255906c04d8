import HearthEngine
package import HearthModel

/// Judges one write's precondition against what is known here of the document.
///
/// The judge answers in the backend's words. Whatever only the backend can know passes, and is for
/// the backend to judge; without the backend in reach it is refused.
struct ConditionJudge {
    /// What is known of a document.
    struct Evidence {
        /// The document as the backend has it, as far as known.
        let remote: Document
        /// The document with the writes that wait, and those in front in the same request.
        var local: Document
        /// Whether a write in front in the same request has changed the document.
        var isChangedByRequest = false

        /// The promise of the last waiting batch; `nil` if none waits.
        var pendingPromise: Timestamp? { local.hasLocalMutations ? local.promisedAt : nil }
    }

    /// How the condition stands.
    enum Verdict {
        /// The condition is met, or for the backend to judge, in this form.
        case passes(Precondition)
        /// The condition is not met.
        case fails(HearthError)
    }

    let database: DatabaseID
    let conditions: WriteConditions
    let isBackendInReach: Bool
    /// Looks up what became of a promise.
    let settled: (Timestamp) throws(StoreError) -> SettledPromise?

    /// Judges the precondition of a write to a document.
    func verdict(
        on precondition: Precondition, _ evidence: Evidence
    ) throws(StoreError) -> Verdict {
        switch precondition {
        case .none: return .passes(.none)
        case .exists(let wanted):
            return conditions == .judged ? exists(wanted, evidence) : .passes(precondition)
        case .updateTime(let version): return try updateTime(version, evidence)
        }
    }

    private func exists(_ wanted: Bool, _ evidence: Evidence) -> Verdict {
        let local = evidence.local
        guard local.isValid else { return unknown(.exists(wanted), local.key) }
        let exists = local.isFound || local.isUnknown
        if exists == wanted { return .passes(.exists(wanted)) }
        let name = "\(database.documentsName)/\(local.key)"
        return .fails(
            exists
                ? HearthError(code: .alreadyExists, message: "Document already exists: \(name)")
                : HearthError(code: .notFound, message: "No document to update: \(name)"))
    }

    private func updateTime(
        _ version: SnapshotVersion, _ evidence: Evidence
    ) throws(StoreError) -> Verdict {
        let wanted = version.timestamp
        if let pending = evidence.pendingPromise, !evidence.isChangedByRequest,
            pending.isSameMicrosecond(as: wanted)
        {
            return .passes(.updateTime(SnapshotVersion(pending)))
        }
        if let promise = try settled(wanted) {
            guard let real = promise.version(of: evidence.local.key) else {
                return .fails(.promiseRejected(promise.batch))
            }
            return realTime(real, evidence)
        }
        if wanted.isPromise, evidence.pendingPromise == nil {
            return .fails(.promiseForgotten(wanted))
        }
        return realTime(version, evidence)
    }

    private func realTime(_ version: SnapshotVersion, _ evidence: Evidence) -> Verdict {
        let isWritten = evidence.pendingPromise != nil || evidence.isChangedByRequest
        if isWritten, version.timestamp.isPromise || conditions == .judged {
            return .fails(.versionDiffers(evidence.local, wanted: version))
        }
        guard conditions == .judged else { return .passes(.updateTime(version)) }
        let remote = evidence.remote
        guard remote.isValid else { return unknown(.updateTime(version), remote.key) }
        if remote.isMissing { return .fails(.versionDiffers(remote, wanted: version)) }
        if remote.version.timestamp.isSameMicrosecond(as: version.timestamp) {
            return .passes(.updateTime(remote.version))
        }
        // The client may have the document from the backend itself, newer than it is here.
        guard version > remote.version else {
            return .fails(.versionDiffers(remote, wanted: version))
        }
        return unknown(.updateTime(version), remote.key)
    }

    private func unknown(_ precondition: Precondition, _ key: DocumentKey) -> Verdict {
        if case .exists = precondition { return .passes(precondition) }
        return isBackendInReach ? .passes(precondition) : .fails(.cannotJudge(key))
    }
}

extension HearthError {
    /// A promised time stands for a write that was never applied.
    static func promiseRejected(_ batch: BatchID) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "The required base version was promised by batch \(batch), which was "
                + "rejected. Read the document again.")
    }

    /// A promised time is too old to be known.
    static func promiseForgotten(_ time: Timestamp) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "The required base version (\(time.microseconds)) was promised before the "
                + "backend had the write, and what became of the promise is forgotten. Read the "
                + "document again.")
    }

    /// A document has another version than required, as the backend says it.
    fileprivate static func versionDiffers(
        _ document: Document, wanted: SnapshotVersion
    ) -> HearthError {
        let stored = document.promisedAt ?? document.version.timestamp
        return HearthError(
            code: .failedPrecondition,
            message: "the stored version (\(stored.microseconds)) does not match the required "
                + "base version (\(wanted.timestamp.microseconds))")
    }

    /// Only the backend knows the document, and it cannot be reached.
    package static func cannotJudge(_ key: DocumentKey) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "Only the backend knows the present version of \(key), and it cannot be "
                + "reached. Read the document while online, then write.")
    }
}
