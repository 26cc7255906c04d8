import HashTreeCollections
package import HearthEngine
package import HearthModel

extension MemoryTransaction {
    package func cacheByteCount() throws(StoreError) -> Int {
        state.documentByteCount + state.targets.count * MemorySizes.targetByteCount
    }

    package func collectableCount() throws(StoreError) -> Int {
        state.targets.count + state.orphans.count
    }

    package func otherByteCount() throws(StoreError) -> Int {
        0  // `cacheByteCount` counts documents and targets alone.
    }

    package func sequenceNumber(ofLeastUsed count: Int, after last: ListenSequenceNumber)
        throws(StoreError) -> ListenSequenceNumber?
    {
        let targets = state.targets.values.map(\.sequenceNumber).filter { $0 > last }.sorted()
        let skipped = state.orphanCount(usedUpTo: last)
        let orphanCount = state.orphans.count - skipped
        let count = min(count, targets.count + orphanCount)
        guard count > 0 else { return nil }
        // Finds how many of the `count` least recently used are targets; the rest are orphans.
        var low = max(0, count - orphanCount)
        var high = min(count, targets.count)
        while low < high {
            let middle = (low + high) / 2
            let orphan = count - middle - 1
            if targets[middle] < state.orphans[skipped + orphan].used {
                low = middle + 1
            } else {
                high = middle
            }
        }
        let target = low > 0 ? targets[low - 1] : .min
        let orphan = count > low ? state.orphans[skipped + count - low - 1].used : .min
        return max(target, orphan)
    }

    package func removeTargets(
        usedUpTo bound: ListenSequenceNumber, except live: Set<TargetID>, limit: Int
    ) throws(StoreError) -> Int {
        let old = state.targets.values.filter {
            $0.sequenceNumber <= bound && !live.contains($0.id)
        }.prefix(limit)
        for data in old { try removeTarget(data.id) }
        return old.count
    }

    package func dropTarget(_ id: TargetID) throws(StoreError) { try removeTarget(id) }

    package func releaseDroppedKeys(limit: Int) throws(StoreError) -> Int {
        0  // They went with their target: it is a copy of a tree that is dropped.
    }

    package func removeOrphans(
        usedUpTo bound: ListenSequenceNumber, from place: inout CollectionPlace, limit: Int,
        isPinned: (DocumentKey) -> Bool
    ) throws(StoreError) -> Int {
        var seen: [MemoryState.Orphan] = []
        state.orphans.walk(from: min(Int(place.row), state.orphans.count)) { orphan in
            guard orphan.used <= bound, seen.count < limit else { return false }
            seen.append(orphan)
            return true
        }
        var count = 0
        for orphan in seen {
            if state.writes[orphan.key] != nil || isPinned(orphan.key) {
                place.row += 1  // It stays, before all that come.
                continue
            }
            try removeRemoteDocument(orphan.key)
            count += 1
        }
        place.isAtEnd = seen.count < limit
        return count
    }
}

/// Rough sizes that keep a cache in memory within its limit.
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

extension QueuedBatch {
    /// About how much memory its writes hold. O(size).
    var byteCount: Int {
        (batch.baseMutations + batch.mutations).reduce(0) { sum, mutation in
            let name = MemorySizes.documentByteCount + mutation.key.path.string.utf8.count
            let transforms = mutation.transforms.count * MemorySizes.valueByteCount
            switch mutation.kind {
            case .set(let fields), .patch(let fields, _):
                return sum + name + transforms + fields.byteCount
            case .delete, .verify: return sum + name + transforms
            }
        }
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
