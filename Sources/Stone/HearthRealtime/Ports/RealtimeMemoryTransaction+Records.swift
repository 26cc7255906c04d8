import HashTreeCollections
package import HearthEngine
package import HearthModel

extension RealtimeMemoryTransaction {
    package func record(of write: WriteIdentity) throws(StoreError)
        -> WriteRecord<RealtimeOutcome>?
    {
        state.clients[Self.client(of: write)]?.records[write.sequence]
    }

    package func identity(of write: BatchID) throws(StoreError) -> WriteIdentity? {
        state.identities[write]
    }

    package func setRecord(
        _ record: WriteRecord<RealtimeOutcome>, of write: WriteIdentity
    ) throws(StoreError) {
        let client = Self.client(of: write)
        var memory = state.clients[client] ?? .init()
        if let old = memory.records.updateValue(record, forKey: write.sequence),
            old.batch != record.batch
        {
            state.identities[old.batch] = nil
            memory.pending.remove(old.batch)
        }
        if record.outcome == .pending {
            memory.pending.insert(record.batch)
        } else {
            memory.pending.remove(record.batch)
        }
        state.clients[client] = memory
        state.identities[record.batch] = write
    }

    package func removeRecords(
        of client: ClientID, uid: UInt32, below sequence: UInt64
    ) throws(StoreError) {
        let client = RealtimeMemoryState.Client(id: client, uid: uid)
        guard var memory = state.clients[client] else { return }
        memory.forgottenBelow = max(memory.forgottenBelow, sequence)
        for (number, record) in memory.records
        where number < sequence && record.outcome != .pending {
            memory.records[number] = nil
            state.identities[record.batch] = nil
        }
        state.clients[client] = memory
    }

    package func forgottenBelow(of client: ClientID, uid: UInt32) throws(StoreError) -> UInt64 {
        state.clients[.init(id: client, uid: uid)]?.forgottenBelow ?? 0
    }

    package func pendingWrites(of client: ClientID, uid: UInt32) throws(StoreError) -> [BatchID] {
        (state.clients[.init(id: client, uid: uid)]?.pending ?? []).sorted()
    }

    package func appendDeadLetter(_ letter: RealtimeDeadLetter) throws(StoreError) {
        state.deadLetters[letter.write.id] = letter
    }

    package func deadLetter(_ write: BatchID) throws(StoreError) -> RealtimeDeadLetter? {
        state.deadLetters[write]
    }

    package func removeDeadLetter(_ write: BatchID) throws(StoreError) {
        state.deadLetters[write] = nil
    }

    private static func client(of write: WriteIdentity) -> RealtimeMemoryState.Client {
        .init(id: write.client, uid: write.uid)
    }
}
