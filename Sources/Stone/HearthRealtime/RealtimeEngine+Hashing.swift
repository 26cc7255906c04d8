import HearthEngine
import HearthModel

/// What the backend is told of the data that is here already.
///
/// The hash of large data is computed in slices while the data rests, and lies on disk beside the
/// data: an engine that starts again hashes nothing that is unchanged. A listen whose hash is not
/// there waits for the hash. No turn is long because of the hash, unless the data changes again and again
/// while it is hashed.
extension RealtimeEngine {
    /// A view has its data from disk: the view's listen has data from disk, too.
    mutating func restoreHash(
        of target: ListenTarget, _ turn: inout Turn
    ) throws(StoreError) {
        guard target.query.isComplete, let query = queries[target],
            let hash = try turn.store.hash(of: query.id)
        else { return }
        hashes.restore(hash, of: target, knowing: tree.serverNode(of: target))
    }

    /// The hash that the backend compares with its own data; `nil` if the listen waits for the hash.
    /// `hashMore` then sends the listen.
    mutating func hash(of target: ListenTarget, _ effects: inout Effects) -> ListenHash? {
        guard let hash = hashes.hash(of: target, knowing: tree.serverNode(of: target)) else {
            hashes.isScheduled = true
            effects.actions.append(.schedule(.hashing, after: .zero))
            return nil
        }
        lookAtHashes(after: KeptHashes.lookPause, &effects)
        return hash
    }

    /// A listen was told all.
    mutating func noteTold(_ target: ListenTarget, _ effects: inout Effects) {
        hashes.told(target, tree.serverNode(of: target))
        lookAtHashes(after: KeptHashes.lookPause, &effects)
    }

    /// Looks later whether the hashes fit the present data. O(1).
    mutating func lookAtHashes(after pause: Duration, _ effects: inout Effects) {
        guard !hashes.isScheduled, !hashes.isEmpty else { return }
        hashes.isScheduled = true
        effects.actions.append(.schedule(.hashing, after: pause))
    }

    /// The time to look has come, or to go on with hashing.
    mutating func hashMore(_ turn: inout Turn) throws(StoreError) {
        goOnHashing(&turn.effects)
        try storeHashes(&turn)
    }

    /// The store could not note a hash: the listen that waits for the hash is sent all the same.
    mutating func hashMoreInMemory(_ effects: inout Effects) {
        goOnHashing(&effects)
        guard !hashes.isScheduled else { return }
        hashes.isScheduled = true  // Transactions wait for the listens that wait.
        effects.actions.append(.schedule(.hashing, after: KeptHashes.lookPause))
    }

    private mutating func goOnHashing(_ effects: inout Effects) {
        hashes.isScheduled = false
        let tree = tree
        // Before anything is sent: with a listen that was sent, a look would do in ten seconds.
        if let pause = hashes.step({ tree.serverNode(of: $0) }) {
            lookAtHashes(after: pause, &effects)
        }
        // Listens that change the data end, so that the data rests.
        for target in hashes.restless { endLeaving(for: target, &effects) }
        for target in hashes.takeAnswered() {
            guard let listen = listens[target], !listen.isSent else { continue }
            send(listen, &effects)
        }
    }

    private mutating func storeHashes(_ turn: inout Turn) throws(StoreError) {
        let store = turn.store
        let tree = tree
        for (target, hash) in hashes.storable({ tree.serverNode(of: $0) }) {
            // Data that is not whole on disk is not shown from there.
            guard let query = queries[target], query.isComplete else { continue }
            // The disk forgets a hash with each change, even if a change leaves the data equal.
            if try !store.isHashed(query) { try store.setHash(hash, of: query) }
        }
    }
}
