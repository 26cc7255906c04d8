import Glibc
package import HearthFirestore
package import HearthModel
import HearthStore
import Synchronization

/// Makes the engine of a database as configured: on disk or in memory, with its reader.
package struct EngineAssembly: Sendable {
    private let configuration: ServerConfiguration
    private let outlet: any EngineOutlet

    /// Assembles engines whose decisions `outlet` hears.
    package init(configuration: ServerConfiguration, outlet: any EngineOutlet) {
        self.configuration = configuration
        self.outlet = outlet
    }

    /// Starts the engine of a database. Its store is opened on its own thread.
    ///
    /// - Parameter connect: Makes the connection to the backend, whose events go to the sink.
    package func start(
        _ database: DatabaseID,
        connect:
            @escaping @Sendable (_ sink: @escaping @Sendable (UpstreamEvent) async -> Void)
            -> any FirestoreUpstream
    ) -> RunningEngine {
        guard let folder = configuration.storeFolder else {
            let host = EngineHost<FirestoreEngine, MemoryStore>(
                .init(
                    database: database, limits: configuration.host, outlet: outlet,
                    openStore: { () throws(StoreError) in OpenedStore(MemoryStore()) },
                    makeEngine: { makeEngine(database) }, connect: connect))
            return run(host, reader: NoReading())
        }
        let reading = SQLiteReading()
        let path = StoreFolder.path(of: database, in: folder)
        let store = StoreConfiguration(path: path, database: database)
        let rescue = StoreRescue(store, user: configuration.user)
        let reserve = StoreReserve(besides: path)
        var parts = EngineHost<FirestoreEngine, SQLiteStore>.Parts(
            database: database, limits: configuration.host, outlet: outlet,
            openStore: { () throws(StoreError) in
                try Self.makeFolders(of: path)
                let opened = try rescue.open(at: SystemClock().now())
                reading.use(opened.store.readers)
                return opened
            },
            makeEngine: { makeEngine(database) }, connect: connect)
        parts.forget = { store, now throws(StoreError) in
            try store.pruneRecords(
                keeping: RecordLimits.countMax,
                notedBefore: now.advanced(by: .zero - RecordLimits.ageMax))
        }
        parts.shrink = { store throws(StoreError) in
            try store.shrink(pageCountMax: RecordLimits.shrinkPageCount)
        }
        parts.probe = { store throws(StoreError) in try store.probe() }
        parts.takeReserve = { () throws(StoreError) in try reserve.take() }
        parts.releaseReserve = { reserve.release() }
        parts.condemn = { reason throws(StoreError) in
            try rescue.condemn(reason, at: SystemClock().now())
        }
        let host = EngineHost<FirestoreEngine, SQLiteStore>(parts)
        return run(host, reader: reading)
    }

    private func run<Store>(
        _ host: EngineHost<FirestoreEngine, Store>, reader: any StoreReading
    ) -> RunningEngine {
        host.start()
        if !configuration.isUpstreamEnabled {
            _ = host.submit([.setNetwork(isEnabled: false)], from: .administration)
        }
        return RunningEngine(inlet: host, reader: reader)
    }

    private func makeEngine(_ database: DatabaseID) -> FirestoreEngine {
        var parts = FirestoreEngine.Configuration(
            database: database, user: configuration.user, collection: configuration.collection)
        parts.queueLimits = configuration.queueLimits
        return FirestoreEngine(
            configuration: parts,
            seed: UInt64.random(in: 0...UInt64.max))
    }

    // MARK: Files

    /// Makes the folders above a file, for nobody's eyes but ours.
    private static func makeFolders(of path: String) throws(StoreError) {
        var end = path.startIndex
        while let slash = path[path.index(after: end)...].firstIndex(of: "/") {
            end = slash
            let folder = String(path[..<slash])
            guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
                throw .io("the folder \(folder) cannot be made: \(lastError())")
            }
        }
    }
}

/// How long it is remembered what became of a write, so that its resend is recognised.
enum RecordLimits {
    /// Answered writes. About 10 MB.
    static let countMax = 100_000
    /// A program that has not asked for a week has forgotten its writes.
    static let ageMax = Duration.seconds(7 * 24 * 3_600)
    /// Pages given back to the file system at a time: 256 KiB, about a millisecond.
    static let shrinkPageCount = 64
}

/// Reads an open SQLite store for operators.
final class SQLiteReading: StoreReading {
    private let readers = Mutex<ReaderPool?>(nil)

    /// Reads this store from now on.
    func use(_ pool: ReaderPool) { readers.withLock { $0 = pool } }

    func figures() throws(StoreError) -> StoreFigures {
        guard let pool else { return StoreFigures() }
        let counts = try pool.read { reader throws(StoreError) in try reader.counts() }.value
        var figures = StoreFigures()
        figures.queueBatchCount = counts.batchCount
        figures.heldBatchCount = counts.heldBatchCount
        figures.oldestWrittenAt = counts.oldestWrittenAt
        figures.deadLetterCount = counts.deadLetterCount
        figures.targetCount = counts.targetCount
        figures.documentCount = counts.documentCount
        figures.byteCount = counts.cacheByteCount
        return figures
    }

    func queue(after batch: BatchID, countMax: Int) throws(StoreError) -> [ListedBatch] {
        guard let pool else { throw .io("it is not open") }
        return try pool.read { reader throws(StoreError) in
            var batches: [ListedBatch] = []
            let held = try reader.firstHeldBatches()
            for entry in try reader.queuedBatches(after: batch, count: countMax) {
                guard let batch = try reader.queuedBatch(entry.id) else { continue }
                let heldBy = held[entry.user].flatMap { $0 < entry.id ? $0 : nil }
                batches.append(
                    ListedBatch(batch: batch, byteCount: entry.byteCount, heldBy: heldBy))
            }
            return batches
        }.value
    }

    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        guard let pool else { throw .io("it is not open") }
        return try pool.read { reader throws(StoreError) in
            try reader.collections(below: path, after: after, count: countMax)
        }.value
    }

    func deadLetters(
        after batch: BatchID, countMax: Int
    ) throws(StoreError) -> [ListedDeadLetter] {
        guard let pool else { throw .io("it is not open") }
        return try pool.read { reader throws(StoreError) in
            try reader.deadLetters(after: batch, count: countMax).map {
                letter throws(StoreError) in
                ListedDeadLetter(
                    letter: letter,
                    byteCount: try reader.deadLetterByteCount(letter.batch.batch.id))
            }
        }.value
    }

    private var pool: ReaderPool? { readers.withLock { $0 } }
}

/// Tells of nothing: a store in memory belongs to its engine alone.
struct NoReading: StoreReading {
    func figures() throws(StoreError) -> StoreFigures { StoreFigures() }
    func queue(after batch: BatchID, countMax: Int) throws(StoreError) -> [ListedBatch] { [] }
    func collections(
        below path: ResourcePath, after: ResourcePath, countMax: Int
    ) throws(StoreError) -> [ResourcePath] {
        throw .io("it is kept in memory alone, which no list can be made of")
    }
    func deadLetters(
        after batch: BatchID, countMax: Int
    ) throws(StoreError) -> [ListedDeadLetter] { [] }
}
