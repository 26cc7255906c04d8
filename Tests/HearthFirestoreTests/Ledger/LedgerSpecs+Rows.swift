import HearthEngine
import HearthFirestore
import HearthModel
import Testing

/// What of the ledger lies in the store.
extension LedgerSpecs {
    @Test func `rows are saved a minute after the first read, not before, and outlast the engine`()
        throws
    {
        let store = MemoryStore()
        var backend = try backend(on: store)
        let first = try backend.take(.listen(listener(1), rooms, ListenOptions()))
        #expect(!first.contains(.schedule(.ledger, after: LedgerLimits.unsavedTimeMax)))
        try backend.answer(rooms, with: documents(4))
        #expect(try stored(backend) == 0)
        try backend.take(.timerFired(.ledger))
        #expect(try stored(backend) == 4)
        var next = try self.backend(on: store)
        #expect(try total(&next) == LedgerSums(reads: 4, aloneReads: 4))
    }

    @Test func `what was read is told for monitoring when it is saved, and told once`() throws {
        var backend = try backend()
        for session: UInt64 in 1...2 {
            try backend.take(.listen(listener(session), rooms, ListenOptions()))
        }
        try backend.answer(rooms, with: documents(4))
        var told: [LedgerSums] = []
        for _ in 1...2 {
            for case .note(.documentsRead(let sums)) in try backend.take(.timerFired(.ledger)) {
                told.append(sums)
            }
        }
        #expect(told == [LedgerSums(reads: 4, aloneReads: 8)])
    }

    @Test func `a clean stop saves the rows`() throws {
        let store = MemoryStore()
        var backend = try backend(on: store)
        try backend.take(.listen(listener(1), rooms, ListenOptions()))
        try backend.answer(rooms, with: documents(4))
        try backend.take(.shutdown)
        #expect(try stored(backend) == 4)
    }

    @Test func `earlier days are in a report that goes back so far, and go after the retention`()
        throws
    {
        let store = MemoryStore()
        var terms = LedgerTerms()
        terms.retentionDayCount = 2
        var backend = try backend(terms, on: store)
        for day in 0..<4 {
            backend.bench.now = noon.advanced(by: .seconds(86_400 * day))
            let read = RequestID(session: 1, number: UInt64(day + 10))
            try backend.take(.read(read, [key("a/b")], .server))
            try backend.take(.upstream(.called(read, .read([told("a/b")]))))
            try backend.take(.timerFired(.ledger))
        }
        #expect(try total(&backend).reads == 1)
        #expect(try report(&backend, since: noon).total.reads == 3)
        #expect(try report(&backend, since: noon, by: .day).rows.count == 3)
    }
}
