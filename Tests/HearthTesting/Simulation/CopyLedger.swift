import HearthFirestore
import HearthModel

/// What became of the copies of marked batches.
///
/// The backend may take each batch once, and the batches of one queue in their order: otherwise an
/// older batch would undo a newer one.
struct CopyLedger {
    /// A batch as it comes to the backend, perhaps not for the first time.
    struct Copy: Hashable, Sendable {
        let client: Int
        /// Whose queue the batch is from.
        let user: UserID
        let batch: BatchID
        /// Whether the stream that carried the copy was lost before the copy landed.
        var isLate = false
    }

    /// Which write a mark belongs to.
    struct Mark: Sendable {
        let number: Int
        let copy: Copy
    }

    private struct Queue: Hashable {
        let client: Int
        let user: UserID
    }

    private struct Name: Hashable {
        let client: Int
        let batch: BatchID
    }

    private var marks: [DocumentKey: Mark] = [:]
    private var applied: Set<Name> = []
    /// The newest batch that the backend has taken from each queue.
    private var newest: [Queue: BatchID] = [:]
    /// The batches that a daemon has called refused, and whether the daemon was in doubt.
    private var refused: [Name: Bool] = [:]

    /// Whether the backend has taken a batch.
    func isApplied(_ batch: BatchID, of client: Int) -> Bool {
        applied.contains(Name(client: client, batch: batch))
    }

    /// Whether a daemon has called a batch refused.
    func isRefused(_ batch: BatchID, of client: Int) -> Bool {
        refused[Name(client: client, batch: batch)] != nil
    }

    /// Which write a document marks.
    func mark(_ key: DocumentKey) -> Mark? { marks[key] }

    /// A daemon sends a batch of a write with a mark.
    mutating func sent(_ mutations: [Mutation], of number: Int, _ copy: Copy) {
        guard let key = mutations.first?.key, key.collection == Scenery.marks else { return }
        marks[key] = Mark(number: number, copy: copy)
    }

    // MARK: What happens; each returns what must not have.

    /// The backend takes a copy.
    mutating func take(_ copy: Copy) -> String? {
        let name = Name(client: copy.client, batch: copy.batch)
        let queue = Queue(client: copy.client, user: copy.user)
        let text = "batch \(copy.batch) of client \(copy.client)"
        let isSecond = !applied.insert(name).inserted
        // Newer batches go on once a daemon has given a batch up in doubt.
        if let isInDoubt = refused[name] {
            return isInDoubt && !isSecond ? nil : "\(text) is applied after it was refused"
        }
        let last = newest[queue] ?? .none
        newest[queue] = max(last, copy.batch)
        if copy.batch < last {
            let again = isSecond ? " again" : ""
            return "\(text) is applied\(again) over batch \(last), which came behind it"
        }
        return isSecond ? "\(text) is applied twice" : nil
    }

    /// A daemon calls a batch refused. A daemon in doubt has looked for the batch's mark before.
    mutating func refuse(_ batch: BatchID, of client: Int, isInDoubt: Bool) -> String? {
        let name = Name(client: client, batch: batch)
        guard refused[name] == nil else { return nil }
        refused[name] = isInDoubt
        return applied.contains(name)
            ? "batch \(batch) is called refused, and the backend has applied it" : nil
    }
}
