import Glibc
import HearthBackend
package import HearthEngine
package import HearthModel
import HearthProtocol

/// Makes a data folder of an emulator out of documents, and a file of writes beside them.
///
/// The folder holds `firestore.sqlite`, which the emulator opens, and `queue.ndjson`, which the emulator
/// leaves alone: a line of JSON for each batch, with its writes in the form that a request to commit
/// has them.
package final class ForkedFolder {
    /// A batch that waits for the backend, with all that a line tells of it.
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

    /// How many documents the folder has.
    package private(set) var documentCount = 0
    /// How many documents were left out, because they exist with unknown fields.
    package private(set) var unknownCount = 0
    /// How many batches the file tells of.
    package private(set) var batchCount = 0

    private let database: DatabaseID
    private let path: String
    private let keeper: Keeper
    private let queue: UnsafeMutablePointer<FILE>
    private var clock = SnapshotVersion.zero

    /// Begins a folder, which must be there and be empty.
    ///
    /// - Throws: `HearthError` if the folder cannot be written.
    package init(path: String, of database: DatabaseID) throws(HearthError) {
        self.path = path
        self.database = database
        keeper = try Keeper(folder: path)
        guard let queue = fopen("\(path)/\(Self.queueFileName)", "wxe") else {
            throw Self.failure("make", path)
        }
        self.queue = queue
    }

    deinit { fclose(queue) }

    /// Adds documents, as they are at the backend. Each once.
    ///
    /// A time that the backend has not set yet becomes the time at which it was written here; a document
    /// that waiting writes have changed bears the time that they promised.
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
        let line = try line(of: batch) + [UInt8(ascii: "\n")]
        guard fwrite(line, 1, line.count, queue) == line.count else {
            throw Self.failure("write", path)
        }
        batchCount += 1
    }

    /// Closes the folder and has all of it last. Nothing can be added after that.
    ///
    /// - Throws: `HearthError` if the disk fails.
    package func finish() throws(HearthError) {
        // Clients resume from the folder's past, and it has none.
        try keeper.save([(database, .historyStart(clock))], clock: clock)
        keeper.close()
        guard fflush(queue) == 0, fsync(fileno(queue)) == 0 else {
            throw Self.failure("write", path)
        }
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.failure("open", path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.failure("sync", path) }
    }

    // MARK: Documents

    private static func settled(_ document: Document) -> Document {
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

    // MARK: Batches

    private func line(of batch: Batch) throws(HearthError) -> [UInt8] {
        var text = JSONText()
        text.beginObject()
        text.name("batch")
        text.integer(batch.id.rawValue)
        text.name("state")
        text.string(batch.state.rawValue)
        text.name("writtenAt")
        text.string(batch.writtenAt.description)
        text.name("user")
        text.string(batch.user.rawValue)
        Self.write(batch.writer, to: &text)
        text.name("writes")
        text.beginArray()
        for mutation in batch.mutations { text.value(try json(of: mutation)) }
        text.endArray()
        text.endObject()
        return text.bytes
    }

    private static func write(_ writer: Writer, to text: inout JSONText) {
        for (name, number) in [
            ("uid", Int64(writer.uid)), ("gid", Int64(writer.gid)), ("pid", Int64(writer.pid)),
        ] {
            text.name(name)
            text.integer(number)
        }
        for (name, word) in [("unit", writer.unit), ("program", writer.program)] {
            text.name(name)
            if let word { text.string(word) } else { text.null() }
        }
    }

    private func json(of mutation: Mutation) throws(HearthError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(CodecError) {
            bytes = try FirestoreCodec(database: database).mutationBytes(mutation)
        } catch {
            throw HearthError(code: .internalError, message: "\(mutation.key): \(error)")
        }
        return try ProtoToJSON.json(of: bytes, as: "Write")
    }

    private static func failure(_ verb: String, _ path: String) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "Cannot \(verb) \(path): \(String(cString: strerror(errno))).")
    }
}
