import CLinux
import Glibc
package import HearthEngine
import HearthModel
import HearthSQLite
import HearthStore

/// Puts the stores of a backup into a store folder, whose daemon does not run.
///
/// The restore reads the file twice: first to check the whole file, then to make every new store
/// beside the store's place. When all new stores are on the disk, the restore replaces the old
/// stores, all or none (`RestoreMark`).
package struct BackupRestore: Sendable {
    /// The wishes of whoever restores.
    package struct Order: Hashable, Sendable {
        /// What is done with the writes that wait in the backup.
        package var queue: RestoredQueue
        /// Whether stores are replaced in which writes wait, or may.
        package var replacesUnsent: Bool

        /// Takes the wishes.
        package init(queue: RestoredQueue = .hold, replacesUnsent: Bool = false) {
            self.queue = queue
            self.replacesUnsent = replacesUnsent
        }
    }

    /// What was restored.
    package struct Outcome: Sendable {
        /// What the backup says of itself.
        package let header: BackupHeader
        /// Each database with what waits in it.
        package var stores: [(key: EngineKey, counts: RestoredCounts)] = []
        /// Where replaced stores with unsent writes are now.
        package var setAside: [String] = []
        /// How many losses were told of the replaced stores, whose reports have gone with the stores.
        package var lossCount = 0
    }

    private let file: BackupFile
    private let folder: String
    private let order: Order
    /// Hears how many of how many bytes are done.
    private let progress: @Sendable (_ done: Int, _ total: Int) -> Void

    /// Plans a restore of a file to a folder.
    ///
    /// - Parameters:
    ///   - file: The backup.
    ///   - folder: The folder of the daemon's stores.
    ///   - order: The wishes of the person who restores.
    ///   - progress: Hears how many of how many bytes are done.
    package init(
        of file: BackupFile, to folder: String, _ order: Order,
        progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) {
        self.file = file
        self.folder = folder
        self.order = order
        self.progress = progress
    }

    /// Reads the whole file and tells what is in it, without a folder.
    ///
    /// - Throws: `BackupError` for anything that is no whole backup.
    package static func check(_ file: BackupFile) throws(BackupError) -> (
        header: BackupHeader, entries: [BackupEntry]
    ) {
        let reader = try BackupReader(file)
        var entries: [BackupEntry] = []
        var known: Set<BackupEntry.Subject> = []
        while let item = try reader.next() {
            guard case .entry(let entry) = item else { continue }
            guard known.insert(entry.subject).inserted else {
                throw .damaged("\(entry.subject) is in it twice")
            }
            entries.append(entry)
        }
        return (reader.header, entries)
    }

    /// Restores. Blocks on the disk.
    ///
    /// - Throws: `BackupError`; nothing of the folder has changed then, unless the error came while
    ///   files were moved: the next restore, or the daemon, then goes on.
    package func run() throws(BackupError) -> Outcome {
        let (header, entries) = try Self.check(file)
        var locks: [Lock] = []
        defer { withExtendedLifetime(locks) {} }
        do throws(BackupError) {
            try makeFolders(for: entries)
            try lock(entries, &locks)
            try RestoreMark.finish(in: folder)
            _ = RestoreLeftovers.remove(in: folder)
        } catch {
            giveUp(entries, locks)
            throw error
        }
        var outcome = Outcome(header: header)
        let moves: [RestoreMark.Move]
        do throws(BackupError) {
            moves = try plan(entries, &outcome)
            try expectRoom(for: entries)
            try extract(entries)
            try adopt(entries, &outcome)
        } catch {
            for entry in entries { unlink(RestoreMark.newPath(for: place(of: entry))) }
            giveUp(entries, locks)
            throw error
        }
        try RestoreMark(note: note(on: outcome), moves: moves).write(in: folder)
        try RestoreMark.finish(in: folder)
        return outcome
    }

    /// Leaves no lock that was not there, and no folder in a place that has no store: a hostile file may name a
    /// hundred thousand.
    private func giveUp(_ entries: [BackupEntry], _ locks: [Lock]) {
        for lock in locks where lock.isNew || access(lock.files.path, F_OK) != 0 {
            unlink(lock.files.lockPath)
        }
        for case .store(let key) in entries.map(\.subject) {
            StoreFolder.removeFolder(above: StoreFolder.path(of: key, in: folder))
        }
        for group in ["/firestore", "/realtime"] { rmdir(folder + group) }
    }

    // MARK: Places

    /// The right to a place.
    private struct Lock {
        let files: StoreFiles
        /// Whether the file of the lock was not there before.
        let isNew: Bool
        let lock: StoreLock

        init(_ path: String) throws(StoreError) {
            files = StoreFiles(path: path)
            isNew = access(files.lockPath, F_OK) != 0
            lock = try StoreLock(files)
        }
    }

    private func place(of entry: BackupEntry) -> String {
        switch entry.subject {
        case .store(let key): StoreFolder.path(of: key, in: folder)
        case .keptPlaces: KeptOrderFile(folder: folder).path
        }
    }

    private func makeFolders(for entries: [BackupEntry]) throws(BackupError) {
        for entry in entries {
            do throws(StoreError) {
                switch entry.subject {
                case .store: try StoreFolder.makeFolders(aboveStore: place(of: entry))
                case .keptPlaces: try StoreFolder.makeFolders(above: place(of: entry))
                }
            } catch {
                throw .store(error)
            }
        }
    }

    /// Keeps another restore from everything that the backup has, and a daemon from its stores.
    private func lock(
        _ entries: [BackupEntry], _ locks: inout [Lock]
    ) throws(BackupError) {
        _ = clinux_allow_descriptors()  // A lock takes one; without, the opening tells.
        for entry in entries {
            do throws(StoreError) {
                locks.append(try Lock(place(of: entry)))
            } catch {
                if case .locked = error {
                    throw .io(
                        "\(entry.subject) is in use: stop the daemon of \(folder) first, with its sockets "
                            + "(systemctl stop hearthd.socket hearthd-control.socket hearthd)")
                }
                throw .store(error)
            }
        }
    }

    /// Decides what becomes of the stores that are there.
    private func plan(
        _ entries: [BackupEntry], _ outcome: inout Outcome
    ) throws(BackupError) -> [RestoreMark.Move] {
        var moves: [RestoreMark.Move] = []
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        for entry in entries {
            let path = place(of: entry)
            var aside = ""
            outcome.lossCount += LossReports.toldCount(besides: path)
            if case .store(let key) = entry.subject,
                let reason = try unsent(StoredDatabase(key, at: path, isLocked: true))
            {
                guard order.replacesUnsent else {
                    throw .io(
                        "\(key) in \(folder) \(reason). Let the daemon send what waits, or say "
                            + "--replace to put the database aside")
                }
                aside = "\(relative(path)).replaced-\(now.tv_sec)"
                outcome.setAside.append(folder + "/" + aside)
            }
            moves.append(RestoreMark.Move(place: relative(path), aside: aside))
        }
        return moves
    }

    private func relative(_ path: String) -> String {
        String(path.dropFirst(folder.count + 1))
    }

    /// Why a store must not be replaced without a word; `nil` if it may.
    private func unsent(_ store: StoredDatabase) throws(BackupError) -> String? {
        var status = stat()
        guard stat(store.path, &status) == 0 else { return nil }
        do throws(StoreError) {
            // Only a daemon can take up what a killed daemon left.
            if try store.lacksGroups() {
                return "was not closed in order, and holds accepted writes; start the daemon once"
            }
            let (waiting, rejected) = try store.counts()
            guard waiting > 0 || rejected > 0 else { return nil }
            return "has \(waiting) unsent writes and \(rejected) rejected ones"
        } catch {
            return "cannot be read, so writes may wait in it: \(error)"
        }
    }

    private func expectRoom(for entries: [BackupEntry]) throws(BackupError) {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            throw RestoredFile.error("looking at \(folder)")
        }
        let room = UInt(status.f_bavail) * UInt(status.f_frsize)
        let byteCount = entries.reduce(0) { $0 + $1.byteCount } + CopyLimits.roomLeftByteCountMin
        guard room >= UInt(byteCount) else {
            throw .io(
                "The stores take \(byteCount >> 20) MiB beside those that they replace, and "
                    + "\(room >> 20) MiB are free")
        }
    }

    // MARK: New files

    /// Makes every new file beside its place.
    private func extract(_ entries: [BackupEntry]) throws(BackupError) {
        let reader = try BackupReader(file)
        var waiting = entries[...]
        var file: (descriptor: Int32, path: String)?
        defer { if let file { close(file.descriptor) } }
        while let item = try reader.next() {
            progress(reader.position, self.file.byteCount)
            switch item {
            case .entry(let entry):
                // The file was checked before, and may be changed by its owner meanwhile.
                guard waiting.popFirst() == entry else { throw .damaged("it has changed") }
                let path = RestoreMark.newPath(for: place(of: entry))
                // A killed restore may have left logs, which would count as the new file's.
                for suffix in ["-wal", "-shm", "-journal", "-lock"] { unlink(path + suffix) }
                file = (try RestoredFile.make(path), path)
            case .data(let bytes):
                guard let file else { throw .damaged("it has changed") }
                try RestoredFile.append(bytes, to: file.descriptor, at: file.path)
            case .entryEnd:
                if let file { close(file.descriptor) }
                file = nil
            }
        }
        guard waiting.isEmpty else { throw .damaged("it has changed") }
    }

    /// Makes the new files stores of this machine, and has them last.
    private func adopt(
        _ entries: [BackupEntry], _ outcome: inout Outcome
    ) throws(BackupError) {
        for entry in entries {
            let path = RestoreMark.newPath(for: place(of: entry))
            switch entry.subject {
            case .store(let key): outcome.stores.append((key, try adopt(key, at: path)))
            case .keptPlaces: try checkKeptPlaces(at: path)
            }
            try RestoredFile.sync(path)
            try RestoredFile.syncFolder(of: path)
        }
    }

    private func adopt(
        _ key: EngineKey, at path: String
    ) throws(BackupError) -> RestoredCounts {
        do throws(StoreError) {
            return switch key {
            case .firestore(let database):
                try StoreAdoption(
                    StoreConfiguration(path: path, database: database, memory: .small)
                ).run(order.queue)
            case .realtime(let instance):
                try StoreAdoption(
                    RealtimeStoreConfiguration(path: path, instance: instance, memory: .small)
                ).run(order.queue)
            }
        } catch {
            switch error {
            case .damaged(let reason), .misfit(let reason): throw .damaged("\(key): \(reason)")
            case .foreign(let reason): throw .foreign("\(key): \(reason)")
            default: throw .io("\(key) cannot be restored. \(error)")
            }
        }
    }

    private func checkKeptPlaces(at path: String) throws(BackupError) {
        let bytes = try RestoredFile.read(path, byteCountMax: BackupLimits.keptPlacesByteCountMax)
        guard let bytes, KeptOrders(bytes) != nil else {
            throw .damaged("its list of kept places is none")
        }
    }

    private func note(on outcome: Outcome) -> String {
        let batchCount = outcome.stores.reduce(0) { $0 + $1.counts.batchCount }
        let did =
            switch order.queue {
            case .keep: "kept to be sent"
            case .hold: "held"
            case .drop: "dropped"
            }
        return "\(outcome.stores.count) databases were restored from a backup of "
            + "\(outcome.header.machine) of \(outcome.header.time.seconds) seconds since 1970. "
            + "\(batchCount) batches that waited in it were \(did)."
            + (outcome.lossSentence.map { " " + $0 } ?? "")
    }
}

extension BackupRestore.Outcome {
    /// What became of the reports of the replaced stores' losses; `nil` if there were none.
    package var lossSentence: String? {
        switch lossCount {
        case 0: nil
        case 1: "The report of a loss of a replaced database has gone with the database."
        default:
            "The reports of \(lossCount) losses of the replaced databases have gone with the databases."
        }
    }
}
