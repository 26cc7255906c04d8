import Hearth
import HearthModel

/// Documents that are shown while they change.
extension DaemonSource {
    /// Tells the documents of a query, and then each change.
    func runDocuments(_ question: ConsoleQuestion, _ outlet: EventOutlet) async throws {
        let (firestore, id) = try daemon.firestore(question)
        let query = try QueryJSON.query(
            try question.json("query"), limitMax: ConsoleLimits.pageSizeMax, in: id)
        var isFirst = true
        for try await snapshot in firestore.query(query).snapshots(includeMetadataChanges: true) {
            let json = try await Self.json(of: snapshot, isWhole: isFirst, firestore)
            guard await outlet.send("documents", JSONWriter.bytes(of: json)) else { return }
            isFirst = false
        }
    }

    private static func json(
        of snapshot: QuerySnapshot, isWhole: Bool, _ firestore: Firestore
    ) async throws -> JSONValue {
        let changes = snapshot.documentChanges(includeMetadataChanges: true)
        let present = snapshot.documents
        let removed = changes.filter { $0.type == .removed }.map(\.document.reference.path)
        let changed =
            isWhole ? present : changes.filter { $0.type != .removed }.map(\.document)
        let isMoved = changes.contains { $0.type != .removed && $0.oldIndex != $0.newIndex }
        let metadata = snapshot.metadata
        return .members([
            "documents": .array(
                try await json(
                    of: changed.compactMap(\.model), isFromCache: metadata.isFromCache, firestore)),
            "order": isMoved && !isWhole ? .texts(present.map(\.reference.path)) : .null,
            "removed": .texts(isWhole ? [] : removed), "isWhole": .boolean(isWhole),
            "isFromCache": .boolean(metadata.isFromCache),
            "hasPendingWrites": .boolean(metadata.hasPendingWrites),
            "rejectedWrites": .array(metadata.rejectedWrites.map(json(of:))),
        ])
    }

    private static func json(of write: Hearth.RejectedWrite) -> JSONValue {
        .members([
            "batch": .integer(write.batchID),
            "error": .fault(told(write.error.code, write.error.message)),
        ])
    }

    /// Tells one document, and then each change of it.
    func runDocument(_ question: ConsoleQuestion, _ outlet: EventOutlet) async throws {
        let (firestore, id) = try daemon.firestore(question)
        let key = try MutationJSON.key(try question.needed("path"), in: id)
        let reference = firestore.document(key.path.string)
        for try await snapshot in reference.snapshots(includeMetadataChanges: true) {
            let batches =
                snapshot.metadata.hasPendingWrites
                ? try await Self.unlessDenied { try await reference.describe().pendingBatches } : []
            let now = Hearth.Timestamp()
            let json = DocumentJSON.json(
                of: key, snapshot.model, isFromCache: snapshot.metadata.isFromCache,
                writers: batches
            ).adding(
                "pending",
                batches.map { .array($0.map { BatchJSON.json(of: $0, nil, now: now) }) } ?? .null)
            guard await outlet.send("document", JSONWriter.bytes(of: json)) else { return }
        }
    }
}
