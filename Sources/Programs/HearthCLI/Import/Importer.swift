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

    /// What became of one batch.
    private struct Outcome: Sendable {
        let part: Range<Int>
        /// Why it was refused; `nil` if it was not.
        let refusal: FirestoreError?
    }

    /// Writes all records. After a refusal nothing more is sent, and what is on its way is waited for.
    ///
    /// - Parameter progress: Is told how many documents have come as far as wanted.
    /// - Returns: How many batches it took.
    /// - Throws: The refusal of the first batch that was refused, with how far the import came.
    func run(
        _ records: [ImportPlan.Record], progress: @escaping @Sendable (Int) -> Void
    ) async throws -> Int {
        let parts = pace.parts(of: records)
        var done = 0
        var refused: [Outcome] = []
        try await withThrowingTaskGroup(of: Outcome.self) { group in
            func take(_ outcome: Outcome) {
                if outcome.refusal == nil {
                    done += outcome.part.count
                } else {
                    refused.append(outcome)
                }
                progress(done)
            }
            for (index, part) in parts.enumerated() {
                if index >= pace.batchCountMax, let outcome = try await group.next() {
                    take(outcome)
                }
                if !refused.isEmpty { break }
                group.addTask { try await write(part) }
            }
            for try await outcome in group { take(outcome) }
        }
        let first = refused.min { $0.part.lowerBound < $1.part.lowerBound }
        if let first, let refusal = first.refusal {
            throw Self.refusal(refusal, of: first.part, done: done, records)
        }
        return parts.count
    }

    /// Why the import stopped, and how far it came.
    private static func refusal(
        _ error: FirestoreError, of part: Range<Int>, done: Int, _ records: [ImportPlan.Record]
    ) -> FirestoreError {
        let name = records[part.lowerBound].name.map { " (\($0))" } ?? ""
        let refused =
            part.count == 1
            ? "Document \(part.lowerBound + 1)\(name) was refused"
            : "Documents \(part.lowerBound + 1)\(name) to \(part.upperBound) were refused together"
        return FirestoreError(
            error.code,
            "\(error.message) \(refused). Before that, "
                + "\(Quantity.count(done, "document", "documents")) of \(records.count) had been "
                + "written; they stay.", mayHaveBeenApplied: error.mayHaveBeenApplied)
    }

    private func write(_ records: ArraySlice<ImportPlan.Record>) async throws -> Outcome {
        do {
            let batch = firestore.batch()
            for record in records {
                let document = try document(of: record)
                let data = try record.fields.encodedDocument(in: firestore)
                batch.setData(data, forDocument: document)
            }
            try await batch.commit(until: pace.stage)
            return Outcome(part: records.indices, refusal: nil)
        } catch let error as FirestoreError {
            return Outcome(part: records.indices, refusal: error)
        }
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
