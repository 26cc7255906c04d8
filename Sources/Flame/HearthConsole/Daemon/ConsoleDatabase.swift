import Hearth
import HearthModel

/// A database of either kind, as the console looks after it.
protocol ConsoleDatabase: DaemonDatabase {
    /// A write of a batch as JSON.
    func json(of write: BatchWrite) throws -> JSONValue

    /// The writes that a page sends for a batch.
    func batchWrites(_ json: JSONValue?) throws -> [BatchWrite]
}

/// The batches of a database with their writes as JSON.
extension ConsoleDatabase {
    /// The writes of a batch that waits.
    func shownBatch(_ id: Int64) async throws -> (PendingBatch, JSONValue) {
        let (batch, writes) = try await pendingBatch(id)
        return (batch, .array(try writes.map { try json(of: $0) }))
    }

    /// The writes of a batch that was rejected.
    func shownLetter(_ id: Int64) async throws -> (DeadLetter, JSONValue) {
        let (letter, writes) = try await deadLetter(id)
        return (letter, .array(try writes.map { try json(of: $0) }))
    }

    /// Replaces what a batch writes.
    func edit(_ id: Int64, to json: JSONValue?) async throws {
        try await editPendingBatch(id, writes: try batchWrites(json))
    }

    /// Queues a rejected batch with other writes.
    ///
    /// - Returns: Its new number.
    func editLetter(_ id: Int64, to json: JSONValue?, evenIfApplied: Bool) async throws -> Int64 {
        try await editDeadLetter(
            id, writes: try batchWrites(json), evenIfApplied: evenIfApplied)
    }
}

extension Firestore: ConsoleDatabase {
    func json(of write: PendingWrite) throws -> JSONValue {
        MutationJSON.json(of: try write.modelMutation())
    }

    func batchWrites(_ json: JSONValue?) throws -> [PendingWrite] {
        try MutationJSON.mutations(json, in: modelID).map { PendingWrite(model: $0, in: self) }
    }

    /// The database's name in the model.
    private var modelID: DatabaseID {
        DatabaseID(project: settings.projectID ?? "", database: settings.databaseID)
    }
}

extension Database: ConsoleDatabase {
    func json(of write: PendingNodeWrite) throws -> JSONValue {
        .members([
            "path": .string(write.path), "value": write.value.map(NodeJSON.json(of:)) ?? .null,
        ])
    }

    func batchWrites(_ json: JSONValue?) throws -> [PendingNodeWrite] {
        try NodeJSON.writes(json)
    }
}
