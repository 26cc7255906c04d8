import HearthEngine
import HearthFirestore
import HearthModel

/// What a daemon makes of the marks of its batches, and programs of the daemon's marks.
extension SimulatedClient {
    /// A turn sends a batch.
    func noteMark(_ mutations: [Mutation], of number: Int, _ batch: BatchID) {
        let copy = CopyLedger.Copy(client: index, user: engine.user, batch: batch)
        ledger.copies?.sent(mutations, of: number, copy)
    }

    /// A turn that took the documents of a batch in doubt stood.
    ///
    /// If the batch's mark is among the documents, and the batch has left the queue and is not
    /// refused, then the daemon takes the batch for applied.
    func noteAsking(_ documents: [Document], _ actions: [FirestoreEngine.Action]) {
        guard let first = documents.first, first.isFound, documents.count > 1,
            documents[1].key.collection != Scenery.marks,
            let mark = ledger.copies?.mark(first.key)
        else { return }
        let batch = mark.copy.batch
        let isRefused = actions.contains {
            if case .note(.batchRejected(batch, _)) = $0 { true } else { false }
        }
        let waiting = try? store.look { transaction throws(StoreError) in
            try transaction.batch(batch, of: mark.copy.user)
        }
        if isRefused || waiting != nil { return }
        if ledger.copies?.isRefused(batch, of: index) == true { return }
        ledger.answered(mark.number)
        checkApplied(batch)
    }

    /// A batch is among the dead letters from now on.
    func noteLetter(_ batch: BatchID) {
        guard ledger.copies != nil else { return }
        let letter = try? store.look { transaction throws(StoreError) in
            try transaction.deadLetter(batch)
        }
        guard let letter else { return }
        let fault = ledger.copies?.refuse(
            batch, of: index, isInDoubt: letter.mayHaveBeenApplied)
        if let fault { report(fault) }
    }

    /// The daemon takes a batch for applied.
    func checkApplied(_ batch: BatchID) {
        if ledger.copies?.isApplied(batch, of: index) == false {
            report("batch \(batch) is taken for applied, and never was")
        }
    }

    /// The process dies when it has sent what a turn sends, and before anybody else has heard of
    /// the turn.
    func send(_ actions: [FirestoreEngine.Action]) {
        for case .upstream(.write(let number, let batch, let mutations, let token)) in actions
        where link.write?.number == number {
            _ = link.perform(.write(number, batch, mutations, token))
        }
    }

    /// A program wants to see marks, and must not.
    func lookAtMarks(session: UInt64, at now: Timestamp) {
        let query = Query(path: Scenery.marks)
        let options = ListenOptions(includeMetadataChanges: true, isCacheOnly: false)
        listen(to: query, options, session: session, at: now)
        read(query, from: .cache, session: session, at: now)
        let isListening = screens.values.contains { $0.query == query }
        let isReading = reads.values.contains { $0.query == query }
        if isListening || isReading { report("a program may look at marks") }
    }
}
