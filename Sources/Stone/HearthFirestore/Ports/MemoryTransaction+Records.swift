import HashTreeCollections
package import HearthEngine
package import HearthModel

extension MemoryTransaction {
    package func bundle(_ id: String) throws(StoreError) -> BundleRecord? {
        state.bundles[UTF8Text(id)]
    }

    package func setBundle(_ bundle: BundleRecord) throws(StoreError) {
        state.bundles[UTF8Text(bundle.id)] = bundle
        state.begunBundles[UTF8Text(bundle.id)] = nil
    }

    package func begunBundles() throws(StoreError) -> [BegunBundle] {
        state.begunBundles.values.map { $0 }
    }

    package func setBegunBundle(_ bundle: BegunBundle) throws(StoreError) {
        state.bundles[UTF8Text(bundle.record.id)] = nil
        state.begunBundles[UTF8Text(bundle.record.id)] = bundle
    }

    package func removeBundle(_ id: String) throws(StoreError) {
        state.bundles[UTF8Text(id)] = nil
        state.begunBundles[UTF8Text(id)] = nil
    }

    package func namedQuery(_ name: String) throws(StoreError) -> NamedQuery? {
        state.namedQueries[UTF8Text(name)]
    }

    package func setNamedQuery(_ query: NamedQuery) throws(StoreError) {
        state.namedQueries[UTF8Text(query.name)] = query
    }

    package func record(of write: WriteIdentity) throws(StoreError) -> WriteRecord<WriteOutcome>? {
        state.records[write]
    }

    package func identity(of batch: BatchID) throws(StoreError) -> WriteIdentity? {
        state.identities[batch]
    }

    package func setRecord(_ record: WriteRecord<WriteOutcome>, of write: WriteIdentity)
        throws(StoreError)
    {
        if let old = state.records.updateValue(record, forKey: write), old.batch != record.batch {
            state.identities[old.batch] = nil
        }
        state.identities[record.batch] = write
    }

    package func removeRecords(of client: ClientID, uid: UInt32, below sequence: UInt64)
        throws(StoreError)
    {
        for (write, record) in state.records
        where write.client == client && write.uid == uid && write.sequence < sequence
            && record.outcome != .pending
        {
            state.records[write] = nil
            state.identities[record.batch] = nil
        }
    }

    /// A store in memory forgets nothing that it is not told to.
    package func forgottenBelow(of client: ClientID, uid: UInt32) throws(StoreError) -> UInt64 { 0 }

    package func removeAll() throws(StoreError) {
        var empty = MemoryState()
        empty.globals = state.globals
        empty.globals.lastRemoteVersion = .zero
        empty.ledger = state.ledger
        state = empty
        changes.insertAll()
    }

    package func terms() throws(StoreError) -> [BatchID: SendingTerms] {
        Dictionary(state.terms.map { ($0.key, $0.value) }) { first, _ in first }
    }

    package func setTerms(_ terms: SendingTerms?, of batch: BatchID) throws(StoreError) {
        state.terms[batch] = terms
    }

    package func promise(_ promisedAt: Timestamp) throws(StoreError) -> SettledPromise? {
        state.promises[promisedAt.microseconds]
    }

    package func setPromise(_ promise: SettledPromise) throws(StoreError) {
        state.promises[promise.promisedAt.microseconds] = promise
    }

    package func appendDeadLetter(_ letter: DeadLetter) throws(StoreError) {
        state.deadLetters[letter.batch.batch.id] = letter
    }

    package func deadLetter(_ batch: BatchID) throws(StoreError) -> DeadLetter? {
        state.deadLetters[batch]
    }

    package func toldLetters(ofLast time: Duration) throws(StoreError) -> [BatchID] {
        let told = state.deadLetters.values.filter(\.wasTold)
        guard let newest = told.map(\.rejectedAt).max() else { return [] }
        return told.filter { newest.since($0.rejectedAt) <= time }.map(\.batch.batch.id).sorted()
    }

    package func forgetToldLetter(_ batch: BatchID) throws(StoreError) {
        if state.deadLetters[batch]?.wasTold == true { state.deadLetters[batch] = nil }
    }

    package func forgetToldLetters() throws(StoreError) {
        for (batch, letter) in state.deadLetters where letter.wasTold {
            state.deadLetters[batch] = nil
        }
    }

    package func removeDeadLetter(_ batch: BatchID) throws(StoreError) {
        state.deadLetters[batch] = nil
    }
}
