import Hearth

/// Writes records in batches, several of them on their way at once.
struct Importer: Sendable {
    /// How `Importer` writes.
    struct Pace: Sendable {
        /// Documents in a batch. Firestore takes 500 at most.
        var documentCountMax = 500
        /// Bytes of a batch of several documents. Firestore takes requests of 10 MiB.
        var byteCountMax = 8 << 20
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
        let parts = pace.parts(of: records)
        var done = 0
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, part) in parts.enumerated() {
                if index >= pace.batchCountMax, let count = try await group.next() {
                    done += count
                    progress(done)
                }
                group.addTask { try await write(part) }
            }
            for try await count in group {
                done += count
                progress(done)
            }
        }
        return parts.count
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

extension Importer.Pace {
    /// Cuts records into batches, in their order. One that is too large is a batch by itself. O(values).
    func parts(of records: [ImportPlan.Record]) -> [ArraySlice<ImportPlan.Record>] {
        var parts: [ArraySlice<ImportPlan.Record>] = []
        var start = 0
        var byteCount = 0
        for (index, record) in records.enumerated() {
            // A document's whole name is 6 KiB at most.
            let size = record.fields.byteCountBound + (record.name?.utf8.count ?? 0) + 256
            let isFull = index - start == documentCountMax || byteCount + size > byteCountMax
            if index > start, isFull {
                parts.append(records[start..<index])
                (start, byteCount) = (index, 0)
            }
            byteCount += size
        }
        if start < records.count { parts.append(records[start...]) }
        return parts
    }
}
