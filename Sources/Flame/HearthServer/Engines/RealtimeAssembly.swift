import HearthEngine
package import HearthModel
package import HearthRealtime

/// Makes the engine of an instance of the Realtime Database as configured: on disk or in memory, with its
/// reader.
package struct RealtimeAssembly: Sendable {
    private let configuration: ServerConfiguration
    private let outlet: any EngineOutlet<RealtimeEngine.Action>

    /// Assembles engines whose decisions `outlet` hears.
    package init(
        configuration: ServerConfiguration, outlet: any EngineOutlet<RealtimeEngine.Action>
    ) {
        self.configuration = configuration
        self.outlet = outlet
    }

    /// Starts the engine of an instance. Its store is opened on its own thread.
    ///
    /// - Parameters:
    ///   - kept: The places that are kept in step without a listener.
    ///   - connect: Makes the connection to the backend, whose events go to the sink.
    package func start(
        _ instance: InstanceID, keeping kept: [RealtimePath],
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
            return run(EngineHost(parts), reader: NoReading())
        }
        let path = StoreFolder.path(of: key, in: folder)
        let parts = EngineHost<RealtimeEngine, RealtimeMemoryStore>.Parts(
            key: key, limits: configuration.host, outlet: outlet,
            openStore: { () throws(StoreError) in
                // Nothing may be called durable that is in memory alone.
                throw .io("an instance cannot be kept in \(path) yet; store.folder must be empty")
            },
            makeEngine: { makeEngine(instance, kept) }, connect: connect)
        return run(EngineHost(parts), reader: NoReading())
    }

    private func run<Store>(
        _ host: EngineHost<RealtimeEngine, Store>, reader: any StoreReading,
        cleanUp: (@Sendable () -> Void)? = nil
    ) -> RunningEngine {
        host.start()
        if !configuration.isUpstreamEnabled || !configuration.realtime.isEnabled {
            host.administer(.setNetwork(isEnabled: false))
        }
        return RunningEngine(
            lifecycle: host, service: .realtime(.init(inlet: host)), reader: reader,
            cleanUp: cleanUp)
    }

    private func makeEngine(_ instance: InstanceID, _ kept: [RealtimePath]) -> RealtimeEngine {
        RealtimeEngine(
            configuration: RealtimeEngine.Configuration(
                instance: instance, user: configuration.user,
                cacheByteCountMax: configuration.realtime.cacheByteCountMax,
                queueLimits: configuration.queueLimits(of: .realtime(instance)), keep: kept,
                fence: configuration.realtime.fence),
            seed: UInt64.random(in: 0...UInt64.max))
    }
}
