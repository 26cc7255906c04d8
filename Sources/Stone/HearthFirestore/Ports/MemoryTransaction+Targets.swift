import HashTreeCollections
package import HearthEngine
package import HearthModel

extension MemoryTransaction {
    package func targetData(for target: Target) throws(StoreError) -> TargetData? {
        state.targetIDs[target].flatMap { state.targets[$0] }
    }

    package func setTargetData(_ data: TargetData) throws(StoreError) {
        if let old = state.targets.updateValue(data, forKey: data.id) {
            state.targetIDs[old.target] = nil
        }
        state.targetIDs[data.target] = data.id
    }

    package func removeTarget(_ id: TargetID) throws(StoreError) {
        try removeAllKeys(from: id)
        guard let data = state.targets.removeValue(forKey: id) else { return }
        if state.targetIDs[data.target] == id { state.targetIDs[data.target] = nil }
    }

    package func keys(of target: TargetID) throws(StoreError) -> [DocumentKey] {
        Array(state.keysByTarget[target] ?? [])
    }

    package func keyCount(of target: TargetID, upTo countMax: Int) throws(StoreError) -> Int {
        min(state.keysByTarget[target]?.count ?? 0, countMax)
    }

    package func addKeys(
        _ keys: some Collection<DocumentKey>, to target: TargetID, at: ListenSequenceNumber
    ) throws(StoreError) {
        var members = state.keysByTarget[target] ?? []
        for key in keys {
            var use = state.uses[key] ?? .init()
            if members.insert(key).inserted { use.targetCount += 1 }
            use.sequenceNumber = at
            state.setUse(use, of: key)
        }
        state.keysByTarget[target] = members.isEmpty ? nil : members
        state.latestUse = max(state.latestUse, at)
    }

    package func removeKeys(
        _ keys: some Collection<DocumentKey>, from target: TargetID, at: ListenSequenceNumber
    ) throws(StoreError) {
        for key in keys { leave(target, key) }
        try touch(keys, at: at)
    }

    package func removeAllKeys(from target: TargetID) throws(StoreError) {
        for key in state.keysByTarget[target] ?? [] { leave(target, key) }
    }

    package func isInAnyTarget(_ key: DocumentKey) throws(StoreError) -> Bool {
        (state.uses[key]?.targetCount ?? 0) > 0
    }

    package func touch(_ keys: some Collection<DocumentKey>, at: ListenSequenceNumber)
        throws(StoreError)
    {
        for key in keys {
            guard var use = state.uses[key] else { continue }
            use.sequenceNumber = at
            state.setUse(use, of: key)
        }
        state.latestUse = max(state.latestUse, at)
    }

    private func leave(_ target: TargetID, _ key: DocumentKey) {
        guard state.keysByTarget[target]?.contains(key) ?? false else { return }
        state.keysByTarget.remove(key, from: target)
        guard var use = state.uses[key] else { return }
        use.targetCount -= 1
        let isForgotten = use.targetCount == 0 && state.documents[key] == nil
        state.setUse(isForgotten ? nil : use, of: key)
    }
}
