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
            var flaws: [String] = []
            await lookAtFolders(&flaws)
            await openUnsent()
            renewOwners()
            while !Task.isCancelled {
                // Often enough that nothing stays much longer than it should.
                try? await Task.sleep(for: max(pause / 4, .milliseconds(100)))
                renewOwners()
                await lookAtFolders(&flaws)
                await closeIdle(for: pause)
            }
        }
        running.withLock { running in
            running.keeping = keeping
            if running.isStopping { keeping.cancel() }
        }
    }

    /// Finishes what a restore has begun, before any store is opened, and tells of restored stores.
    func finishRestore() async {
        guard let folder = configuration.storeFolder else { return }
        let backups = backups
        let leftover = await Self.onThread { backups.tidy() }
        let (problem, note) = await Self.onThread { () -> (String?, String?) in
            do throws(BackupError) {
                try RestoreMark.finish(in: folder)
                return (nil, RestoreMark.takeNote(in: folder))
            } catch {
                return (
                    "A restore was begun and cannot be finished. \(error) Mend the folder, or make "
                        + "room, and start the daemon again.", nil
                )
            }
        }
        var removed = await Self.onThread {
            // While a decided restore waits to be finished, its files are no leftovers.
            problem == nil
                ? RestoreLeftovers.remove(in: folder) + RestoreLeftovers.removeDrafts(in: folder)
                : []
        }
        if let leftover { removed.append(leftover) }
        if !removed.isEmpty {
            logger.notice(
                "files of an interrupted backup or restore removed",
                metadata: ["files": "\(removed.joined(separator: ", "))"])
        }
        reporter.setReason(problem, for: "restore")
        if let problem { logger.error("restore failed", metadata: ["reason": "\(problem)"]) }
        if let note { logger.record(.storesRestored, [.reason: note]) }
        await readGeneration(in: folder)
    }

    /// How many flaws of the store folder the daemon tells one by one. The daemon only counts
    /// further flaws.
    private static let toldFlawCountMax = 16

    /// Tells of folders of databases in whose places there is something else.
    ///
    /// - Parameter told: What was told last.
    private func lookAtFolders(_ told: inout [String]) async {
        guard let folder = configuration.storeFolder else { return }
        let flaws = await Self.onThread { StoreFolder.flaws(in: folder) }
        guard flaws != told else { return }
        told = flaws
        let reason =
            flaws.isEmpty
            ? nil
            : "Databases are missing or cannot be read, and writes may wait in them. "
                + flaws.prefix(Self.toldFlawCountMax).joined(separator: ". ") + "."
                + (flaws.count > Self.toldFlawCountMax
                    ? " There are \(flaws.count) such places." : "")
        reporter.setReason(reason, for: "store folder")
        if let reason {
            logger.error("folders of databases missing", metadata: ["reason": "\(reason)"])
        }
    }

    /// Reads the number of the stores, so that programs that outlived a restore learn of the
    /// restore.
    private func readGeneration(in folder: String) async {
        let known = await Self.onThread { StoreGeneration.known(in: folder) }
        running.withLock { $0.storeGeneration = known.number }
        let reason = known.problem?.text
        reporter.setReason(reason, for: "store number")
        if let reason {
            logger.error("no number of the stores", metadata: ["reason": "\(reason)"])
        }
    }

    /// Has the folder keep the number of the stores, and tells what is still wrong with the number.
    ///
    /// An administrator has taken note of the start's report. Blocks on the disk.
    func reviewGeneration() {
        let number = running.withLock { $0.storeGeneration }
        guard let folder = configuration.storeFolder, number != 0 else { return }
        let problem = StoreGeneration.keep(number, in: folder)
        reporter.setReason(problem?.text, for: "store number")
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
            let payer = uid.map { SubordinateUsers.ofMachine.owner(of: $0) }
            try? engines.open(key, chargedTo: payer)
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

    /// The databases that stay open: the default database, instances with kept places, and databases
    /// with pins.
    private var pinned: Set<EngineKey> {
        Set([configuration.engineKey].compactMap(\.self))
            .union(keeping.instances.map(EngineKey.realtime))
            .union(pinning.databases.map(EngineKey.firestore))
    }

    /// Reads the orders of programs to keep places.
    func loadKeptPlaces() async {
        let keeping = keeping
        await Self.onThread { keeping.load() }
    }

    /// Has instances keep the places of the configuration and of programs, open or not before.
    func keepPlaces() {
        let open = engines.all.keys.compactMap(\.realtime)
        for instance in keeping.instances.union(open) { keepPlaces(in: instance) }
        reporter.setReason(keeping.complaint, for: "kept places")
    }

    /// An order changed what an instance keeps.
    func keptPlacesChanged(in instance: InstanceID) {
        keepPlaces(in: instance)
        reporter.setReason(keeping.complaint, for: "kept places")
        registry.statusBoard.changed(.realtime(instance))
    }

    private func keepPlaces(in instance: InstanceID) {
        let key = EngineKey.realtime(instance)
        keeping.tell(instance) { kept in
            if !kept.isEmpty { try? engines.open(key, chargedTo: keeping.uid(of: instance)) }
            guard case .realtime(let service)? = engines.engine(of: key)?.service else { return }
            _ = service.inlet.submit([.setKept(kept)], from: .administration)
        }
    }

    /// Runs what blocks on the disk where nothing else waits for it.
    static func onThread<Result: Sendable>(
        _ body: @escaping @Sendable () -> Result
    ) async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "hearth.databases").async {
                continuation.resume(returning: body())
            }
        }
    }
}
