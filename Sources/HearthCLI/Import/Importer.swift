import Hearth

/// Writes records in batches, several of them on their way at once.
struct Importer: Sendable {
    /// How `Importer` writes.
    struct Pace: Sendable {
        /// Documents in a batch. Firestore takes 500 at most.
        var documentCountMax = 500
        /// Batches without an answer.
        var batchCountMax = 4
        /// How long a batch is waited for.
        var stage = WriteStage.accepted
    }

    /// The database.
    let firestore: Firestore
    /// Where the documents go; `nil` if each has a path of its own.
    let collection: CollectionReference?
    /// How.
    let pace: Pace

    /// Writes all records.
    ///
    /// - Parameter progress: Is told how many documents have come as far as wanted.
    /// - Returns: How many batches it took.
    func run(
        _ records: [ImportPlan.Record], progress: @Sendable (Int) -> Void
    ) async throws -> Int {
        let starts = Array(stride(from: 0, to: records.count, by: pace.documentCountMax))
        var done = 0
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, start) in starts.enumerated() {
                if index >= pace.batchCountMax, let count = try await group.next() {
                    done += count
                    progress(done)
                }
                let part = records[start..<min(start + pace.documentCountMax, records.count)]
                group.addTask { try await write(part) }
            }
            for try await count in group {
                done += count
                progress(done)
            }
        }
        return starts.count
    }

    private func write(_ records: ArraySlice<ImportPlan.Record>) async throws -> Int {
        let batch = firestore.batch()
        for record in records {
            let document = try document(of: record)
            let data = try record.fields.encodedDocument(in: firestore)
            batch.setData(data, forDocument: document)
        }
        try await batch.commit(until: pace.stage)
        return records.count
    }

    private func document(of record: ImportPlan.Record) throws -> DocumentReference {
        switch (collection, record.name) {
        case (let collection?, let name?): collection.document(name)
        case (let collection?, nil): collection.document()
        case (nil, let path?): try firestore.validatedDocument(path)
        case (nil, nil): preconditionFailure("A record without a path needs a collection")
        }
    }
}
