import HearthModel

/// The reads and writes of a transaction, and the preconditions that follow from the reads.
///
/// The state only keeps account; `Transaction` asks the daemon. The first write of a document that
/// was read gets a precondition: the document must still be as it was read. A document that was
/// only read gets a verification.
///
/// - Source: firebase-js-sdk `core/transaction`.
struct TransactionState: Sendable {
    /// The version of each document that was read; `nil` if the document was missing.
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
    /// - Throws: `aborted` if the document was read before and has changed since.
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

    /// Adds a write, or remembers the error why the write cannot be added.
    mutating func write(_ mutation: Result<Mutation, FirestoreError>) {
        do throws(FirestoreError) {
            try checkOpen()
            mutations.append(try bound(try mutation.get()))
        } catch {
            self.error = self.error ?? error
        }
    }

    /// Closes the transaction for the commit.
    ///
    /// - Returns: The writes, and a verification of each document that was only read.
    /// - Throws: The first error of a write that could not be added.
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

    /// The write, with the precondition that the document has not changed since the read.
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

    /// The precondition that a read of the document demands; `nil` if the document was not read.
    private func precondition(of key: DocumentKey) -> HearthModel.Precondition? {
        readVersions[key].map { version in version.map { .updateTime($0) } ?? .exists(false) }
    }
}
