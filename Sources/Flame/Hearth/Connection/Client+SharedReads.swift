import Glibc
import HearthModel
import HearthWire
import Synchronization

/// Reads of hot documents in the daemon's memory file, without a word to the daemon.
extension Client {
    /// Descriptors that may wait for their frames. The daemon sends one with a frame.
    private static let descriptorCountMax = 4

    /// A document as the cache alone tells it; `nil` if the daemon must be asked.
    ///
    /// The daemon alone knows the answer while a write of this client is not accepted: the program
    /// reads its own writes.
    func sharedSnapshot(of reference: DocumentReference) -> DocumentSnapshot? {
        guard changeCount.load(ordering: .acquiring) == 0,
            let map = shared.withLock({ $0 }), let answer = map.answer(reference.key)
        else { return nil }
        return DocumentSnapshot(encoded: answer, map.decoder, of: reference)
    }

    /// The results of a query as the cache alone tells them, from what a listener of the program has;
    /// `nil` if the daemon must be asked.
    func sharedResults(of query: HearthModel.Query) -> ViewUpdate? {
        guard let map = shared.withLock({ $0 }), let change = map.changeNumber else { return nil }
        return state.withLock { $0.machine.cachedState(of: query, at: change) }?.asCached
    }

    /// The program has read a document from the cache, wherever it found the answer.
    func noteRead(of reference: DocumentReference) {
        let isFirst = readNames.withLock { $0.note(reference.key, at: clock.now) }
        // The client's own thread waits until the names are to be told.
        if isFirst { wake.signal() }
    }

    /// Tells the daemon which documents the program has read, if they are to be told now.
    func tellReads() {
        let now = clock.now
        let keys = readNames.withLock { $0.take(at: now) }
        if !keys.isEmpty { change { $0.machine.tellReads(of: keys, at: now) } }
    }

    /// A descriptor has come; its frame follows.
    func take(descriptor: Int32) {
        let isTaken = state.withLock { state in
            guard state.descriptors.count < Self.descriptorCountMax else { return false }
            state.descriptors.append(descriptor)
            return true
        }
        if !isTaken { Glibc.close(descriptor) }
    }

    /// The session has another memory file, or none.
    func share(_ descriptor: Int32?, byteCount: Int?, _ codec: WireCodec) {
        var map: SharedReadMap?
        if let descriptor {
            defer { Glibc.close(descriptor) }
            if let byteCount {
                map = SharedReadMap(descriptor: descriptor, byteCount: byteCount, codec)
            }
        }
        let made = map
        state.withLock { state in
            shared.withLock { $0 = state.isClosed ? nil : made }
        }
    }

    /// Nothing more is read in the memory file: the session is over.
    func dropSharedReads() {
        let left = state.withLock { state in
            shared.withLock { $0 = nil }
            defer { state.descriptors = [] }
            return state.descriptors
        }
        for descriptor in left { Glibc.close(descriptor) }
    }
}
