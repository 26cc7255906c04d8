import HashTreeCollections
import HearthEngine
import HearthModel

/// What a backend sends that does not add up: a count that its documents do not fit, and documents
/// without end and without a snapshot.
extension FirestoreEngine {
    /// Asks anew for the targets whose count did not fit, each now or when its wait is over.
    ///
    /// - Returns: The listens of the targets that have been asked for too often.
    mutating func askAnew(for event: RemoteEvent, _ effects: inout Effects) -> [WireTargetID] {
        mismatches.answered(event.targetChanges.lazy.filter(\.value.isCurrent).map(\.key))
        var lost: [WireTargetID] = []
        for (id, purpose) in event.targetMismatches.sorted(by: { $0.key < $1.key }) {
            guard let wire = wireIDs[id] else { continue }
            switch mismatches.mismatched(id, purpose, at: effects.now, using: &random) {
            case .ask:
                forgetResult(of: id, &effects)
                listen(id, purpose, &effects)
            case .wait:
                forgetResult(of: id, &effects)
                scheduleMismatches(&effects)
            case .giveUp: lost.append(wire)
            }
        }
        return lost
    }

    /// Ends targets that were asked for too often.
    mutating func giveUp(
        _ wires: [WireTargetID], on number: StreamNumber, _ turn: inout Turn
    ) throws(StoreError) {
        try refuse(wires, .neverFits, on: number, &turn)
    }

    /// The wait of a target is over.
    mutating func mismatchesFired(_ effects: inout Effects) {
        for (id, purpose) in mismatches.due(at: effects.now) { listen(id, purpose, &effects) }
        scheduleMismatches(&effects)
    }

    private mutating func scheduleMismatches(_ effects: inout Effects) {
        guard let pause = mismatches.nextPause(at: effects.now) else { return }
        effects.actions.append(.schedule(.mismatches, after: pause))
    }

    /// Stops a target's listen. The next listen is from the start.
    private mutating func forgetResult(of id: TargetID, _ effects: inout Effects) {
        guard var data = watched[id] else { return }
        data.resumeToken = nil
        data.snapshotVersion = .zero
        watched[id] = data
        sendUnlisten(data, &effects)
    }

    private mutating func listen(
        _ id: TargetID, _ purpose: TargetPurpose, _ effects: inout Effects
    ) {
        guard var data = watched[id], wireIDs[id] == nil else { return }
        // Only this listen is flagged; one after a reconnect is plain again.
        data.purpose = purpose
        sendListen(data, &effects)
        listensForWord(&effects)
    }

    // MARK: Documents without end

    /// Ends the targets that most documents are for, as long as the documents since the last snapshot
    /// take more memory than documents may.
    mutating func makeRoom(on number: StreamNumber, _ turn: inout Turn) throws(StoreError) {
        while let wire = aggregator.makeRoom() {
            try refuse([wire], .endless(configuration.gatheredByteCountMax), on: number, &turn)
            // A listen that nobody knows would be named again and again.
            aggregator.stopped(wire)
        }
    }
}

extension HearthError {
    /// Each time that the engine asked anew, the backend's count and documents differed.
    fileprivate static let neverFits = HearthError(
        code: .dataLoss,
        message:
            "The backend was asked \(MismatchedTargets.vainCountMax) times for the result of this "
            + "query, and each time the number of documents that it counts was another than the "
            + "number that it sends.")

    /// The backend sends more documents than there is memory for, without a snapshot.
    fileprivate static func endless(_ byteCountMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "The backend has sent documents of this query that take more than "
                + "\(byteCountMax >> 20) MiB of memory, and has not said that the result is whole. Ask "
                + "for less at once, with a limit or a narrower query.")
    }
}
