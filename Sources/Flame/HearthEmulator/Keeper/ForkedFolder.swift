import Glibc
import HearthBackend
package import HearthEngine
package import HearthModel

/// Makes a data folder of an emulator out of documents, with files of writes and of history beside them.
///
/// The folder holds `firestore.sqlite`, which the emulator opens, and `queue.ndjson`, which the emulator
/// leaves alone: a line of JSON for each batch, with its writes in the form that a request to commit
/// has them. A history of documents, which an emulator has no use for, is in `history.ndjson`: a line of
/// JSON for each step, with its documents in the form of a request for a document. Trees of the Realtime
/// Database are in `realtime.sqlite`, which the emulator opens, and the writes that wait for the Realtime
/// Database in `realtime-queue.ndjson`: a line of JSON for each, with its places and what is to be there
/// in the export form.
package final class ForkedFolder {
    /// A batch that waits for the backend, with everything that a line of the file tells.
    package struct Batch: Sendable {
        /// Its number in the queue.
        package let id: BatchID
        /// The Firebase user whose queue it is in.
        package let user: UserID
        /// How far it has come.
        package let state: BatchState
        /// When it was accepted.
        package let writtenAt: Timestamp
        /// Who wrote it.
        package let writer: Writer
        /// The writes, in their order.
        package let mutations: [Mutation]

        /// Describes a batch.
        ///
        /// - Parameters:
        ///   - id: The batch's number in the queue.
        ///   - user: The Firebase user whose queue holds the batch.
        ///   - state: How far the batch has come.
        ///   - writtenAt: When the daemon accepted the batch.
        ///   - writer: Who wrote the batch.
        ///   - mutations: The writes, in their order.
        package init(
            id: BatchID, user: UserID, state: BatchState, writtenAt: Timestamp, writer: Writer,
            mutations: [Mutation]
        ) {
            self.id = id
            self.user = user
            self.state = state
            self.writtenAt = writtenAt
            self.writer = writer
            self.mutations = mutations
        }
    }

    /// The file of batches.
    package static let queueFileName = "queue.ndjson"
    /// The file of steps in the history of documents, which is there only if there are any.
    package static let historyFileName = "history.ndjson"

    /// How many documents the folder has.
    package private(set) var documentCount = 0
    /// How many documents were left out, because they exist with unknown fields.
    package private(set) var unknownCount = 0
    /// How many batches the file tells of.
    package private(set) var batchCount = 0
    /// How many steps of documents' history the folder tells of.
    package private(set) var stepCount = 0

    /// How many trees the folder has.
    package var treeCount: Int { namespaces.count }
    /// The trees that the emulator cannot serve.
    package internal(set) var leftOutTrees: [LeftOutTree] = []
    /// How many writes to trees the folder tells of.
    package internal(set) var treeWriteCount = 0

    let database: DatabaseID
    /// The names of the trees.
    var namespaces: Set<RealtimeNamespace> = []
    private let path: String
    private let keeper: Keeper
    private let queue: UnsafeMutablePointer<FILE>
    private var history: UnsafeMutablePointer<FILE>?
    private var treeQueue: UnsafeMutablePointer<FILE>?
    private var nodes: RealtimeKeeper?
    private var clock = SnapshotVersion.zero

    /// Begins a folder, which must be there and be empty.
    ///
    /// - Throws: `HearthError` if the folder cannot be written.
    package init(path: String, of database: DatabaseID) throws(HearthError) {
        self.path = path
        self.database = database
        keeper = try Keeper(folder: path)
        queue = try Self.makeFile(Self.queueFileName, in: path)
    }

    deinit {
        for file in [queue, history, treeQueue].compactMap(\.self) { fclose(file) }
    }

    private static func makeFile(
        _ name: String, in path: String
    ) throws(HearthError) -> UnsafeMutablePointer<FILE> {
        guard let file = fopen("\(path)/\(name)", "wxe") else { throw failure("make", path) }
        return file
    }

    /// Adds documents, as they are at the backend. Each once.
    ///
    /// A server timestamp that the backend has not set yet becomes the time at which the program
    /// wrote the timestamp here. A document that waiting writes have changed bears the time that
    /// the writes promised.
    ///
    /// - Throws: `HearthError` if the disk fails.
    package func append(_ documents: [Document]) throws(HearthError) {
        var saves: [(DatabaseID, BackendAction.Save)] = []
        for document in documents {
            guard document.isFound else {
                unknownCount += 1
                continue
            }
            let settled = Self.settled(document)
            clock = max(clock, settled.version)
            saves.append((database, .version(settled)))
        }
        if saves.isEmpty { return }
        documentCount += saves.count
        try keeper.save(saves, clock: clock)
    }

    /// Adds a line to the file of batches.
    ///
    /// - Throws: `HearthError` if the disk fails.
    package func append(_ batch: Batch) throws(HearthError) {
        try write(try line(of: batch), to: queue)
        batchCount += 1
    }

    /// Adds a line to the file of history, which is made for the first.
    ///
    /// - Throws: `HearthError` if the disk fails.
    package func append(_ step: HistoryEntry) throws(HearthError) {
        let file: UnsafeMutablePointer<FILE>
        if let history {
            file = history
        } else {
            file = try Self.makeFile(Self.historyFileName, in: path)
            history = file
        }
        try write(try line(of: step), to: file)
        stepCount += 1
    }

    /// The file of writes to trees, made for the first.
    func treeQueueFile() throws(HearthError) -> UnsafeMutablePointer<FILE> {
        if let treeQueue { return treeQueue }
        let file = try Self.makeFile(Self.treeQueueFileName, in: path)
        treeQueue = file
        return file
    }

    /// The file of trees, made for the first.
    func treeKeeper() throws(HearthError) -> RealtimeKeeper {
        if let nodes { return nodes }
        let made = try RealtimeKeeper(folder: path)
        nodes = made
        return made
    }

    func write(
        _ line: [UInt8], to file: UnsafeMutablePointer<FILE>
    ) throws(HearthError) {
        let line = line + [UInt8(ascii: "\n")]
        guard fwrite(line, 1, line.count, file) == line.count else {
            throw Self.failure("write", path)
        }
    }

    /// Closes the folder and has all of it last. Nothing can be added after that.
    ///
    /// - Throws: `HearthError` if the disk fails.
    package func finish() throws(HearthError) {
        // Clients resume from the folder's past, and it has none.
        try keeper.save([(database, .historyStart(clock))], clock: clock)
        keeper.close()
        nodes?.close()
        for file in [queue, history, treeQueue].compactMap(\.self) {
            guard fflush(file) == 0, fsync(fileno(file)) == 0 else {
                throw Self.failure("write", path)
            }
        }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("open", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.failure("sync", path) }
    }

    // MARK: Documents

    static func settled(_ document: Document) -> Document {
        var version = document.version
        if document.hasLocalMutations {
            version = SnapshotVersion(document.promisedAt ?? document.createdAt.timestamp)
        }
        // No document of a backend is as old as the epoch.
        let first = SnapshotVersion(Timestamp(microseconds: 1))
        version = max(first, SnapshotVersion(version.timestamp.flooredToMicroseconds))
        let created = document.createdAt == .zero ? version : min(document.createdAt, version)
        return .found(
            document.key, at: version, settled(document.fields), createdAt: created)
    }

    private static func settled(_ fields: MapValue) -> MapValue {
        MapValue(
            entries: fields.entries.map {
                MapValue.Entry(key: $0.key, value: settled($0.value))
            })
    }

    /// Pending times lie in maps only, never in arrays.
    private static func settled(_ value: Value) -> Value {
        switch value {
        case .serverTimestamp(let pending):
            .timestamp(pending.localWriteTime.flooredToMicroseconds)
        case .map(let map): .map(settled(map))
        case .null, .boolean, .integer, .double, .timestamp, .string, .bytes, .reference,
            .geoPoint, .array:
            value
        }
    }

    private static func failure(_ verb: String, _ path: String) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "Cannot \(verb) \(path): \(String(cString: strerror(errno))).")
    }
}
