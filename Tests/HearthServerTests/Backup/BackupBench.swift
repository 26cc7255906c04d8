import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthRealtime
import HearthTestSupport

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// A folder of closed stores with queues, and backups of it.
struct BackupBench {
    static let database = DatabaseID(project: "demo")
    static let user = UserID("ada")
    static let instance = InstanceID(host: "demo.firebaseio.com", name: "demo")
    private static let now = Timestamp(seconds: 1_000, nanoseconds: 0)

    let folder = TemporaryFolder()

    var path: String { StoreFolder.path(of: .firestore(Self.database), in: folder.path) }
    var realtimePath: String {
        Self.instance.map { StoreFolder.path(of: .realtime($0), in: folder.path) } ?? ""
    }

    /// Makes stores in which batches wait, the first of them sent.
    func fill(batches: ClosedRange<Int64> = 1...3) throws {
        try StoreFolder.makeFolders(above: path)
        let store = try SQLiteStore(StoreConfiguration(path: path, database: Self.database))
        try store.transaction { transaction throws(StoreError) in
            for number in batches { try transaction.append(try typed { try Self.batch(number) }) }
            try transaction.setMarkerEras([MarkerEra(from: BatchID(1), in: nil)], of: Self.user)
            try transaction.noteSent(through: BatchID(batches.lowerBound), of: Self.user)
            try transaction.appendDeadLetter(
                DeadLetter(
                    batch: try typed { try Self.batch(batches.upperBound + 1) },
                    error: HearthError(code: .aborted, message: "No."), rejectedAt: Self.now,
                    mayHaveBeenApplied: false))
            var globals = try transaction.globals()
            globals.lastBatchID = BatchID(batches.upperBound + 1)
            try transaction.setGlobals(globals)
            try transaction.setRecord(
                WriteRecord(batch: BatchID(batches.lowerBound), outcome: .pending),
                of: Self.identity)
        }
        try fillRealtime(batches)
        try KeptOrderFile(folder: folder.path).write(KeptOrders())
    }

    static let identity = WriteIdentity(uid: 7, client: ClientID(high: 1, low: 2), sequence: 5)

    private func fillRealtime(_ batches: ClosedRange<Int64>) throws {
        guard let instance = Self.instance else { return }
        try StoreFolder.makeFolders(above: realtimePath)
        let store = try RealtimeSQLiteStore(
            RealtimeStoreConfiguration(path: realtimePath, instance: instance))
        try store.transaction { transaction throws(StoreError) in
            for number in batches {
                let place = WritePath(RealtimePath([ChildKey(unchecked: "w\(number)")]))
                try transaction.append(
                    QueuedWrite(
                        id: BatchID(number),
                        change: .set(place, UnresolvedNode(Node(.integer(number)))),
                        writtenAt: Self.now, user: Self.user,
                        writer: Writer(uid: 7, gid: 7, pid: 7)))
            }
            try transaction.noteSent(through: BatchID(batches.lowerBound), of: Self.user)
        }
    }

    private static func batch(_ number: Int64) throws -> QueuedBatch {
        QueuedBatch(
            batch: MutationBatch(
                id: BatchID(number), writtenAt: now,
                promisedAt: Timestamp(promising: number * 1_000_000),
                mutations: [
                    Mutation(key: try DocumentKey(parsing: "rooms/\(number)"), kind: .set(.empty))
                ]),
            user: user, writer: Writer(uid: 7, gid: 7, pid: 7))
    }

    /// The bytes of a backup of the folder.
    func backup(_ subjects: [BackupEntry.Subject]? = nil) throws -> [UInt8] {
        let stream = BackupStream(
            BackupHeader(salt: 99, time: Self.now, machine: "here", daemonVersion: "1"),
            of: subjects ?? allSubjects, in: folder.path
        ) { key, path throws(HearthError) in
            do throws(StoreError) {
                return try StoredDatabase(
                    key, at: StoreFolder.path(of: key, in: folder.path)
                ).copy(to: path)
            } catch {
                throw HearthError(code: .unavailable, message: "\(error)")
            }
        }
        var bytes: [UInt8] = []
        while let part = try stream.next() { bytes += part }
        return bytes
    }

    private var allSubjects: [BackupEntry.Subject] {
        StoreFolder.databases(in: folder.path).map { .store($0.key) } + [.keptPlaces]
    }

    /// The bytes of every file below the folder, by its path.
    var contents: [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: Self.files(below: folder.path).map { path in
                let file = RawFile(path)
                return (path, file?.bytes(file?.byteCount ?? 0, at: 0) ?? [])
            })
    }

    private static func files(below folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var found: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            let path = folder + "/" + name
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            found += status.st_mode & S_IFMT == S_IFDIR ? files(below: path) : [path]
        }
        return found
    }

    /// Restores bytes into this folder.
    @discardableResult
    func restore(
        _ bytes: [UInt8], _ order: BackupRestore.Order = BackupRestore.Order()
    ) throws(BackupError) -> BackupRestore.Outcome {
        try BackupRestore(of: try Self.file(of: bytes), to: folder.path, order).run()
    }

    /// A backup file of these bytes.
    static func file(of bytes: [UInt8]) throws(BackupError) -> BackupFile {
        let place = TemporaryFolder()
        let path = place.path + "/backup"
        try RestoredFile.write(bytes, to: path)
        return try BackupFile(path: path)  // Open, so that it may lose its name.
    }

    /// A number that a query of the Firestore store answers with.
    func number(_ sql: String) throws -> Int64? {
        try Connection(path: path, isReadOnly: true).number(sql)
    }

    /// The same of the store of the instance.
    func realtimeNumber(_ sql: String) throws -> Int64? {
        try Connection(path: realtimePath, isReadOnly: true).number(sql)
    }

    /// The name of the Firestore store among all daemons'.
    var daemon: String? {
        get throws { try Connection(path: path, isReadOnly: true).text("SELECT daemon FROM store") }
    }
}

/// Lets a turn throw whatever it likes where a store's error is expected.
func typed<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
    do {
        return try body()
    } catch let error as StoreError {
        throw error
    } catch {
        throw .io("\(error)")
    }
}
