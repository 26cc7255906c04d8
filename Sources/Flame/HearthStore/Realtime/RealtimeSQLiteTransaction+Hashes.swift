package import HearthEngine
package import HearthModel
package import HearthRealtime
import HearthSQLite

/// The hashes of tracked queries' results, in the table `tracked_queries`.
///
/// A change of the cached tree forgets the hashes of all that it is part of, in the same
/// transaction and again when the intake log is taken up: a hash is never of anything else.
extension RealtimeSQLiteTransaction {
    package func hash(of query: TrackedQueryID) throws(StoreError) -> ListenHash? {
        let statement = try connection.statement("SELECT hash FROM tracked_queries WHERE id = ?")
        let text = try statement.bind(query.rawValue).first { $0.text(0) }
        return text.flatMap { $0 }.flatMap(HashText.hash)
    }

    package func isHashed(_ query: TrackedQuery) throws(StoreError) -> Bool {
        try hashedQueries().contains(query.id, at: query.target.path)
    }

    /// Not told in the intake log, since it is rare: the commit of its group lasts.
    package func setHash(_ hash: ListenHash, of query: TrackedQuery) throws(StoreError) {
        var hashed = try hashedQueries()
        try connection.statement("UPDATE tracked_queries SET hash = ? WHERE id = ?")
            .bind(HashText.text(of: hash), query.id.rawValue).run()
        hashed.insert(query.id, at: query.target.path)
        memory.hashed = hashed
    }

    /// Forgets the hashes of all data around a changed place, except at some places and below.
    func forgetHashes(
        touching path: RealtimePath, except kept: [RealtimePath] = []
    ) throws(StoreError) {
        var hashed = try hashedQueries()
        let ids = hashed.take(touching: path, except: kept)
        if !ids.isEmpty {
            let statement = try connection.statement(
                "UPDATE tracked_queries SET hash = NULL WHERE id = ?")
            for id in ids { try statement.bind(id.rawValue).run() }
        }
        memory.hashed = hashed
    }

    private func hashedQueries() throws(StoreError) -> HashedQueries {
        if let hashed = memory.hashed { return hashed }
        var hashed = HashedQueries()
        let statement = try connection.statement(
            "SELECT id, place FROM tracked_queries WHERE hash IS NOT NULL")
        try statement.forEach { row throws(StoreError) in
            let path = try row.withBytes(1) { bytes throws(StoreError) in
                try PlaceBytes.path(from: bytes)
            }
            hashed.insert(TrackedQueryID(row.int(0)), at: path)
        }
        memory.hashed = hashed
        return hashed
    }
}

/// A hash as a text: an object with the members of a listen of the service's protocol.
enum HashText {
    /// The text of a hash.
    static func text(of hash: ListenHash) -> String {
        var members = [JSONValue.Member(name: "h", value: .string(hash.simple))]
        if let ranges = hash.ranges {
            let posts = ranges.posts.map { JSONValue.string($0.bareText) }
            members.append(.init(name: "hs", value: .array(ranges.hashes.map(JSONValue.string))))
            members.append(.init(name: "ps", value: .array(posts)))
        }
        return String(decoding: JSONWriter.bytes(of: .object(members)), as: UTF8.self)
    }

    /// Reads the text of a hash; `nil` if it is none. A hash can be computed again.
    static func hash(from text: String) -> ListenHash? {
        guard let value = try? JSONReader.read(Array(text.utf8)),
            let simple = value["h"]?.string
        else { return nil }
        guard let hashes = value["hs"]?.elements, let posts = value["ps"]?.elements else {
            return ListenHash(simple: simple, ranges: nil)
        }
        let paths = posts.compactMap { $0.string.flatMap(NodeRange.edge) }
        let texts = hashes.compactMap(\.string)
        guard paths.count == posts.count, texts.count == hashes.count,
            let ranges = CompoundHash(posts: paths, hashes: texts)
        else { return nil }
        return ListenHash(simple: simple, ranges: ranges)
    }
}
