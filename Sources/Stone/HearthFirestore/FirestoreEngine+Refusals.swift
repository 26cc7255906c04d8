import HashTreeCollections
import HearthEngine
import HearthModel

/// Targets that the backend refuses, and messages of the backend that nobody here can read.
extension FirestoreEngine {
    /// The backend refused targets for good.
    mutating func rejected(
        _ wires: [WireTargetID], _ error: HearthError, _ turn: inout Turn
    ) throws(StoreError) {
        for wire in wires {
            // A target may have been stopped while the refusal was on the way.
            guard let id = aggregator.target(of: wire), watched[id] != nil else { continue }
            if let key = limbo.key(of: id) {
                end(id, wire)
                ledger.closed(id, at: turn.now)
                // Nobody may know of the document, so the cache must not either.
                var event = RemoteEvent(version: .zero)
                event.documents = [.missing(key, at: .zero)]
                event.resolvedLimbo = [key]
                try apply(event, &turn)
                carryOut(limbo.rejected(id), &turn.effects)
            } else {
                reject(id, wire, error, &turn.effects)
            }
        }
    }

    /// The backend refused targets for good, and the store cannot note it.
    ///
    /// A lookup goes on, because the cache must lose the document when the lookup ends.
    mutating func rejectedInMemory(
        _ wires: [WireTargetID], _ error: HearthError, _ effects: inout Effects
    ) {
        for wire in wires {
            guard let id = aggregator.target(of: wire), watched[id] != nil,
                limbo.key(of: id) == nil
            else { continue }
            reject(id, wire, error, &effects)
        }
    }

    private mutating func reject(
        _ id: TargetID, _ wire: WireTargetID, _ error: HearthError, _ effects: inout Effects
    ) {
        end(id, wire)
        effects.actions.append(.note(.targetRejected(id, error)))
        removeTarget(id, error: error, &effects)
    }

    /// The backend watches a target no more.
    private mutating func end(_ id: TargetID, _ wire: WireTargetID) {
        noteResumePoint(of: id)
        aggregator.stopped(wire)
        watched[id] = nil
        wireIDs[id] = nil
        mismatches.forget(id)
    }

    /// Ends targets that the backend watches, as if the backend had refused the targets.
    mutating func refuse(
        _ wires: [WireTargetID], _ error: HearthError, on number: StreamNumber, _ turn: inout Turn
    ) throws(StoreError) {
        _ = stopWatching(wires, on: number, &turn.effects)
        try rejected(wires, error, &turn)
    }

    /// Asks the backend to end targets, before they are rejected here.
    ///
    /// - Returns: Whether anybody wanted one of the targets.
    private mutating func stopWatching(
        _ wires: [WireTargetID], on number: StreamNumber, _ effects: inout Effects
    ) -> Bool {
        var isWanted = false
        for wire in wires {
            // The backend sends on until it has heard that a target is over.
            guard let id = aggregator.target(of: wire), let data = watched[id] else { continue }
            isWanted = true
            ledger.ending(wire, id, data.target)
            performOnWatchStream(watchStream.sent(), &effects)
            effects.actions.append(.upstream(.unlisten(number, wire)))
        }
        return isWanted
    }

    // MARK: What cannot be read

    /// A document came that cannot be read: the targets that the document came for are over, and all
    /// other targets stay watched.
    ///
    /// The backend does not know that, so the engine asks the backend to end the targets.
    mutating func receivedUnreadable(
        _ wires: [WireTargetID], _ error: HearthError, on number: StreamNumber, _ turn: inout Turn
    ) throws(StoreError) {
        guard heard(on: number, &turn.effects) else { return }
        try endSilence(&turn)
        for wire in wires { bill(ReadBill.documents(1), wire, turn.now) }
        if stopWatching(wires, on: number, &turn.effects) { noteUnreadable(error, &turn.effects) }
        try rejected(wires, error, &turn)
    }

    /// A document came that cannot be read, and the store cannot note the end of its targets.
    mutating func receivedUnreadableInMemory(
        _ wires: [WireTargetID], _ error: HearthError, on number: StreamNumber,
        _ effects: inout Effects
    ) {
        guard heard(on: number, &effects) else { return }
        if stopWatching(wires, on: number, &effects) { noteUnreadable(error, &effects) }
        rejectedInMemory(wires, error, &effects)
    }

    /// Notes for operators that something came which cannot be read.
    func noteUnreadable(_ error: HearthError, _ effects: inout Effects) {
        effects.actions.append(.note(.messageUnreadable(error)))
    }
}
