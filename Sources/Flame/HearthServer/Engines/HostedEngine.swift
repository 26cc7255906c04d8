package import HearthEngine
package import HearthFirestore
package import HearthModel

/// What a host needs of an engine: a value that decides one input at a time.
package protocol HostedEngine: Sendable {
    /// Takes one input inside one transaction and returns what must be done after its commit.
    ///
    /// - Throws: Only what the store throws. The value is then void.
    mutating func take(
        _ input: FirestoreEngine.Input, at now: Timestamp, in store: any FirestoreTransaction
    ) throws(StoreError) -> [FirestoreEngine.Action]

    /// Takes the failure of an input whose transaction was undone.
    mutating func turnFailed(
        _ input: FirestoreEngine.Input, _ error: StoreError, at now: Timestamp
    ) -> [FirestoreEngine.Action]
}

extension FirestoreEngine: HostedEngine {}

extension FirestoreEngine.Input {
    /// What those who wait for an answer to this input are told if no engine can take it.
    package func refusal(_ error: HearthError) -> [FirestoreEngine.Action] {
        switch self {
        case .listen(let listener, _, _), .listenToSync(let listener):
            [.fail(listener, error)]
        case .get(let request, _, _), .waitForPendingWrites(let request, _),
            .loadBundle(let request, _), .getNamedQuery(let request, _),
            .explain(let request, _), .manageIndexes(let request, _),
            .buildBundle(let request, _), .readForTransaction(let request, _),
            .aggregate(let request, _), .vote(let request, _),
            .withhold(let request, _),
            .clearPersistence(let request), .steerQueue(let request, _, _):
            [.refuse(request, error)]
        case .commitTransaction(let request, _):
            [.result(request, .commitFailed(error, mayHaveBeenApplied: false))]
        case .write(let request):
            [.refuse(request.id, error)]
        case .start, .unlisten, .unlistenToSync, .disconnected, .setNetwork, .changeUser,
            .upstream, .timerFired, .collectGarbage, .setQueueLimits, .networkReturned, .shutdown:
            []
        }
    }
}
