import HearthFirestore
import HearthModel
import Testing

struct RemoteDocumentTests {
    @Test(arguments: StoreKind.allCases)
    func `a document comes back as it was stored`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        var written = found("rooms/hall", everyValue, at: 5)
        written.markCommittedMutations()
        try bench.write { try $0.setRemoteDocument(written) }
        let read = try bench.write { try $0.remoteDocument(key("rooms/hall")) }
        #expect(read == written)
        #expect(read.fields == everyValue)
        #expect(read.readAt == written.readAt)
        #expect(read.createdAt == written.createdAt)
    }

    @Test(arguments: StoreKind.allCases)
    func `versions keep every digit`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let exact = SnapshotVersion(Timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_999))
        var gone = Document.missing(key("a/b"), at: exact)
        gone.readAt = exact
        var here = Document.found(key("a/c"), at: exact, [:], createdAt: exact)
        here.readAt = exact
        try bench.write {
            try $0.setRemoteDocument(gone)
            try $0.setRemoteDocument(here)
        }
        let read = try bench.write { try $0.remoteDocuments([key("a/b"), key("a/c")]) }
        for document in read.values {
            #expect(document.version == exact)
            #expect(document.readAt == exact)
        }
        #expect(read[key("a/c")]?.createdAt == exact)
    }

    @Test(arguments: StoreKind.allCases)
    func `what is not known is invalid, and asked for by many keys it is there`(kind: StoreKind)
        throws
    {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.setRemoteDocument(found("a/1"))
            try $0.setRemoteDocument(missing("a/2"))
            try $0.setRemoteDocument(unknown("a/3"))
        }
        let keys = [key("a/1"), key("a/2"), key("a/3"), key("a/4"), key("z/1")]
        let read = try bench.write { try $0.remoteDocuments(keys) }
        #expect(read.count == 5)
        #expect(read[key("a/1")]?.isFound == true)
        #expect(read[key("a/2")]?.isMissing == true)
        #expect(read[key("a/3")]?.isUnknown == true)
        #expect(read[key("a/3")]?.hasCommittedMutations == true)
        #expect(read[key("a/4")]?.isValid == false)
        #expect(read[key("z/1")]?.isValid == false)
    }

    @Test(arguments: StoreKind.allCases)
    func `a later revision replaces the earlier one`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        for number in 1...5 {
            try bench.write {
                try $0.setRemoteDocument(
                    found("a/b", ["n": .integer(Int64(number))], at: Int64(number)))
            }
        }
        try bench.write { try $0.setRemoteDocument(missing("a/b", at: 6)) }
        let (read, scan) = try bench.write {
            (
                try $0.remoteDocument(key("a/b")),
                try $0.remoteDocuments(DocumentScan(query: Query(path: path("a"))))
            )
        }
        #expect(read == missing("a/b", at: 6))
        #expect(scan.documents.isEmpty)
        #expect(scan.scannedCount <= 1)
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed document is as if never known`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.write { try $0.setRemoteDocument(found("a/b")) }
        try bench.write {
            try $0.removeRemoteDocument(key("a/b"))
            try $0.removeRemoteDocument(key("never/was"))
        }
        let (read, scan, count) = try bench.write {
            (
                try $0.remoteDocument(key("a/b")),
                try $0.remoteDocuments(DocumentScan(query: Query(path: path("a")))),
                try $0.collectableCount()
            )
        }
        #expect(!read.isValid)
        #expect(scan.documents.isEmpty)
        #expect(count == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func `names that look equal but are other bytes are other documents`(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let names = ["caf\u{e9}/\u{e9}", "caf\u{e9}/e\u{301}", "cafe\u{301}/\u{e9}"]
        try bench.write {
            for (index, name) in names.enumerated() {
                try $0.setRemoteDocument(found(name, ["i": .integer(Int64(index))]))
            }
        }
        for (index, name) in names.enumerated() {
            let read = try bench.write { try $0.remoteDocument(key(name)) }
            #expect(read.fields["i"] == .integer(Int64(index)))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a group's collections are those that hold documents or pending writes, or did lately`(
        kind: StoreKind
    ) throws {
        let bench = try StoreBench(kind)
        try bench.write {
            try $0.setRemoteDocument(found("posts/1"))
            try $0.setRemoteDocument(found("users/a/posts/1"))
            try $0.setRemoteDocument(found("users/b/other/1"))
            try $0.append(batch(1, set("users/__id7__/posts/9")))
        }
        try bench.write {
            try $0.removeRemoteDocument(key("posts/1"))
            try $0.removeBatch(BatchID(1), of: .unauthenticated)
        }
        let collections = try bench.write { try $0.collections(inGroup: "posts") }
        #expect(collections.contains(path("users/a/posts")))
        #expect(
            Set(collections).isSubset(
                of: [path("posts"), path("users/__id7__/posts"), path("users/a/posts")]))
        #expect(try bench.write { try $0.collections(inGroup: "nothing") }.isEmpty)
    }
}
