import Hearth

/// A snapshot of a query as `listen` prints it.
struct SnapshotText {
    /// One document that changed.
    struct Change {
        let type: DocumentChangeType
        let document: DocumentText
        let oldIndex: Int?
        let newIndex: Int?
    }

    /// Its number, from 1.
    let number: Int
    /// How many results there are.
    let count: Int
    /// Whether the backend may know better.
    let isFromCache: Bool
    /// Whether it contains writes that the backend has not confirmed.
    let hasPendingWrites: Bool
    /// What changed.
    let changes: [Change]
    /// All results, in their order.
    let documents: [DocumentText]
    /// The writes rejected since the last snapshot; this snapshot has undone the writes.
    var rejectedWrites: [RejectedWrite] = []
}

extension SnapshotText {
    /// Takes what is printed of a snapshot.
    ///
    /// - Parameter withMetadata: Whether documents count as modified of which only `hasPendingWrites`
    ///   changed.
    init(_ snapshot: QuerySnapshot, number: Int, withMetadata: Bool) {
        self.number = number
        count = snapshot.count
        isFromCache = snapshot.metadata.isFromCache
        hasPendingWrites = snapshot.metadata.hasPendingWrites
        documents = snapshot.documents.map { DocumentText($0) }
        rejectedWrites = snapshot.metadata.rejectedWrites
        changes = snapshot.documentChanges(includeMetadataChanges: withMetadata).map {
            Change(
                type: $0.type, document: DocumentText($0.document), oldIndex: $0.oldIndex,
                newIndex: $0.newIndex)
        }
    }

    /// One line of JSON: snapshot, count, isFromCache, hasPendingWrites, changes; in each change
    /// type, path, oldIndex, newIndex, hasPendingWrites, fields; and rejectedWrites, if there are any.
    var report: Report {
        Report().with("snapshot", number).with("count", count).with("isFromCache", isFromCache)
            .with("hasPendingWrites", hasPendingWrites)
            .with("changes", .array(changes.map(\.report.value)))
            .with(rejectedWrites)
    }

    /// A headline, and a line for each change.
    var lines: [String] {
        let remarks = DocumentText.remarks(
            isFromCache: isFromCache, hasPendingWrites: hasPendingWrites)
        let noun = count == 1 ? "document" : "documents"
        return ["snapshot \(number): \(count) \(noun)\(remarks)"] + rejectedWrites.lines
            + changes.map(\.line)
    }

    /// The signs of the changed documents, by the bytes of their paths.
    var signs: [[UInt8]: String] {
        Dictionary(changes.map { (Array($0.document.path.utf8), $0.sign) }) { $1 }
    }

    /// The whole result for a terminal, as many lines as it has, with signs where something changed.
    func screen(lineCountMax: Int) -> [String] {
        let head = Array(lines.prefix(1 + min(rejectedWrites.count, 3)))
        let signs = signs
        let room = max(1, lineCountMax - 1 - head.count)
        let shown = documents.prefix(documents.count > room ? room - 1 : room).map {
            "  \(signs[Array($0.path.utf8)] ?? " ") \($0.line)"
        }
        let hidden = documents.count - shown.count
        return head + shown + (hidden > 0 ? ["    and \(hidden) more"] : [])
    }
}

extension SnapshotText.Change {
    /// The sign before a line.
    var sign: String { names.sign }

    /// What JSON calls the type.
    var word: String { names.word }

    /// What `report` calls the type, and the sign before a line.
    private var names: (word: String, sign: String) {
        switch type {
        case .added: ("added", "+")
        case .modified: ("modified", "~")
        case .removed: ("removed", "-")
        }
    }

    /// The change as JSON.
    var report: Report {
        Report().with("type", names.word).with("path", document.path)
            .with("oldIndex", oldIndex.map { .integer(Int64($0)) } ?? .null)
            .with("newIndex", newIndex.map { .integer(Int64($0)) } ?? .null)
            .with("hasPendingWrites", document.hasPendingWrites)
            .with("fields", document.fields ?? .null)
    }

    /// The change for people; of a removed document only the path.
    var line: String {
        type == .removed ? "  - \(document.path)" : "  \(names.sign) \(document.line)"
    }
}
