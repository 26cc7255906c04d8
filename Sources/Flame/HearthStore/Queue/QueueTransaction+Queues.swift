package import HearthEngine
package import HearthModel
import HearthSQLite

/// What is known of the queues.
package struct QueueMemory {
    var ids: [UTF8Text: Int64] = [:]
    /// Of all users; `nil` until somebody asks.
    var allIDs: [Int64]?
    /// The last batch of each queue that was sent.
    var sentThrough: [Int64: BatchID] = [:]
    /// Whether `mutation_queues` lacks some of that.
    var hasUnstoredSent = false

    /// Knows nothing.
    package init() {}
}

/// The table `mutation_queues`: the queue of each user, and how far it was sent.
extension QueueTransaction {
    /// The row id of a user's queue; `nil` if the user never wrote.
    func queueID(_ user: UserID) throws(StoreError) -> Int64? {
        let name = UTF8Text(user.rawValue)
        if let id = memory.queues.ids[name] { return id }
        let statement = try connection.statement("SELECT id FROM mutation_queues WHERE user = ?")
        let id = try statement.bind(user.rawValue).first { $0.int(0) }
        if let id { memory.queues.ids[name] = id }
        return id
    }

    /// The row id of a user's queue, made if need be.
    func makeQueueID(_ user: UserID) throws(StoreError) -> Int64 {
        if let id = try queueID(user) { return id }
        try connection.statement("INSERT INTO mutation_queues (user) VALUES (?)")
            .bind(user.rawValue).run()
        let id = connection.lastInsertedID
        memory.queues.ids[UTF8Text(user.rawValue)] = id
        memory.queues.allIDs = nil
        return id
    }

    /// The row ids of all queues.
    func queueIDs() throws(StoreError) -> [Int64] {
        if let ids = memory.queues.allIDs { return ids }
        let ids = try connection.statement("SELECT id FROM mutation_queues").map { $0.int(0) }
        memory.queues.allIDs = ids
        return ids
    }

    package func noteSent(through batch: BatchID, of user: UserID) throws(StoreError) {
        guard let queue = try queueID(user), try batch > sentThrough(queue) else { return }
        memory.queues.sentThrough[queue] = batch
        memory.queues.hasUnstoredSent = true
        memory.group.hasChanges = true
        memory.group.intake.sent(through: batch, of: user)
    }

    /// The last batch of a queue that was sent. The batches in front were sent too, unless held.
    func sentThrough(_ queue: Int64) throws(StoreError) -> BatchID {
        if let batch = memory.queues.sentThrough[queue] { return batch }
        let statement = try connection.statement("SELECT sent FROM mutation_queues WHERE id = ?")
        let batch = BatchID(try statement.bind(queue).first { $0.int(0) } ?? 0)
        memory.queues.sentThrough[queue] = batch
        return batch
    }

    /// Stores how far queues were sent, which the intake log tells as long as its groups wait.
    func storeSent() throws(StoreError) {
        guard memory.queues.hasUnstoredSent else { return }
        memory.queues.hasUnstoredSent = false
        for (queue, batch) in memory.queues.sentThrough {
            try connection.statement(
                "UPDATE mutation_queues SET sent = ?1 WHERE id = ?2 AND sent < ?1"
            )
            .bind(batch.rawValue, queue).run()
        }
    }

    /// How far a batch came, told by the batch's row and by how far the queue was sent.
    func state(_ stored: Int64, of batch: BatchID, in queue: Int64) throws(StoreError)
        -> BatchState
    {
        guard stored == 0 || stored == 1 else { throw .damaged("the state of batch \(batch)") }
        if stored == 1 { return .held }
        return batch <= (try sentThrough(queue)) ? .sentUnanswered : .queued
    }
}
