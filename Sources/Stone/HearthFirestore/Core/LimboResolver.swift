package import HashTreeCollections
package import HearthModel

/// Looks up documents that views hold and the backend did not name, a few at a time.
///
/// A document is looked up while any view needs it; the rest wait in the order they came.
package struct LimboResolver: Sendable {
    /// What must be watched.
    package enum Action: Hashable, Sendable {
        /// Look up the document by a target of its own.
        case lookUp(DocumentKey, TargetID)
        /// Nobody needs the answer any more.
        case stop(TargetID)
    }

    private struct Lookup: Sendable {
        let key: DocumentKey
        /// Whether the backend has named the document.
        var isReceived = false
    }

    private let lookupCountMax: Int
    private var ids = TargetIDGenerator.limbo
    /// Which targets' views hold the document.
    private var holders: TreeDictionary<DocumentKey, Set<TargetID>> = [:]
    private var lookups: TreeDictionary<TargetID, Lookup> = [:]
    private var lookupIDs: TreeDictionary<DocumentKey, TargetID> = [:]
    private var queue: TreeDictionary<UInt64, DocumentKey> = [:]
    private var places: TreeDictionary<DocumentKey, UInt64> = [:]
    private var head: UInt64 = 0
    private var tail: UInt64 = 0

    /// Looks up at most `lookupCountMax` documents at a time.
    package init(lookupCountMax: Int) {
        self.lookupCountMax = lookupCountMax
    }

    /// The document that a target looks up.
    package func key(of target: TargetID) -> DocumentKey? { lookups[target]?.key }

    /// The documents that are looked up, by target.
    package var active: [TargetID: DocumentKey] {
        Dictionary(uniqueKeysWithValues: lookups.map { ($0.key, $0.value.key) })
    }

    /// The documents that wait, first come first.
    package var waiting: [DocumentKey] { queue.keys.sorted().compactMap { queue[$0] } }

    /// The document of a lookup, if the backend has named it.
    package func receivedKey(of target: TargetID) -> DocumentKey? {
        lookups[target].flatMap { $0.isReceived ? $0.key : nil }
    }

    /// Whether a document was looked up, and the backend has it.
    package func isFound(_ key: DocumentKey) -> Bool {
        lookupIDs[key].flatMap { lookups[$0]?.isReceived } ?? false
    }

    /// The targets whose views hold a document in limbo.
    package func holders(of key: DocumentKey) -> Set<TargetID> { holders[key] ?? [] }

    /// A view's documents came into limbo, or left limbo.
    ///
    /// - Parameters:
    ///   - target: The view's target.
    ///   - joined: The documents that came into limbo.
    ///   - left: The documents that left limbo.
    package mutating func viewChanged(
        of target: TargetID, joined: [DocumentKey], left: [DocumentKey]
    ) -> [Action] {
        var actions: [Action] = []
        for key in left { actions += release(key, of: target) }
        for key in joined {
            holders[key, default: []].insert(target)
            guard lookupIDs[key] == nil, places[key] == nil else { continue }
            queue[tail] = key
            places[key] = tail
            tail += 1
        }
        return actions + startWaiting()
    }

    /// The engine stops watching a target; `keys` are the documents in limbo in the target's views.
    package mutating func released(
        _ target: TargetID, limbo keys: TreeSet<DocumentKey>
    ) -> [Action] {
        var actions: [Action] = []
        for key in keys.sorted() { actions += release(key, of: target) }
        return actions + startWaiting()
    }

    /// An event told of a lookup's document.
    package mutating func received(_ change: TargetChange, for target: TargetID) {
        guard lookups[target] != nil else { return }
        if !change.added.isEmpty {
            lookups[target]?.isReceived = true
        } else if !change.removed.isEmpty {
            lookups[target]?.isReceived = false
        }
    }

    /// The backend refused a lookup: it is over, and the next may start.
    package mutating func rejected(_ target: TargetID) -> [Action] {
        guard let lookup = lookups.removeValue(forKey: target) else { return [] }
        lookupIDs[lookup.key] = nil
        return startWaiting()
    }

    private mutating func release(_ key: DocumentKey, of target: TargetID) -> [Action] {
        holders[key]?.remove(target)
        guard holders[key]?.isEmpty ?? true else { return [] }
        holders[key] = nil
        if let place = places.removeValue(forKey: key) { queue[place] = nil }
        guard let id = lookupIDs.removeValue(forKey: key) else { return [] }
        lookups[id] = nil
        return [.stop(id)]
    }

    private mutating func startWaiting() -> [Action] {
        var actions: [Action] = []
        while head < tail, lookups.count < lookupCountMax {
            let place = head
            head += 1
            guard let key = queue.removeValue(forKey: place) else { continue }
            places[key] = nil
            let id = ids.next()
            lookups[id] = Lookup(key: key)
            lookupIDs[key] = id
            actions.append(.lookUp(key, id))
        }
        return actions
    }
}
