import HearthEngine
package import HearthModel
package import HearthRealtime
import HearthSQLite
import HearthStore

/// Makes the engine of an instance of the Realtime Database as configured: on disk or in memory, with its
/// reader.
package struct RealtimeAssembly: Sendable {
    private let configuration: ServerConfiguration
    private let outlet: any EngineOutlet<RealtimeEngine.Action>
    private let memory: SharedWriteMemory

    /// Assembles engines.
    ///
    /// - Parameters:
    ///   - configuration: The daemon's configuration.
    ///   - outlet: Hears what the engines decide.
    ///   - memory: What the waiting writes of all instances share.
    package init(
        configuration: ServerConfiguration, outlet: any EngineOutlet<RealtimeEngine.Action>,
        memory: SharedWriteMemory
    ) {
        self.configuration = configuration
        self.outlet = outlet
        self.memory = memory
    }

    /// Starts the engine of an instance. Its store is opened on its own thread.
    ///
    /// - Parameters:
    ///   - kept: The queries that are kept in step without a listener.
    ///   - door: Asks the backend what the engine has no word for.
    ///   - connect: Makes the connection to the backend, whose events go to the sink.
    package func start(
        _ instance: InstanceID, keeping kept: [ListenTarget], door: any RealtimeDoor,
        connect:
            @escaping @Sendable (_ sink: @escaping @Sendable (RealtimeUpstreamEvent) async -> Void)
            -> any RealtimeUpstream
    ) -> RunningEngine {
        let key = EngineKey.realtime(instance)
        guard let folder = configuration.storeFolder else {
            let parts = EngineHost<RealtimeEngine, RealtimeMemoryStore>.Parts(
                key: key, limits: configuration.host, outlet: outlet,
                openStore: { () throws(StoreError) in OpenedStore(RealtimeMemoryStore()) },
                makeEngine: { makeEngine(instance, kept) }, connect: connect)
            return run(EngineHost(parts), door, reader: NoReading())
        }
        let reading = RealtimeReading()
        let path = StoreFolder.path(of: key, in: folder)
        let store = DiskStore(
            RealtimeStoreConfiguration(path: path, instance: instance, memory: .small),
            readers: reading.readers)
        var parts = EngineHost<RealtimeEngine, RealtimeSQLiteStore>.Parts(
            key: key, limits: configuration.host, outlet: outlet,
            openStore: { () throws(StoreError) in try store.open() },
            makeEngine: { makeEngine(instance, kept) }, connect: connect)
        parts.use(store)
        parts.forget = { store, now throws(StoreError) in
            try store.pruneRecords(
                keeping: RecordLimits.countMax,
                notedBefore: now.advanced(by: .zero - RecordLimits.ageMax))
        }
        let host = EngineHost<RealtimeEngine, RealtimeSQLiteStore>(parts)
        return run(host, door, reader: reading) { store.cleanUp() }
    }

    private func run<Store>(
        _ host: EngineHost<RealtimeEngine, Store>, _ door: any RealtimeDoor,
        reader: any StoreReading,
        cleanUp: (@Sendable () -> Void)? = nil
    ) -> RunningEngine {
        host.start()
        if !configuration.isUpstreamEnabled || !configuration.realtime.isEnabled {
            host.administer(.setNetwork(isEnabled: false))
        }
        return RunningEngine(
            lifecycle: host, service: .realtime(.init(inlet: host, door: door)), reader: reader,
            cleanUp: cleanUp)
    }

    private func makeEngine(_ instance: InstanceID, _ kept: [ListenTarget]) -> RealtimeEngine {
        RealtimeEngine(
            configuration: RealtimeEngine.Configuration(
                instance: instance, user: configuration.user,
                cacheByteCountMax: configuration.realtime.cacheByteCountMax,
                queueLimits: configuration.queueLimits(of: .realtime(instance)), keep: kept,
                fence: configuration.realtime.fence),
            seed: UInt64.random(in: 0...UInt64.max), memory: memory.part())
    }
}
