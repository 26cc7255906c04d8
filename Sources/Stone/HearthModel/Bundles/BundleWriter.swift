/// Builds a bundle, the file that lets clients start with a full cache.
///
/// Shape: elements, each its byte count in decimal digits and then so many bytes of proto3 JSON:
/// `metadata`, then each `namedQuery`, then for each document its `documentMetadata` and, if it
/// exists, the `document`. Every reader accepts this order. Google's Python client accepts no other
/// order, and no documents that are missing.
///
/// - Source: `protos/firestore/bundle.proto` of firebase-js-sdk.
package struct BundleWriter: Sendable {
    /// The format's version that is written.
    package static let formatVersion: Int64 = 1

    private struct Entry {
        var document: Document
        var queries: [String]
    }

    private struct NamedQuery {
        let name: String
        let query: Query
        let readAt: SnapshotVersion
    }

    private let id: String
    private let createdAt: SnapshotVersion
    private let json: BundleValues
    private let database: DatabaseID
    private var entries: [Entry] = []
    private var places: [DocumentKey: Int] = [:]
    private var queries: [NamedQuery] = []

    /// Begins a bundle.
    ///
    /// - Parameters:
    ///   - id: The bundle's name. A client that has loaded a bundle of this name and age skips the
    ///     bundle.
    ///   - createdAt: The bundle's age.
    ///   - database: The database of every query and document in the bundle.
    package init(id: String, createdAt: SnapshotVersion, database: DatabaseID) {
        self.id = id
        self.createdAt = createdAt
        self.database = database
        json = BundleValues(database: database)
    }

    /// How many documents are in it.
    package var documentCount: Int { entries.count }

    /// Puts a query in, under a name. The caller puts the results in one by one.
    ///
    /// - Parameters:
    ///   - query: Of a collection or a group; no single document.
    ///   - readAt: The snapshot that the results come from; listeners resume there.
    /// - Returns: Whether the name was free; if not, nothing has changed.
    package mutating func add(_ query: Query, named name: String, readAt: SnapshotVersion) -> Bool {
        precondition(query.documentKey == nil, "A document is no query")
        guard !queries.contains(where: { utf8Equals($0.name, name) }) else { return false }
        queries.append(NamedQuery(name: name, query: query, readAt: readAt))
        return true
    }

    /// Puts a document in, as the backend knows it. Of two tellings the later read counts; the
    /// queries of both remain.
    ///
    /// - Parameters:
    ///   - document: Found or missing, without local writes, with the time of its reading.
    ///   - names: The queries whose result it belongs to.
    package mutating func add(_ document: Document, queries names: [String] = []) {
        precondition(
            (document.isFound || document.isMissing) && !document.hasPendingWrites,
            "\(document.key) is not what the backend knows")
        guard let place = places[document.key] else {
            places[document.key] = entries.count
            entries.append(Entry(document: document, queries: names))
            return
        }
        if entries[place].document.readAt <= document.readAt {
            entries[place].document = document
        }
        for name in names where !entries[place].queries.contains(where: { utf8Equals($0, name) }) {
            entries[place].queries.append(name)
        }
    }

    /// The whole file. O(n).
    package var bytes: [UInt8] {
        var elements: [UInt8] = []
        for query in queries { append(element(query), to: &elements) }
        for entry in entries {
            append(metadata(entry), to: &elements)
            if entry.document.isFound { append(element(entry.document), to: &elements) }
        }
        var bytes: [UInt8] = []
        append(head(byteCount: elements.count), to: &bytes)
        return bytes + elements
    }

    // MARK: Elements

    private func append(_ element: JSONValue, to bytes: inout [UInt8]) {
        let text = JSONWriter.bytes(of: element)
        bytes += "\(text.count)".utf8
        bytes += text
    }

    private func head(byteCount: Int) -> JSONValue {
        .object([
            "metadata": .object([
                "id": .string(id),
                "createTime": .string(createdAt.timestamp.description),
                "version": .integer(Self.formatVersion),
                "totalDocuments": .integer(Int64(entries.count)),
                "totalBytes": .string("\(byteCount)"),
            ])
        ])
    }

    private func element(_ query: NamedQuery) -> JSONValue {
        let structured = query.query.bundled
        let isLast = query.query.limit?.end == .last
        return .object([
            "namedQuery": .object([
                "name": .string(query.name),
                "bundledQuery": .object([
                    "parent": json.name(structured.parent),
                    "structuredQuery": json.query(structured),
                    "limitType": .string(isLast ? "LAST" : "FIRST"),
                ]),
                "readTime": .string(query.readAt.timestamp.description),
            ])
        ])
    }

    private func metadata(_ entry: Entry) -> JSONValue {
        .object([
            "documentMetadata": .object([
                "name": json.name(entry.document.key.path),
                "readTime": .string(entry.document.readAt.timestamp.description),
                "exists": .boolean(entry.document.isFound),
                "queries": .array(entry.queries.map { .string($0) }),
            ])
        ])
    }

    private func element(_ document: Document) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init(name: "name", value: json.name(document.key.path)),
            .init(name: "fields", value: json.fields(document.fields)),
        ]
        if document.createdAt != .zero {
            let time = document.createdAt.timestamp.description
            members.append(.init(name: "createTime", value: .string(time)))
        }
        let time = document.version.timestamp.description
        members.append(.init(name: "updateTime", value: .string(time)))
        return .object(["document": .object(members)])
    }
}

extension Query {
    /// The query as a bundle has it: the order as the user gave it, for a limit to the last too.
    ///
    /// Sort keys that the user did not give are written only where a cursor speaks of them.
    fileprivate var bundled: StructuredQuery {
        var query = self
        query.limit = limit.map { Limit($0.count) }
        let cursorCount = max(startAt?.position.count ?? 0, endAt?.position.count ?? 0)
        let needsAll = cursorCount > explicitOrderBys.count
        return (needsAll ? query.target : query.aggregateTarget).structuredQuery
    }
}
