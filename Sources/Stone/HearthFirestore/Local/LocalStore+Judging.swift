import HearthEngine
import HearthModel

/// Judging writes before they are accepted.
extension LocalStore {
    /// Writes whose preconditions hold as far as is known here.
    struct JudgedWrites {
        /// The writes; times in their preconditions are the backend's, or promises.
        var mutations: [Mutation] = []
        /// What the transforms of each write make of their fields here.
        var transformResults: [[Value]] = []

        /// The results as a client is told: times as promised, and nothing of arrays.
        func results(promisedAt: Timestamp) -> [[Value]] {
            zip(mutations, transformResults).map { mutation, values in
                zip(mutation.transforms, values).map { transform, value in
                    switch transform.operation {
                    case .serverTimestamp: .timestamp(promisedAt.flooredToMicroseconds)
                    case .increment, .maximum, .minimum: value
                    case .arrayUnion, .arrayRemove: .null
                    }
                }
            }
        }
    }

    /// Judges the writes of one request, each as if those in front were done.
    ///
    /// - Returns: The writes; or why the first that does not hold fails.
    /// - Complexity: O(writes), whatever the queue's length.
    func judge(
        _ mutations: [Mutation], by judge: ConditionJudge, _ store: any FirestoreTransaction
    ) throws(StoreError) -> Result<JudgedWrites, HearthError> {
        let isPlain = mutations.allSatisfy { $0.precondition == .none && $0.transforms.isEmpty }
        if isPlain {
            let none = [[Value]](repeating: [], count: mutations.count)
            return .success(JudgedWrites(mutations: mutations, transformResults: none))
        }
        var known: [DocumentKey: ConditionJudge.Evidence] = [:]
        var judged = JudgedWrites()
        for mutation in mutations {
            var evidence: ConditionJudge.Evidence
            if let found = known[mutation.key] {
                evidence = found
            } else {
                evidence = try self.evidence(on: mutation.key, store)
            }
            let precondition: Precondition
            switch try judge.verdict(on: mutation.precondition, evidence) {
            case .fails(let error): return .failure(error)
            case .passes(let passed): precondition = passed
            }
            judged.mutations.append(
                Mutation(
                    key: mutation.key, kind: mutation.kind, precondition: precondition,
                    transforms: mutation.transforms))
            judged.transformResults.append(evidence.apply(mutation))
            known[mutation.key] = evidence
        }
        return .success(judged)
    }

    private func evidence(
        on key: DocumentKey, _ store: any FirestoreTransaction
    ) throws(StoreError) -> ConditionJudge.Evidence {
        let remote = try store.remoteDocument(key)
        var local = remote
        try store.overlay(key, of: user)?.apply(to: &local)
        return ConditionJudge.Evidence(remote: remote, local: local)
    }
}

extension ConditionJudge.Evidence {
    /// Does a write whose precondition passes, and returns the results of its transforms.
    fileprivate mutating func apply(_ mutation: Mutation) -> [Value] {
        let unwritten = Timestamp(seconds: 0, nanoseconds: 0)
        let results = mutation.transforms.map {
            $0.operation.localResult(previous: local[$0.field], writtenAt: unwritten)
        }
        guard mutation.kind != .verify else { return results }
        let plain = Mutation(
            key: mutation.key, kind: mutation.kind, transforms: mutation.transforms)
        // What is not known here stays unknown, unless the whole document is written.
        if local.isValid || mutation.isWhole || mutation.precondition == .none {
            _ = plain.apply(to: &local, mask: .empty, writtenAt: unwritten)
        }
        isChangedByRequest = true
        return results
    }
}

extension Mutation {
    /// Whether the document is known after the write, whatever it was.
    fileprivate var isWhole: Bool {
        switch kind {
        case .set, .delete: true
        case .patch, .verify: false
        }
    }
}
