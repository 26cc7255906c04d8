import Hearth

/// A waiting, rejected or cancelled batch, in the form that `queue` prints.
struct BatchText {
    /// The batch.
    let batch: PendingBatch
    /// Why and when the batch was rejected; `nil` if not rejected.
    let letter: DeadLetter?
    /// The present moment.
    let now: Timestamp

    /// A waiting batch.
    init(_ batch: PendingBatch, now: Timestamp) {
        self.batch = batch
        letter = nil
        self.now = now
    }

    /// A rejected batch.
    init(_ letter: DeadLetter, now: Timestamp) {
        batch = letter.batch
        self.letter = letter
        self.now = now
    }

    /// The fields of `report`; `--where` picks batches by these fields.
    static let fields = [
        "batch", "state", "writtenAt", "ageSeconds", "bytes", "user", "heldBy", "expiresAt",
        "isOnlineOnly", "preconditions", "uid", "gid", "pid", "unit", "program", "documents",
        "rejectedAt", "error", "code", "cause",
        "mayHaveBeenApplied",
    ]

    /// One line of JSON, whose fields the help of `queue` names.
    var report: Report {
        let report = Report().with("batch", Int(batch.id)).with("state", state)
            .with("writtenAt", batch.writtenAt.description)
            .with("ageSeconds", Int(batch.writtenAt.age(at: now).components.seconds))
            .with("bytes", batch.byteCount).with("user", batch.user)
            .with("heldBy", batch.heldBy.map { .integer($0) } ?? ValueLiteral.null)
            .with("expiresAt", batch.expiresAt?.description)
            .with("isOnlineOnly", batch.isOnlineOnly)
            .with("preconditions", .array(batch.preconditions.map(Self.literal)))
            .with(batch.writer)
            .with("documents", .array(batch.documentPaths.map(ValueLiteral.string)))
        guard let letter else { return report }
        return report.with("rejectedAt", letter.rejectedAt.description)
            .with("error", letter.error.description).with("code", letter.error.code.rawValue)
            .with("cause", letter.error.codeName)
            .with("mayHaveBeenApplied", letter.error.mayHaveBeenApplied)
    }

    /// The same with the batch's writes.
    func report(of writes: [ValueLiteral]) -> Report {
        report.with("writes", .array(writes))
    }

    /// One line for people.
    var line: String {
        let age = Quantity.duration(batch.writtenAt.age(at: now))
        let error = letter.map { ": \($0.error)".oneLine } ?? ""
        let held = batch.heldBy.map { " behind held \($0)" } ?? ""
        let user = batch.user.isEmpty ? "" : " for \(batch.user)"
        return
            "\(batch.id)  \(fate)\(user)\(held)  \(age)  \(Quantity.bytes(batch.byteCount))  \(batch.writer.line)  "
            + (terms.map { "\($0)  " } ?? "") + "\(documents)\(error)"
    }

    /// A precondition as an object: document, and exists or updateTime.
    private static func literal(_ condition: PendingBatch.Precondition) -> ValueLiteral {
        let report = Report().with("document", condition.documentPath)
        switch condition.demand {
        case .exists(let exists): return report.with("exists", exists).value
        case .lastUpdateTime(let time): return report.with("updateTime", time.description).value
        }
    }

    /// The word for how far the batch has come.
    var state: String {
        // The backend never rejects a write for good with this code; administrators cancel.
        if let letter { return letter.error.code == .cancelled ? "cancelled" : "rejected" }
        switch batch.state {
        case .queued: return "queued"
        case .held: return "held"
        case .sentUnanswered: return "sent"
        }
    }

    /// The state, and whether the batch is in doubt all the same.
    var fate: String { isInDoubt ? "\(state), in doubt" : state }

    /// Whether the backend may have applied the rejected batch.
    var isInDoubt: Bool { letter?.error.mayHaveBeenApplied ?? false }

    /// What "in doubt" means, for people.
    static let doubtNote =
        "in doubt: the batch may have been applied, for a connection ended while the batch was on the "
        + "way. The error is the answer to a later copy, or there was none. Look at the documents "
        + "before a retry."

    /// The first documents, and how many more there are.
    var documents: String {
        let shown = batch.documentPaths.prefix(3).joined(separator: " ")
        let rest = batch.documentPaths.count - 3
        return rest > 0 ? "\(shown) and \(rest) more" : shown
    }
}

extension FirestoreError {
    /// The code as gRPC spells it, such as `PERMISSION_DENIED`.
    var codeName: String { String(description.prefix { $0 != ":" }) }
}
