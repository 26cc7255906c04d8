import HearthFirestore
import HearthModel
import HearthProtocol

/// One step of accepting a write, as the intake log tells it (`IntakeWriter` has the bytes).
enum IntakeEntry: Hashable {
    /// A batch came to the end of its queue.
    case batch(QueuedBatch)
    /// A pending effect was stored.
    case overlay(Overlay, UserID)
    /// A write that waits was noted.
    case record(WriteIdentity, BatchID)
    /// A client needs no record of its writes below a number.
    case answered(WriteClient, below: UInt64)
    /// A batch came so far.
    case state(BatchState, BatchID, UserID)
    /// The counters became these.
    case globals(StoreGlobals)

    /// Reads the entries of one record.
    ///
    /// - Throws: `StoreError.damaged` for bytes that no group leaves.
    static func entries(from bytes: [UInt8], _ codec: FirestoreCodec) throws(StoreError)
        -> [IntakeEntry]
    {
        var reader = IntakeReader(bytes)
        var entries: [IntakeEntry] = []
        while !reader.isAtEnd { entries.append(try entry(from: &reader, codec)) }
        return entries
    }

    private static func entry(from reader: inout IntakeReader, _ codec: FirestoreCodec)
        throws(StoreError) -> IntakeEntry
    {
        guard let kind = IntakeWriter.Kind(rawValue: try reader.byte()) else {
            throw IntakeReader.damage
        }
        switch kind {
        case .batch: return .batch(try batch(from: &reader, codec))
        case .overlay:
            let id = BatchID(try reader.number())
            let user = UserID(try reader.text() ?? "")
            let bytes = try reader.data()
            let mutation = try read(bytes) { bytes throws(StoreError) in
                try BatchBytes.mutation(from: bytes, codec)
            }
            return .overlay(Overlay(largestBatchID: id, mutation: mutation), user)
        case .record:
            let id = BatchID(try reader.number())
            let (client, sequence) = try client(from: &reader)
            return .record(
                WriteIdentity(uid: client.uid, client: client.client, sequence: sequence), id)
        case .answered:
            let (client, sequence) = try client(from: &reader)
            return .answered(client, below: sequence)
        case .state:
            let id = BatchID(try reader.number())
            guard let state = BatchState(stored: try reader.number()) else {
                throw IntakeReader.damage
            }
            return .state(state, id, UserID(try reader.text() ?? ""))
        case .globals: return .globals(try globals(from: &reader))
        }
    }

    private static func batch(from reader: inout IntakeReader, _ codec: FirestoreCodec)
        throws(StoreError) -> QueuedBatch
    {
        let id = BatchID(try reader.number())
        let user = UserID(try reader.text() ?? "")
        guard let state = BatchState(stored: try reader.number()) else { throw IntakeReader.damage }
        let writtenAt = try time(from: &reader)
        let writer = Writer(
            uid: UInt32(truncatingIfNeeded: try reader.number()),
            gid: UInt32(truncatingIfNeeded: try reader.number()),
            pid: Int32(truncatingIfNeeded: try reader.number()), unit: try reader.text(),
            program: try reader.text())
        let lists = [try reader.data(), try reader.data()]
        var mutations: [[Mutation]] = []
        for list in lists {
            mutations.append(
                try read(list) { bytes throws(StoreError) in
                    try BatchBytes.mutations(from: bytes, codec)
                })
        }
        let batch = MutationBatch(
            id: id, writtenAt: writtenAt, baseMutations: mutations[0], mutations: mutations[1])
        return QueuedBatch(batch: batch, user: user, state: state, writer: writer)
    }

    private static func globals(from reader: inout IntakeReader) throws(StoreError)
        -> StoreGlobals
    {
        var globals = StoreGlobals()
        globals.highestTargetID = TargetID(Int32(truncatingIfNeeded: try reader.number()))
        globals.sequenceNumber = try reader.number()
        globals.lastRemoteVersion = SnapshotVersion(try time(from: &reader))
        globals.lastBatchID = BatchID(try reader.number())
        globals.createsIndexes = try reader.number() != 0
        return globals
    }

    private static func time(from reader: inout IntakeReader) throws(StoreError) -> Timestamp {
        let seconds = try reader.number()
        let nanoseconds = try reader.number()
        guard (0..<1_000_000_000).contains(nanoseconds) else { throw IntakeReader.damage }
        return Timestamp(seconds: seconds, nanoseconds: Int32(nanoseconds))
    }

    private static func client(from reader: inout IntakeReader) throws(StoreError)
        -> (WriteClient, sequence: UInt64)
    {
        let uid = UInt32(truncatingIfNeeded: try reader.number())
        let client = ClientID(
            high: UInt64(bitPattern: try reader.number()),
            low: UInt64(bitPattern: try reader.number()))
        let sequence = UInt64(bitPattern: try reader.number())
        return (WriteClient(uid: uid, client: client), sequence)
    }

    private static func read<Result>(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        do {
            return try bytes.withUnsafeBytes { try body($0) }
        } catch let error as StoreError {
            throw error
        } catch {
            throw IntakeReader.damage
        }
    }
}

extension SQLiteTransaction {
    /// Does again what the log tells of.
    func apply(_ entry: IntakeEntry) throws(StoreError) {
        switch entry {
        case .batch(let batch): try append(batch)
        case .overlay(let overlay, let user): try setOverlays([overlay], of: user)
        case .record(let write, let batch):
            try setRecord(WriteRecord(batch: batch, outcome: .pending), of: write)
        case .answered(let client, let sequence):
            try removeRecords(of: client.client, uid: client.uid, below: sequence)
        case .state(let state, let batch, let user):
            try setState(state, of: batch, user: user)
        case .globals(let globals): try setGlobals(globals)
        }
    }
}

/// Reads the bytes of an `IntakeWriter`.
struct IntakeReader {
    /// What it throws for bytes that are none of its writer's.
    static let damage = StoreError.damaged("a record of the intake log")

    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether all was read.
    var isAtEnd: Bool { place == bytes.count }

    /// Reads one byte.
    mutating func byte() throws(StoreError) -> UInt8 {
        guard place < bytes.count else { throw Self.damage }
        defer { place += 1 }
        return bytes[place]
    }

    /// Reads a whole number.
    mutating func number() throws(StoreError) -> Int64 {
        Int64(bitPattern: try little(8))
    }

    /// Reads bytes behind their length.
    mutating func data() throws(StoreError) -> [UInt8] {
        guard let data = try optionalData() else { throw Self.damage }
        return data
    }

    /// Reads a text; `nil` where none was written.
    mutating func text() throws(StoreError) -> String? {
        try optionalData().map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func optionalData() throws(StoreError) -> [UInt8]? {
        let count = try little(4)
        guard count != UInt64(UInt32.max) else { return nil }
        guard Int(count) <= bytes.count - place else { throw Self.damage }
        defer { place += Int(count) }
        return [UInt8](bytes[place..<(place + Int(count))])
    }

    private mutating func little(_ count: Int) throws(StoreError) -> UInt64 {
        guard count <= bytes.count - place else { throw Self.damage }
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(bytes[place + index]) << UInt64(8 * index) }
        place += count
        return value
    }
}
