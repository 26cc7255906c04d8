import Glibc
import HearthFirestore
import HearthModel
import HearthStore

/// Opens a store; a damaged one is set aside, and what only it knows is carried over into a new one.
///
/// The cache can be fetched again; queued writes, dead letters and the answers by which a resend is
/// recognised cannot. Writes of the present user enter the new engine as if they had just been made,
/// so that they show; those of others go into their queues as they were. A write that had been sent
/// when the file was damaged is sent again.
struct StoreRescue {
    /// A store that was rebuilt is not rebuilt again within this time because of what is read in it:
    /// the fault is then not in the file, and each rebuilding would leave another one behind.
    static let pauseMin = Duration.seconds(3_600)

    private let configuration: StoreConfiguration
    private let user: UserID

    /// - Parameter user: To whom the engine's queue belongs.
    init(_ configuration: StoreConfiguration, user: UserID) {
        self.configuration = configuration
        self.user = user
    }

    /// Opens the store, or a new one in the place of a damaged one.
    func open(at now: Timestamp) throws(StoreError) -> OpenedStore<SQLiteStore> {
        if let mark = DamageMark.read(besides: configuration.path) {
            if let path = mark.setAsidePath { try putBack(path) }
            return try rescue(mark.reason, at: now)
        }
        do throws(StoreError) {
            let store = try SQLiteStore(configuration)
            return OpenedStore(store, news: store.migratedFrom.map { .migrated(from: $0) })
        } catch {
            guard case .damaged(let reason) = error else { throw error }
            return try rescue(reason, at: now)
        }
    }

    /// Has the store rescued when it is opened next, because of what was read in it.
    ///
    /// - Returns: False if it was rebuilt a short while ago.
    func condemn(_ reason: String, at now: Timestamp) throws(StoreError) -> Bool {
        let earliest = now.advanced(by: .zero - Self.pauseMin).seconds
        let times = StoreFolder.setAsideTimes(of: configuration.path)
        guard !times.contains(where: { $0 > earliest && $0 <= now.seconds }) else { return false }
        try DamageMark(reason: reason).write(besides: configuration.path)
        return true
    }

    private func rescue(_ reason: String, at now: Timestamp) throws(StoreError)
        -> OpenedStore<SQLiteStore>
    {
        let place = configuration.path
        let salvage = Salvage(configuration)
        try DamageMark(
            reason: reason, setAsidePath: SQLiteStore.setAsidePath(configuration, at: now)
        ).write(besides: place)
        let path = try SQLiteStore.setAside(configuration, at: now)
        let store = try SQLiteStore(configuration)
        try store.transaction { transaction throws(StoreError) in
            for letter in salvage.deadLetters { try transaction.appendDeadLetter(letter) }
            for batch in salvage.batches where batch.user != user { try transaction.append(batch) }
            for (identity, record) in salvage.records where keeps(record, salvage) {
                try transaction.setRecord(record, of: identity)
            }
            var globals = try transaction.globals()
            globals.lastBatchID = Self.lastID(salvage)  // No number may be used twice.
            try transaction.setGlobals(globals)
        }
        let problems =
            salvage.problems.isEmpty ? "" : " Lost: \(salvage.problems.joined(separator: "; "))."
        return OpenedStore(
            store, inputs: writes(salvage),
            news: .rebuilt(
                "The database was damaged (\(reason)) and is set aside as \(path). "
                    + "\(salvage.batches.count) queued batches and \(salvage.deadLetters.count) "
                    + "dead letters were saved.\(problems)"),
            finish: { () throws(StoreError) in try DamageMark.remove(besides: place) })
    }

    /// Whether a record goes into the new store as it is. Those of the present user's queue are made
    /// by the engine, with the new numbers of their batches; one whose batch is lost has no answer.
    private func keeps(_ record: WriteRecord, _ salvage: Salvage) -> Bool {
        guard record.outcome == .pending else { return true }
        return salvage.batches.contains { $0.batch.id == record.batch && $0.user != user }
    }

    private static func lastID(_ salvage: Salvage) -> BatchID {
        let ids =
            salvage.batches.map(\.batch.id) + salvage.deadLetters.map(\.batch.batch.id)
            + salvage.records.values.map(\.batch)
        return ids.max() ?? .none
    }

    /// The present user's writes again, for nobody's ears: session 0 is never given out.
    private func writes(_ salvage: Salvage) -> [FirestoreEngine.Input] {
        var identities: [BatchID: WriteIdentity] = [:]
        for (identity, record) in salvage.records where record.outcome == .pending {
            identities[record.batch] = identity
        }
        return salvage.batches.filter { $0.user == user }.enumerated().map { offset, saved in
            .write(
                WriteRequest(
                    id: RequestID(session: 0, number: UInt64(offset + 1)),
                    identity: identities[saved.batch.id], writer: saved.writer,
                    mutations: saved.batch.mutations))
        }
    }

    /// Undoes a setting aside whose rescue did not come to its end.
    private func putBack(_ path: String) throws(StoreError) {
        let isMoved = access(path, F_OK) == 0
        // The file goes last both ways, so that it tells where the others belong.
        for suffix in SQLiteStore.fileSuffixes {
            let (from, to) = (path + suffix, configuration.path + suffix)
            if isMoved { unlink(to) }  // Of the new store, in which nothing is yet.
            guard rename(from, to) == 0 || errno == ENOENT else {
                throw .io("putting back \(from): \(String(cString: strerror(errno)))")
            }
        }
    }
}
