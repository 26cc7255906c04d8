import HearthFirestore
import HearthModel
import HearthStore

/// Opens a store; a damaged one is set aside, and what only it knows is carried over into a new one.
///
/// The cache can be fetched again, queued writes and dead letters cannot. Writes of the present user
/// enter the new engine as if they had just been made, so that they show; those of others go into
/// their queues as they were. A write that had been sent when the file was damaged is sent again.
struct StoreRescue {
    private let configuration: StoreConfiguration
    private let user: UserID

    /// - Parameter user: To whom the engine's queue belongs.
    init(_ configuration: StoreConfiguration, user: UserID) {
        self.configuration = configuration
        self.user = user
    }

    /// Opens the store, or a new one in the place of a damaged one.
    func open(at now: Timestamp) throws(StoreError) -> OpenedStore<SQLiteStore> {
        do throws(StoreError) {
            return OpenedStore(try SQLiteStore(configuration))
        } catch {
            guard case .damaged(let reason) = error else { throw error }
            return try rescue(reason, at: now)
        }
    }

    private func rescue(_ reason: String, at now: Timestamp) throws(StoreError)
        -> OpenedStore<SQLiteStore>
    {
        let salvage = Salvage(configuration)
        let path = try SQLiteStore.setAside(configuration, at: now)
        let store = try SQLiteStore(configuration)
        try store.transaction { transaction throws(StoreError) in
            for letter in salvage.deadLetters { try transaction.appendDeadLetter(letter) }
            for batch in salvage.batches where batch.user != user { try transaction.append(batch) }
            var globals = try transaction.globals()
            globals.lastBatchID = Self.lastID(salvage)  // No number may be used twice.
            try transaction.setGlobals(globals)
        }
        let problems =
            salvage.problems.isEmpty ? "" : " Lost: \(salvage.problems.joined(separator: "; "))."
        return OpenedStore(
            store, inputs: salvage.batches.filter { $0.user == user }.enumerated().map(Self.write),
            news: "The database was damaged (\(reason)) and is set aside as \(path). "
                + "\(salvage.batches.count) queued batches and \(salvage.deadLetters.count) dead "
                + "letters were saved.\(problems)")
    }

    private static func lastID(_ salvage: Salvage) -> BatchID {
        let ids =
            salvage.batches.map(\.batch.id) + salvage.deadLetters.map(\.batch.batch.id)
        return ids.max() ?? .none
    }

    /// The write again, for nobody's ears: session 0 is never given out.
    private static func write(_ saved: (offset: Int, element: QueuedBatch))
        -> FirestoreEngine.Input
    {
        .write(
            WriteRequest(
                id: RequestID(session: 0, number: UInt64(saved.offset + 1)),
                writer: saved.element.writer, mutations: saved.element.batch.mutations))
    }
}
