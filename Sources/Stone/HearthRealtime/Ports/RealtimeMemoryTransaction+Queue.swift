import HashTreeCollections
package import HearthEngine
package import HearthModel

extension RealtimeMemoryTransaction {
    package func append(_ write: QueuedWrite) throws(StoreError) {
        let last = state.queues[write.user]?.last ?? .none
        precondition(write.id > last, "Write \(write.id) queued after \(last)")
        state.writes[write.id] = write
        state.load(of: write, counting: 1)
        state.queues[write.user, default: OrderedTree()].insert(write.id, by: BatchID.order)
    }

    package func write(_ id: BatchID, of user: UserID) throws(StoreError) -> QueuedWrite? {
        state.writes[id].flatMap { $0.user == user ? $0 : nil }
    }

    package func nextWrite(after id: BatchID, of user: UserID) throws(StoreError) -> QueuedWrite? {
        guard let queue = state.queues[user] else { return nil }
        let index = queue.firstIndex { $0 > id }
        return index < queue.count ? state.writes[queue[index]] : nil
    }

    package func nextWriteToSend(after id: BatchID, of user: UserID) throws(StoreError)
        -> QueuedWrite?
    {
        try nextWrite(after: id, of: user).flatMap { $0.state == .held ? nil : $0 }
    }

    package func nextMayBeSent(after id: BatchID, of user: UserID) throws(StoreError) -> Bool {
        try nextWriteToSend(after: id, of: user) != nil
    }

    package func previousWriteID(before id: BatchID, of user: UserID) throws(StoreError)
        -> BatchID?
    {
        guard let queue = state.queues[user] else { return nil }
        let index = queue.firstIndex { $0 >= id }
        return index > 0 ? queue[index - 1] : nil
    }

    package func user(of write: BatchID) throws(StoreError) -> UserID? { state.writes[write]?.user }

    package func highestWriteID(of user: UserID) throws(StoreError) -> BatchID? {
        state.queues[user]?.last
    }

    package func setHeld(_ isHeld: Bool, _ id: BatchID, of user: UserID) throws(StoreError) {
        guard var write = state.writes[id], write.user == user else { return }
        guard isHeld || write.state == .held else { return }
        write.state = isHeld ? .held : .queued
        state.writes[id] = write
    }

    package func noteSent(through write: BatchID, of user: UserID) throws(StoreError) {
        guard let queue = state.queues[user] else { return }
        // Sent writes lie in front of unsent writes, so a look at the newest is enough.
        var index = queue.firstIndex { $0 > write }
        while index > 0, var queued = state.writes[queue[index - 1]] {
            index -= 1
            if queued.state == .sentUnanswered { return }
            if queued.state == .held { continue }
            queued.state = .sentUnanswered
            state.writes[queued.id] = queued
        }
    }

    package func removeWrite(_ id: BatchID, of user: UserID) throws(StoreError) {
        guard let write = state.writes[id], write.user == user else { return }
        state.writes[id] = nil
        state.load(of: write, counting: -1)
        guard var queue = state.queues[user] else { return }
        queue.remove(id, by: BatchID.order)
        state.queues[user] = queue.count == 0 ? nil : queue
    }

    package func replaceWrite(_ write: QueuedWrite) throws(StoreError) {
        guard let old = state.writes[write.id], old.user == write.user else { return }
        state.load(of: old, counting: -1)
        state.writes[write.id] = write
        state.load(of: write, counting: 1)
    }

    package func queueLoad(
        of payer: UInt32?, by owners: SubordinateRanges
    ) throws(StoreError) -> QueueLoad {
        guard let payer else { return state.wholeLoad }
        return QueueLoad(of: payer, in: state.loads, by: owners)
    }
}

extension BatchID {
    fileprivate static func order(_ left: Self, _ right: Self) -> Int {
        left < right ? -1 : (left == right ? 0 : 1)
    }
}
