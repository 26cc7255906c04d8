import HearthEngine
import HearthFirestore
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// What writers say of the sending of their writes: in every store, after a crash and after a rescue.
struct TermStoreTests {
    private let terms: [BatchID: SendingTerms] = [
        BatchID(1): SendingTerms(expiresAt: Timestamp(microseconds: -5)),
        BatchID(2): SendingTerms(isOnlineOnly: true),
        BatchID(4): SendingTerms(expiresAt: Timestamp(microseconds: 9_000_001), isOnlineOnly: true),
    ]

    private func put(_ transaction: any FirestoreTransaction) throws(StoreError) {
        for (id, found) in terms { try transaction.setTerms(found, of: id) }
        try transaction.setTerms(SendingTerms(isOnlineOnly: true), of: BatchID(3))
        try transaction.setTerms(nil, of: BatchID(3))
        try transaction.setTerms(nil, of: BatchID(9))
    }

    @Test(arguments: StoreKind.allCases)
    func `terms are kept until they are forgotten, or the store is cleared`(kind: StoreKind) throws
    {
        let bench = try StoreBench(kind)
        try bench.write { try put($0) }
        #expect(try bench.write { try $0.terms() } == terms)
        try bench.write { try $0.removeAll() }
        #expect(try bench.write { try $0.terms() } == [:])
    }

    @Test func `terms outlive the program, of a file of the version before too`() throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        try OldSchema.make(configuration, at: Schema.version - 1)
        do {
            let store = try SQLiteStore(configuration)
            #expect(store.migratedFrom == Schema.version - 1)
            try store.transaction { transaction throws(StoreError) in try put(transaction) }
        }
        let found = try SQLiteStore(configuration).transaction { transaction throws(StoreError) in
            try transaction.terms()
        }
        #expect(found == terms)
    }

    @Test(arguments: [false, true])
    func `a rescue keeps the terms of the batches that it saves`(isDamaged: Bool) throws {
        let folder = TemporaryFolder()
        let configuration = StoreBench.configuration(in: folder)
        do {
            let store = try SQLiteStore(configuration)
            for number in Int64(1)...4 {
                try store.transaction { transaction throws(StoreError) in
                    try transaction.append(batch(number, set("a/\(number)")))
                    let found = terms[BatchID(number)]
                    if let found { try transaction.setTerms(found, of: BatchID(number)) }
                }
            }
            if isDamaged {
                try store.maintain("UPDATE sending_terms SET only = 'x' WHERE batch = 2")
            }
        }
        let salvage = Salvage(configuration.path, of: configuration.content)
        #expect(salvage.batches.map(\.batch.id.rawValue) == [1, 2, 3, 4])
        var expected = terms
        if isDamaged { expected[BatchID(2)] = nil }
        #expect(salvage.terms == expected)
        #expect(salvage.problems.contains { $0.contains("the terms of a batch") } == isDamaged)
        let other = TemporaryFolder()
        let restored = try SQLiteStore(StoreBench.configuration(in: other))
        let found = try restored.transaction {
            transaction throws(StoreError) -> [BatchID: SendingTerms] in
            guard let inner = transaction as? SQLiteTransaction else { return [:] }
            try configuration.content.restore(salvage, in: inner)
            return try inner.terms()
        }
        #expect(found == expected)
    }
}
