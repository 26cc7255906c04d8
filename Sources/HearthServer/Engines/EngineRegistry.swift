package import HearthFirestore
package import HearthModel
import Synchronization

/// An engine that runs, with what may be read of its store beside its turns.
package struct RunningEngine: Sendable {
    /// Where its inputs go.
    package let inlet: any EngineInlet
    /// What may be read beside its turns.
    package let reader: any StoreReading

    /// Whether its store is being opened, and no longer than that may take.
    package var isOpening: Bool {
        guard let since = inlet.status.openingSince else { return false }
        return .now - since < HostLimits.openingTimeMax
    }

    /// Joins the two.
    package init(inlet: any EngineInlet, reader: any StoreReading) {
        self.inlet = inlet
        self.reader = reader
    }
}

/// What the daemon tells of a store without disturbing its engine. Blocks on the disk.
package protocol StoreReading: Sendable {
    /// How much there is.
    func figures() throws(StoreError) -> StoreFigures
    /// A part of the queues of all users, oldest first.
    func queue(after: BatchID, countMax: Int) throws(StoreError) -> [ListedBatch]
    /// A part of the collections below a path that hold or have held anything, in order.
    func collections(below path: ResourcePath, after: ResourcePath, countMax: Int)
        throws(StoreError) -> [ResourcePath]
    /// A part of the rejected batches, oldest first.
    func deadLetters(after: BatchID, countMax: Int) throws(StoreError) -> [ListedDeadLetter]
}

/// A batch that waits, with its size.
package struct ListedBatch: Hashable, Sendable {
    /// The batch.
    package let batch: QueuedBatch
    /// The size of its writes as stored; 0 if not known.
    package let byteCount: Int
    /// The held batch in front of it, for which it waits.
    package let heldBy: BatchID?

    /// Lists a batch.
    package init(batch: QueuedBatch, byteCount: Int, heldBy: BatchID? = nil) {
        self.batch = batch
        self.byteCount = byteCount
        self.heldBy = heldBy
    }
}

/// A batch that was rejected, with its size.
package struct ListedDeadLetter: Hashable, Sendable {
    /// The batch, and why it was rejected.
    package let letter: DeadLetter
    /// The size of its writes as stored.
    package let byteCount: Int

    /// Lists a dead letter.
    package init(letter: DeadLetter, byteCount: Int) {
        self.letter = letter
        self.byteCount = byteCount
    }
}

/// How much a store holds.
package struct StoreFigures: Hashable, Sendable {
    /// Batches that wait for the backend.
    package var queueBatchCount = 0
    /// Of these, the ones that an administrator keeps back.
    package var heldBatchCount = 0
    /// When the oldest of them was written.
    package var oldestWrittenAt: Timestamp?
    /// Rejected batches.
    package var deadLetterCount = 0
    /// Targets, watched or resumable.
    package var targetCount = 0
    /// Documents.
    package var documentCount = 0
    /// Bytes in use.
    package var byteCount = 0

    /// An empty store's.
    package init() {}
}

/// The engines of all databases: each is made when the first session asks for it.
package final class EngineRegistry: Sendable {
    private struct State {
        var engines: [DatabaseID: RunningEngine] = [:]
        var isClosed = false
        /// Who signed in after the start, if anybody did.
        var user: UserID?
        /// How much may wait, if that has changed since the start.
        var queueLimits: QueueLimits?
    }

    private let state = Mutex(State())
    private let countMax: Int
    private let make: @Sendable (DatabaseID) -> RunningEngine

    /// An empty registry.
    ///
    /// - Parameters:
    ///   - countMax: How many databases there may be; each costs a thread, a file and a connection.
    ///   - make: Makes and starts an engine. Must not block.
    package init(countMax: Int, make: @escaping @Sendable (DatabaseID) -> RunningEngine) {
        self.countMax = countMax
        self.make = make
    }

    /// The way into a database's engine, which is started if need be.
    package func inlet(for database: DatabaseID) throws(HearthError) -> any EngineInlet {
        let result = state.withLock { state -> Result<RunningEngine, HearthError> in
            if let engine = state.engines[database] { return .success(engine) }
            if state.isClosed { return .failure(.shuttingDown) }
            guard state.engines.count < countMax else {
                return .failure(.tooManyDatabases(countMax))
            }
            let engine = make(database)
            state.engines[database] = engine
            if let user = state.user { engine.changeUser(to: user) }
            if let limits = state.queueLimits { engine.setQueueLimits(limits) }
            return .success(engine)
        }
        return try result.get().inlet
    }

    /// Another Firebase user signed in, or nobody: tells every engine, and those that start later.
    package func changeUser(to user: UserID) {
        state.withLock { state in
            state.user = user
            // Under the lock, so that no engine hears of two changes in the wrong order.
            for engine in state.engines.values { engine.changeUser(to: user) }
        }
    }

    /// So much may wait for the backend: tells every engine, and those that start later.
    func setQueueLimits(_ limits: QueueLimits) {
        state.withLock { state in
            state.queueLimits = limits
            for engine in state.engines.values { engine.setQueueLimits(limits) }
        }
    }

    /// The machine has a network again: tells every engine.
    func networkReturned() {
        for engine in all.values {
            _ = engine.inlet.submit([.networkReturned], from: .administration)
        }
    }

    /// A database's engine, if it runs.
    package func engine(of database: DatabaseID) -> RunningEngine? {
        state.withLock { $0.engines[database] }
    }

    /// All that run.
    package var all: [DatabaseID: RunningEngine] { state.withLock { $0.engines } }

    /// Shuts every engine down, and starts no new one.
    package func closeAll() async {
        let engines = state.withLock { state in
            state.isClosed = true
            return Array(state.engines.values)
        }
        for engine in engines { await engine.inlet.close() }
    }
}

extension RunningEngine {
    fileprivate func setQueueLimits(_ limits: QueueLimits) {
        _ = inlet.submit([.setQueueLimits(limits)], from: .administration)
    }

    /// Puts the change in the mailbox; an engine that is closing needs none.
    fileprivate func changeUser(to user: UserID) {
        _ = inlet.submit([.changeUser(user)], from: .administration)
    }
}

extension HearthError {
    static func tooManyDatabases(_ countMax: Int) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "\(countMax) databases are open, the limit. Raise database.countMax.")
    }
}
