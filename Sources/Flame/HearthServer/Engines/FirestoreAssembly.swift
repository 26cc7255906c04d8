import HearthEngine
package import HearthFirestore
package import HearthModel
import HearthSQLite
import HearthStore

/// Makes the engine of a Firestore database as configured: on disk or in memory, with its reader.
package struct FirestoreAssembly: Sendable {
    private let configuration: ServerConfiguration
    private let outlet: any EngineOutlet<FirestoreEngine.Action>
    private let memory: SharedSurveyMemory

    /// Assembles engines whose decisions `outlet` hears.
    ///
    /// - Parameter memory: What the surveys of all databases share.
    package init(
        configuration: ServerConfiguration, outlet: any EngineOutlet<FirestoreEngine.Action>,
        memory: SharedSurveyMemory
    ) {
        self.configuration = configuration
        self.outlet = outlet
        self.memory = memory
    }

    /// Starts the engine of a database. Its store is opened on its own thread.
    ///
    /// - Parameters:
    ///   - door: Makes the calls that the engine has no word for.
    ///   - connect: Makes the connection to the backend, whose events go to the sink.
    package func start(
        _ database: DatabaseID, door: any BackendDoor,
        connect:
            @escaping @Sendable (_ sink: @escaping @Sendable (UpstreamEvent) async -> Void)
            -> any FirestoreUpstream
    ) -> RunningEngine {
        guard let folder = configuration.storeFolder else {
            let reads = CachedReads(database: database)
            var parts = EngineHost<FirestoreEngine, MemoryStore>.Parts(
                key: .firestore(database), limits: configuration.host, outlet: outlet,
                openStore: { () throws(StoreError) in OpenedStore(MemoryStore()) },
                // Nobody can read a store in memory beside the turns.
                makeEngine: { makeEngine(database, surveys: nil) }, connect: connect)
            parts.memory = reads
            return run(EngineHost(parts), reads, door, reader: NoReading())
        }
        let reading = FirestoreReading()
        let path = StoreFolder.path(of: .firestore(database), in: folder)
        let isOneOfMany = database != configuration.database
        let store = DiskStore(
            StoreConfiguration(
                path: path, database: database, memory: isOneOfMany ? .small : .large),
            readers: reading.readers, keepsHistory: configuration.historyTerms.isKept)
        let desk = SurveyDesk(sharing: memory) { order, room, isWanted throws(StoreError) in
            try reading.answer(order, in: room, while: isWanted)
        }
        var parts = EngineHost<FirestoreEngine, SQLiteStore>.Parts(
            key: .firestore(database), limits: configuration.host, outlet: outlet,
            openStore: { () throws(StoreError) in
                desk.endAll()
                return try store.open()
            },
            makeEngine: { makeEngine(database, surveys: SurveyTerms()) }, connect: connect)
        parts.use(store)
        parts.runErrand = { errand, done in desk.run(errand, done: done) }
        let reads = CachedReads(database: database, size: isOneOfMany ? .small : .large)
        parts.memory = reads
        parts.forget = { store, now throws(StoreError) in
            let hasMore = try store.pruneRecords(
                keeping: RecordLimits.countMax,
                notedBefore: now.advanced(by: .zero - RecordLimits.ageMax),
                toldBefore: now.advanced(by: .zero - RecordLimits.toldAgeMax))
            return hasMore ? true : try store.pruneCollections()
        }
        parts.keepReport = { loss, account in
            if let account {
                LossReports.write(account, of: loss, besides: path, at: SystemClock().now())
            } else {
                LossReports.remove(loss, besides: path)
            }
            return LossReports.read(besides: path)
        }
        parts.dropReports = {
            LossReports.removeTold(besides: path)
            return LossReports.read(besides: path)
        }
        let host = EngineHost<FirestoreEngine, SQLiteStore>(parts)
        return run(host, reads, door, reader: reading) {
            desk.endAll()
            store.cleanUp()
        }
    }

    private func run<Store>(
        _ host: EngineHost<FirestoreEngine, Store>, _ reads: CachedReads, _ door: any BackendDoor,
        reader: any StoreReading, cleanUp: (@Sendable () -> Void)? = nil
    ) -> RunningEngine {
        host.start()
        if !configuration.isUpstreamEnabled {
            host.administer(.setNetwork(isEnabled: false))
        }
        return RunningEngine(
            lifecycle: host,
            service: .firestore(.init(inlet: host, cachedReads: reads, door: door)),
            reader: reader, cleanUp: cleanUp)
    }

    private func makeEngine(_ database: DatabaseID, surveys: SurveyTerms?) -> FirestoreEngine {
        var parts = FirestoreEngine.Configuration(
            database: database, user: configuration.user, collection: configuration.collection)
        parts.queueLimits = configuration.queueLimits
        parts.ledgerTerms = configuration.ledgerTerms
        parts.historyTerms = configuration.historyTerms
        parts.surveys = surveys
        return FirestoreEngine(
            configuration: parts,
            seed: UInt64.random(in: 0...UInt64.max))
    }
}

/// How long an engine remembers the outcomes of writes, to recognise a resent write.
enum RecordLimits {
    /// Answered writes. About 10 MB.
    static let countMax = 100_000
    /// A program that has not asked for a week has forgotten its writes.
    static let ageMax = Duration.seconds(7 * 24 * 3_600)
    /// How long the store keeps a rejected write whose caller was to be told, if nobody confirms
    /// that the caller was told: far longer than any answer takes.
    static let toldAgeMax = Duration.seconds(3_600)
    /// Pages given back to the file system at a time: 256 KiB, about a millisecond.
    static let shrinkPageCount = 64
}
