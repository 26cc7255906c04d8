import Dispatch
import HearthEngine
import HearthModel
import HearthRealtime
import Logging
import Synchronization

/// Which databases are open.
extension HearthServer {
    /// Opens every database in which writes wait, whoever may be connected; from then on closes what
    /// nobody uses.
    func keepDatabases() {
        let pause = Duration.seconds(configuration.databaseIdleSeconds)
        let keeping = Task {
            await openUnsent()
            while !Task.isCancelled {
                // Often enough that nothing stays much longer than it should.
                try? await Task.sleep(for: max(pause / 4, .milliseconds(100)))
                await closeIdle(for: pause)
            }
        }
        running.withLock { running in
            running.keeping = keeping
            if running.isStopping { keeping.cancel() }
        }
    }

    private func openUnsent() async {
        guard let folder = configuration.storeFolder else { return }
        let unsent = await Self.onThread {
            StoreFolder.databases(in: folder).compactMap { file in
                let found = file.unsent()
                return found.mayBe ? (key: file.key, uid: found.uid) : nil
            }
        }
        for (key, uid) in unsent where !Task.isCancelled {
            try? engines.open(key, chargedTo: uid)
        }
    }

    private func closeIdle(for time: Duration) async {
        let engines = engines
        let pinned = pinned
        let idle = await Self.onThread { engines.idle(for: time, except: pinned) }
        for key in await engines.close(idle, unusedFor: time) {
            logger.debug("database closed", metadata: ["database": "\(key)"])
        }
    }

    /// The databases that stay open: the default one, and the default instance if places of it are kept.
    private var pinned: Set<EngineKey> {
        var keys = Set([configuration.engineKey].compactMap(\.self))
        if let instance = configuration.instance, !settings.values.keep.isEmpty {
            keys.insert(.realtime(instance))
        }
        return keys
    }

    /// Has the default instance keep the places of the configuration, open or not before.
    func keepPlaces() {
        guard let instance = configuration.instance else { return }
        let (key, kept) = (EngineKey.realtime(instance), settings.values.keep)
        if !kept.isEmpty { try? engines.open(key) }
        guard case .realtime(let service)? = engines.engine(of: key)?.service else { return }
        _ = service.inlet.submit([.setKept(kept)], from: .administration)
    }

    /// Runs what blocks on the disk where nothing else waits for it.
    private static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "hearth.databases").async {
                continuation.resume(returning: body())
            }
        }
    }
}
