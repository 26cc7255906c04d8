import HearthModel

/// What a transaction has read and written, and so under which conditions its writes hold.
///
/// Asks nobody. The first write of a document that was read holds only if the document is still as
/// it was; what was only read is verified.
///
/// - Source: firebase-js-sdk `core/transaction`.
struct TransactionState: Sendable {
    /// The version that was read; `nil` if the document was missing.
    private var readVersions: [DocumentKey: SnapshotVersion?] = [:]
    private var order: [DocumentKey] = []
    private var written: Set<DocumentKey> = []
    private var mutations: [Mutation] = []
    private var error: FirestoreError?
    private var isOver = false

    /// A document is about to be read.
    func checkRead() throws(FirestoreError) {
        try checkOpen()
        guard mutations.isEmpty else {
            throw FirestoreError(
                .invalidArgument, "A transaction must read all documents before it writes any.")
        }
    }

    /// A document was read.
    ///
    /// - Throws: `aborted` if it was read before and has changed since.
    mutating func noteRead(_ document: Document) throws(FirestoreError) {
        let version = document.isFound ? document.version : nil
        if let earlier = readVersions[document.key] {
            guard earlier == version else {
                throw FirestoreError(
                    .aborted, "\"\(document.key)\" changed between two reads of a transaction.")
            }
            return
        }
        readVersions[document.key] = .some(version)
        order.append(document.key)
    }

    /// Adds a write, or remembers why it cannot be added.
    mutating func write(_ mutation: Result<Mutation, FirestoreError>) {
        do throws(FirestoreError) {
            try checkOpen()
            mutations.append(try bound(try mutation.get()))
        } catch {
            self.error = self.error ?? error
        }
    }

    /// The transaction is to be committed; it takes nothing more.
    ///
    /// - Returns: The writes, and a verification of each document that was only read.
    mutating func finish() throws(FirestoreError) -> [Mutation] {
        try checkOpen()
        isOver = true
        if let error { throw error }
        let verified = order.filter { !written.contains($0) }.map { key in
            Mutation(key: key, kind: .verify, precondition: precondition(of: key) ?? .none)
        }
        return mutations + verified
    }

    /// The function of the transaction has failed.
    mutating func abandon() { isOver = true }

    private func checkOpen() throws(FirestoreError) {
        guard !isOver else {
            throw FirestoreError(
                .failedPrecondition, "The transaction is over; use it only inside its function.")
        }
    }

    /// The write, made to hold only if what was read has not changed.
    private mutating func bound(_ mutation: Mutation) throws(FirestoreError) -> Mutation {
        let isFirst = written.insert(mutation.key).inserted
        guard isFirst, let precondition = precondition(of: mutation.key) else { return mutation }
        if precondition == .exists(false), mutation.precondition == .exists(true) {
            throw FirestoreError(
                .invalidArgument,
                "\"\(mutation.key)\" does not exist, so it cannot be updated; set it.")
        }
        return Mutation(
            key: mutation.key, kind: mutation.kind, precondition: precondition,
            transforms: mutation.transforms)
    }

    /// What was read of a document; `nil` if it was not read.
    private func precondition(of key: DocumentKey) -> Precondition? {
        readVersions[key].map { version in version.map { .updateTime($0) } ?? .exists(false) }
    }
}
