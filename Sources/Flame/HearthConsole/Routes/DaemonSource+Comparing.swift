import Hearth
import HearthModel

/// The difference between the cache and the backend.
extension DaemonSource {
    /// What a query finds in the cache and in the backend, document by document.
    func compare(_ question: ConsoleQuestion) async throws -> JSONValue {
        let (firestore, id) = try daemon.firestore(question)
        let query = try QueryJSON.query(
            question.body?["query"], limitMax: ConsoleLimits.pageSizeMax, in: id)
        // The backend's answer brings the cache up to date, so the cache goes first.
        let cache = try await read(query, of: firestore, .cache)
        let backend = try await read(query, of: firestore, .server)
        let difference = QueryDifference(
            cache: cache.documents.compactMap(\.model),
            backend: backend.documents.compactMap(\.model))
        let pending = difference.entries.compactMap { ($0.cache ?? $0.backend) }
        let writers = try await Self.json(of: pending, isFromCache: true, firestore)
        return .members([
            "cache": Self.json(of: cache), "backend": Self.json(of: backend),
            "equalCount": .count(difference.equalCount),
            "differences": .array(
                zip(difference.entries, writers).map { Self.json(of: $0, writers: $1["writers"]) }),
            "hasMore": .boolean(cache.documents.count >= ConsoleLimits.pageSizeMax),
        ])
    }

    private static func json(of answer: QueryAnswer) -> JSONValue {
        .members([
            "count": .count(answer.documents.count), "durationSeconds": .seconds(answer.duration),
        ])
    }

    private static func json(of entry: QueryDifference.Entry, writers: JSONValue?) -> JSONValue {
        func json(_ document: Document?, isFromCache: Bool) -> JSONValue {
            document.map { DocumentJSON.json(of: $0.key, $0, isFromCache: isFromCache) } ?? .null
        }
        return .members([
            "path": .string(entry.key.path.string), "kind": .string(entry.kind.rawValue),
            "fields": .texts(entry.fields), "isPending": .boolean(entry.isPending),
            "writers": writers ?? .null, "cache": json(entry.cache, isFromCache: true),
            "backend": json(entry.backend, isFromCache: false),
        ])
    }
}
