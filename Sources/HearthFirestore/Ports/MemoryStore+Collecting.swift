import HashTreeCollections
package import HearthModel

extension MemoryTransaction {
    package func cacheByteCount() throws(StoreError) -> Int {
        state.documentByteCount + state.targets.count * MemorySizes.targetByteCount
    }

    package func collectableCount() throws(StoreError) -> Int {
        state.targets.count + orphans().count
    }

    package func sequenceNumber(ofLeastUsed count: Int) throws(StoreError)
        -> ListenSequenceNumber?
    {
        let all = state.targets.values.map(\.sequenceNumber) + orphans().map(\.sequenceNumber)
        guard count > 0, count <= all.count else { return nil }
        return all.sorted()[count - 1]
    }

    package func removeTargets(usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>)
        throws(StoreError) -> Int
    {
        let old = state.targets.values.filter {
            $0.sequenceNumber <= bound && !live.contains($0.id)
        }
        for data in old { try removeTarget(data.id) }
        return old.count
    }

    package func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, limit: Int, isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        let old = orphans().filter { $0.sequenceNumber <= bound }
            .sorted { ($0.sequenceNumber, $0.key) < ($1.sequenceNumber, $1.key) }
        var count = 0
        for orphan in old where count < limit {
            if state.writes[orphan.key] != nil || isPinned(orphan.key) { continue }
            try removeRemoteDocument(orphan.key)
            count += 1
        }
        return count
    }

    /// Documents that no target holds, and when they were last used. O(n), n all documents.
    private func orphans() -> [(key: DocumentKey, sequenceNumber: ListenSequenceNumber)] {
        state.uses.compactMap { key, use in
            use.targetCount == 0 ? (key, use.sequenceNumber) : nil
        }
    }
}

/// Rough sizes, by which a cache in memory is kept within its limit.
enum MemorySizes {
    /// A target with its query and token.
    static let targetByteCount = 256
    /// A document without its fields.
    static let documentByteCount = 64
    /// A value that owns no memory of its own.
    static let valueByteCount = 16
}

extension Document {
    /// About how much memory the document holds. O(size).
    var byteCount: Int {
        MemorySizes.documentByteCount + key.path.string.utf8.count + fields.byteCount
    }
}

extension MapValue {
    fileprivate var byteCount: Int {
        entries.reduce(0) { $0 + $1.key.utf8.count + $1.value.byteCount }
    }
}

extension Value {
    fileprivate var byteCount: Int {
        switch self {
        case .null, .boolean, .integer, .double, .timestamp, .serverTimestamp, .geoPoint:
            MemorySizes.valueByteCount
        case .string(let text): MemorySizes.valueByteCount + text.utf8.count
        case .bytes(let bytes): MemorySizes.valueByteCount + bytes.count
        case .reference(let name): MemorySizes.valueByteCount + name.path.string.utf8.count
        case .array(let elements): elements.reduce(MemorySizes.valueByteCount) { $0 + $1.byteCount }
        case .map(let map): MemorySizes.valueByteCount + map.byteCount
        }
    }
}
