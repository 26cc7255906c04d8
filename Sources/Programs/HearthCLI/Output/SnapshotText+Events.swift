import Hearth

extension SnapshotText {
    /// An object for each change, in the order of the changes: snapshot, type, path, oldIndex,
    /// newIndex, fields, isFromCache, hasPendingWrites.
    ///
    /// Before the changes is one of type rejected for each rejected write, with batch, error, code. A
    /// snapshot that tells only of isFromCache or hasPendingWrites is one object of type none.
    var events: [Report] {
        let told = changes.map(event)
        let nothing = event("none", nil).with("isFromCache", isFromCache)
            .with("hasPendingWrites", hasPendingWrites)
        return rejectedWrites.map(event) + (told.isEmpty ? [nothing] : told)
    }

    private func event(_ change: Change) -> Report {
        event(change.word, change).with("isFromCache", isFromCache)
            .with("hasPendingWrites", change.document.hasPendingWrites)
    }

    private func event(_ type: String, _ change: Change?) -> Report {
        let index = { (number: Int?) in number.map { ValueLiteral.integer(Int64($0)) } ?? .null }
        return Report().with("snapshot", number).with("type", type)
            .with("path", change?.document.path).with("oldIndex", index(change?.oldIndex))
            .with("newIndex", index(change?.newIndex))
            .with("fields", change?.document.fields ?? .null)
    }

    private func event(_ rejected: RejectedWrite) -> Report {
        Report().with("snapshot", number).with("type", "rejected")
            .with("batch", Int(rejected.batchID)).with("error", rejected.error.description)
            .with("code", rejected.error.code.rawValue)
    }

    /// The results as a table, in which a sign tells what changed.
    ///
    /// - Parameter lineCountMax: How many lines there may be.
    func table(on screen: Screen, lineCountMax: Int = .max) -> [String] {
        let head = Array(lines.prefix(1 + rejectedWrites.count))
        let room = max(1, lineCountMax - head.count - 3)
        let shown = Array(documents.prefix(room))
        let signs = signs
        let sign = Column<DocumentText>("") { signs[Array($0.path.utf8)] ?? " " }
        let table = ListFormat.table.lines(
            of: shown, in: [sign] + DocumentTable.columns(of: shown), on: screen)
        let hidden = documents.count - shown.count
        return head + table + (hidden > 0 ? ["and \(hidden) more"] : [])
    }
}

extension SnapshotText {
    /// Takes a document's snapshot for the snapshot of a query that has the document or nothing.
    ///
    /// - Parameter existed: Whether the document was there before.
    init(_ snapshot: DocumentSnapshot, number: Int, existed: Bool) {
        let text = DocumentText(snapshot)
        self.init(
            number: number, count: snapshot.exists ? 1 : 0, isFromCache: text.isFromCache,
            hasPendingWrites: text.hasPendingWrites, changes: Self.changes(text, existed: existed),
            documents: snapshot.exists ? [text] : [],
            rejectedWrites: snapshot.metadata.rejectedWrites)
    }

    /// How a document differs from before; nothing if it was not there and is not there.
    static func changes(_ text: DocumentText, existed: Bool) -> [Change] {
        let exists = text.fields != nil
        guard existed || exists else { return [] }
        let type: DocumentChangeType = !existed ? .added : exists ? .modified : .removed
        return [
            Change(
                type: type, document: text, oldIndex: existed ? 0 : nil, newIndex: exists ? 0 : nil)
        ]
    }
}
