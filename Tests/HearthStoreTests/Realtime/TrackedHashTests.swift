import HearthEngine
import HearthModel
import HearthRealtime
import Testing

@testable import HearthSQLite
@testable import HearthStore

/// The hashes of tracked queries: no hash outlives a change of its data.
struct TrackedHashTests {
    private let bench: RealtimeBench

    init() throws {
        bench = try RealtimeBench()
    }

    private let hash: ListenHash = {
        let children = (0..<200).map {
            (ChildKey(unchecked: "k\($0)"), Node(.string("text \($0)"), priority: .integer(1)))
        }
        return ListenHash(of: Node(children: children, priority: .string("p")))
    }()

    private func query(_ id: Int64, _ path: RealtimePath) -> TrackedQuery {
        TrackedQuery(
            id: TrackedQueryID(id), target: ListenTarget(path, .all),
            lastUse: Timestamp(seconds: 1, nanoseconds: 0), isComplete: true)
    }

    /// Remembers queries with hashes.
    private func track(_ paths: [RealtimePath]) throws {
        try bench.write { transaction in
            for (number, path) in paths.enumerated() {
                let query = query(Int64(number + 1), path)
                try transaction.setTrackedQuery(query)
                try transaction.setHash(hash, of: query)
            }
        }
    }

    /// Which of so many queries have hashes.
    private func hashed(_ count: Int, in store: RealtimeSQLiteStore? = nil) throws -> [Int64] {
        try (store ?? bench.store).turnAlone { transaction in
            try (1...Int64(count)).filter { try transaction.hash(of: TrackedQueryID($0)) != nil }
        }
    }

    @Test func `a hash is given back as it was, also after its query is used`() throws {
        try track(["rooms"])
        #expect(hash.ranges?.posts.isEmpty == false)
        try bench.write { transaction in
            var query = query(1, "rooms")
            query.isActive = true
            try transaction.setTrackedQuery(query)
        }
        let found = try bench.write { try $0.hash(of: TrackedQueryID(1)) }
        let (store, folder) = try RealtimeBench.crashed(bench.folder)
        let kept = try store.turnAlone { try $0.hash(of: TrackedQueryID(1)) }
        #expect(found == hash && kept == hash)
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: [false, true])
    func `a change forgets the hashes of what it is part of, and no others`(
        isReopened: Bool
    ) throws {
        let places: [RealtimePath] = ["/", "a", "a/b", "a/b/c", "a/b/c/d", "a/x", "b"]
        try track(places)
        let (copy, folder) = try RealtimeBench.crashed(bench.folder)
        let store = isReopened ? copy : bench.store
        try store.set(WritePath("a/b"), Node(.integer(1)))
        #expect(try hashed(places.count, in: store) == [6, 7])
        try store.set(WritePath("a/x", isPriority: true), Node(.integer(1)))
        #expect(try hashed(places.count, in: store) == [7])
        withExtendedLifetime(folder) {}
    }

    @Test func `what is forgotten of the cache loses its hash, and what is kept does not`() throws {
        try track(["a", "a/b", "a/b/c", "a/x"])
        try bench.write { try $0.pruneServerNode(at: "a", except: ["a/b"]) }
        #expect(try hashed(4) == [2, 3])
        try bench.write { try $0.removeTrackedQuery(TrackedQueryID(2)) }
        #expect(try hashed(4) == [3])
        try bench.write { try $0.setServerNode(Node(.integer(1)), at: WritePath("a/b/c/d")) }
        #expect(try hashed(4) == [])
    }

    @Test func `a text that is no hash is none`() {
        #expect(HashText.hash(from: HashText.text(of: hash)) == hash)
        let short = ListenHash(simple: "x", ranges: nil)
        #expect(HashText.hash(from: HashText.text(of: short)) == short)
        for text in ["", "{}", "x", #"{"h":1}"#, #"{"h":"x","hs":["a"],"ps":["a","b"]}"#] {
            #expect(HashText.hash(from: text) == nil)
        }
    }
}
