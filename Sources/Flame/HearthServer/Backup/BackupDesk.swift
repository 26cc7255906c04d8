import Dispatch
import Glibc
import HearthEngine
import HearthModel
import HearthSQLite
import HearthStore
import HearthWire
import Logging
import NIOCore
import Synchronization

/// Makes backups of all stores for sessions of administrators, one at a time.
///
/// The session pulls the parts, so a slow client makes the daemon hold one part. The copies are made
/// on a thread beside the engines.
final class BackupDesk: Sendable {
    private struct Begun: Sendable {
        let stream: BackupStream
        let subjects: [BackupEntry.Subject]
        let session: UInt64
        let uid: UInt32
        var usedAt: ContinuousClock.Instant
    }

    private let engines: EngineRegistry
    private let settings: LiveSettings
    private let folder: String?
    private let daemonVersion: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "hearth.backup", qos: .utility)
    private let begun = Mutex<Begun?>(nil)

    /// A desk for the stores of a folder; `nil` if the daemon keeps nothing on disk.
    init(
        _ engines: EngineRegistry, _ settings: LiveSettings, folder: String?,
        daemonVersion: String, logger: Logger
    ) {
        self.engines = engines
        self.settings = settings
        self.folder = folder
        self.daemonVersion = daemonVersion
        self.logger = logger
    }

    /// Removes what a killed daemon has left of a backup; returns the path if there was anything.
    func tidy() -> String? { folder.flatMap { BackupStream.removeLeftover(in: $0) } }

    /// Answers with the part behind a position; the future succeeds, if only with a failure to tell.
    func answer(
        at position: Int, for peer: Peer, of session: UInt64, on loop: any EventLoop
    ) -> EventLoopFuture<Event> {
        let promise = loop.makePromise(of: Event.self)
        queue.async {
            do throws(HearthError) {
                promise.succeed(.backupPart(try self.part(at: position, peer, session)))
            } catch {
                promise.succeed(.failed(error))
            }
        }
        return promise.futureResult
    }

    /// A session has ended, and its backup with it.
    func left(_ session: UInt64) {
        queue.async {
            self.begun.withLock { if $0?.session == session { $0 = nil } }
        }
    }

    /// Hands out the next part. On `queue` only.
    private func part(
        at position: Int, _ peer: Peer, _ session: UInt64
    ) throws(HearthError) -> BackupPart {
        let stream =
            position == 0
            ? try begin(for: peer, session) : try going(on: session, at: position, for: peer)
        do throws(HearthError) {
            let bytes = try stream.next()
            let part = BackupPart(
                data: bytes ?? [], hasMore: bytes != nil,
                byteCountExpected: stream.byteCountExpected,
                database: stream.subject?.database?.description ?? "")
            if !part.hasMore { ended(stream, peer) }
            return part
        } catch {
            begun.withLock { $0 = nil }
            throw error
        }
    }

    private func ended(_ stream: BackupStream, _ peer: Peer) {
        begun.withLock { $0 = nil }
        logger.record(
            .backupMade,
            [
                .clientUID: "\(peer.uid)",
                .reason: "\(stream.entryCount) stores and files, \(stream.position) bytes",
            ])
    }

    private func going(
        on session: UInt64, at position: Int, for peer: Peer
    ) throws(HearthError) -> BackupStream {
        let found = begun.withLock { begun -> Begun? in
            guard begun?.session == session else { return nil }
            begun?.usedAt = .now
            return begun
        }
        guard let found, found.stream.position == position else { throw .noBackup }
        do throws(HearthError) {
            try expectRights(of: peer, to: found.subjects)  // A reload may have taken them.
        } catch {
            begun.withLock { $0 = nil }
            throw error
        }
        return found.stream
    }

    private func begin(for peer: Peer, _ session: UInt64) throws(HearthError) -> BackupStream {
        guard let folder else { throw .nothingOnDisk }
        if let uid = otherBackup(besides: session) { throw .otherBackup(of: uid) }
        let subjects = self.subjects(in: folder)
        try expectRights(of: peer, to: subjects)
        try expectFolders(in: folder)
        let header = BackupHeader(
            salt: .random(in: 1...UInt64.max), time: SystemClock().now(),
            machine: Self.machine, daemonVersion: daemonVersion)
        let stream = BackupStream(header, of: subjects, in: folder) {
            [self] key, path throws(HearthError) in try copy(key, in: folder, to: path)
        }
        begun.withLock {
            $0 = Begun(
                stream: stream, subjects: subjects, session: session, uid: peer.uid, usedAt: .now)
        }
        return stream
    }

    /// The user of another session's backup that is still being made.
    private func otherBackup(besides session: UInt64) -> UInt32? {
        begun.withLock { begun in
            guard let backup = begun, backup.session != session,
                .now - backup.usedAt < BackupLimits.pauseMax
            else { return nil }
            return backup.uid
        }
    }

    private func expectFolders(in folder: String) throws(HearthError) {
        do throws(StoreError) {
            try StoreFolder.expectNoFlaws(in: folder)
        } catch {
            throw HearthError(
                code: .unavailable,
                message: "A backup would lack databases, so there is none. \(error)")
        }
    }

    private func subjects(in folder: String) -> [BackupEntry.Subject] {
        let stored = StoreFolder.databases(in: folder).map(\.key)
        let others = Set(engines.all.keys).subtracting(stored)
        let keys = stored + others.sorted { $0.description < $1.description }
        let keepsPlaces = access(KeptOrderFile(folder: folder).path, F_OK) == 0
        return keys.map { .store($0) } + (keepsPlaces ? [.keptPlaces] : [])
    }

    private func expectRights(
        of peer: Peer, to subjects: [BackupEntry.Subject]
    ) throws(HearthError) {
        for case .store(let key) in subjects {
            let grant = AccessGrant(settings.values.access, to: peer, in: key)
            for right in [AccessPolicy.Right.administer, .read]
            where !grant.holdsEverywhere(right) {
                throw .mayNotBackUp(key, peer.uid, without: right)
            }
        }
    }

    // MARK: Copies

    /// Copies a store, open or closed.
    private func copy(
        _ key: EngineKey, in folder: String, to path: String
    ) throws(HearthError) -> StoreCopy {
        do throws(StoreError) {
            for _ in 0..<Self.attemptCountMax {
                if let engine = engines.engine(of: key) {
                    return try copy(engine, to: path)
                }
                let stored = StoredDatabase(
                    key, at: StoreFolder.path(of: key, in: folder))
                // Only the engine's opening brings what a killed daemon left into the database.
                if stored.unsent().mayBe {
                    try open(key)
                    continue
                }
                let copy = try stored.copy(to: path)
                // What an engine that was opened meanwhile accepts may not be in the database.
                if engines.engine(of: key) == nil { return copy }
            }
            throw .io("it is opened and closed again and again")
        } catch {
            throw HearthError(
                code: .unavailable,
                message: "\(key) cannot be copied, so there is no backup. \(error)"
            )
        }
    }

    private func open(_ key: EngineKey) throws(StoreError) {
        do throws(HearthError) {
            _ = try engines.open(key)
        } catch {
            throw .io(error.message)
        }
    }

    private func copy(_ engine: RunningEngine, to path: String) throws(StoreError) -> StoreCopy {
        let opened = DispatchSemaphore(value: 0)
        engine.lifecycle.whenOpened { opened.signal() }
        guard opened.wait(timeout: .now() + Self.openingSecondsMax) == .success else {
            throw .io("it is being opened")
        }
        return try engine.reader.copy(to: path)
    }

    private static let attemptCountMax = 5
    /// How long a store that is being opened is waited for.
    private static let openingSecondsMax = 60.0

    private static var machine: String {
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension HearthError {
    fileprivate static let nothingOnDisk = HearthError(
        code: .failedPrecondition,
        message: "This daemon keeps cache and queue in memory alone, so there is nothing to back "
            + "up. Set store.folder in hearthd.toml.")

    fileprivate static let noBackup = HearthError(
        code: .failedPrecondition,
        message: "The session has no backup that goes on there: the backup has ended, or failed. "
            + "Begin another.")

    fileprivate static func otherBackup(of uid: UInt32) -> HearthError {
        HearthError(
            code: .resourceExhausted,
            message: "A backup for uid \(uid) is being made, and the daemon makes one at a time. "
                + "Try again when it is done.")
    }

    fileprivate static func mayNotBackUp(
        _ key: EngineKey, _ uid: UInt32, without right: AccessPolicy.Right
    ) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message: "A backup holds all of every database of the daemon, and uid \(uid) may not "
                + "\(right.rawValue) all of \(key). Rules are in [access] of hearthd.toml.")
    }
}
