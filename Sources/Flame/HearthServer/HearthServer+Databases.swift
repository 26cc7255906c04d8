import Dispatch
import HearthEngine
import HearthModel
import HearthStore
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
                let found = StoreFolder.unsent(in: file)
                return found.mayBe ? (database: file.database, uid: found.uid) : nil
            }
        }
        for (database, uid) in unsent where !Task.isCancelled {
            try? engines.open(.firestore(database), chargedTo: uid)
        }
    }

    private func closeIdle(for time: Duration) async {
        let engines = engines
        let pinned = configuration.engineKey
        let idle = await Self.onThread { engines.idle(for: time, except: pinned) }
        for key in await engines.close(idle, unusedFor: time) {
            logger.debug("database closed", metadata: ["database": "\(key)"])
        }
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
