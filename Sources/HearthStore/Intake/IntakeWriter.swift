import HearthFirestore
import HearthModel

/// What a group did, put together as bytes for the intake log while it is done.
///
/// Only what accepting a write consists of has a form here. `changeCount` says how many changed rows
/// that accounts for; a group that changed more did something else besides.
///
/// Shape: entries, each a kind u8 and its fields; numbers are 8 bytes LE, texts and bytes stand behind
/// their length u32 LE, and a text that is missing has the length 0xFFFFFFFF.
struct IntakeWriter: Hashable {
    /// The kinds of entries.
    enum Kind: UInt8 {
        case batch = 1
        case overlay = 2
        case record = 3
        case answered = 4
        case state = 5
        case globals = 6
    }

    /// What was put together so far.
    private(set) var bytes: [UInt8] = []
    /// How many changed rows it stands for.
    var changeCount: Int64 = 0

    /// A batch that was appended, with its writes as they are stored.
    mutating func batch(_ queued: QueuedBatch, baseWrites: [UInt8], writes: [UInt8]) {
        begin(.batch)
        number(queued.batch.id.rawValue)
        text(queued.user.rawValue)
        number(queued.state.stored)
        number(queued.batch.writtenAt.seconds)
        number(Int64(queued.batch.writtenAt.nanoseconds))
        number(Int64(queued.writer.uid))
        number(Int64(queued.writer.gid))
        number(Int64(queued.writer.pid))
        text(queued.writer.unit)
        text(queued.writer.program)
        data(baseWrites)
        data(writes)
    }

    /// A pending effect that was stored, with its write as it is stored.
    mutating func overlay(_ batch: BatchID, mutation: [UInt8], of user: UserID) {
        begin(.overlay)
        number(batch.rawValue)
        text(user.rawValue)
        data(mutation)
    }

    /// A write that waits, noted so that its resend is recognised.
    mutating func record(_ batch: BatchID, of write: WriteIdentity) {
        begin(.record)
        number(batch.rawValue)
        client(write.client, write.uid, write.sequence)
    }

    /// The writes of a client that need no record any more.
    mutating func answered(_ client: ClientID, uid: UInt32, below sequence: UInt64) {
        begin(.answered)
        self.client(client, uid, sequence)
    }

    /// How far a batch has come.
    mutating func state(_ state: BatchState, of batch: BatchID, user: UserID) {
        begin(.state)
        number(batch.rawValue)
        number(state.stored)
        text(user.rawValue)
    }

    /// The counters as the group left them.
    mutating func globals(_ globals: StoreGlobals) {
        begin(.globals)
        number(Int64(globals.highestTargetID.rawValue))
        number(globals.sequenceNumber)
        number(globals.lastRemoteVersion.timestamp.seconds)
        number(Int64(globals.lastRemoteVersion.timestamp.nanoseconds))
        number(globals.lastBatchID.rawValue)
        number(globals.createsIndexes ? 1 : 0)
    }

    private mutating func begin(_ kind: Kind) { bytes.append(kind.rawValue) }

    private mutating func client(_ client: ClientID, _ uid: UInt32, _ sequence: UInt64) {
        number(Int64(uid))
        number(Int64(bitPattern: client.high))
        number(Int64(bitPattern: client.low))
        number(Int64(bitPattern: sequence))
    }

    private mutating func number(_ value: Int64) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func length(_ count: UInt32) {
        withUnsafeBytes(of: count.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private mutating func data(_ value: [UInt8]) {
        length(UInt32(value.count))
        bytes += value
    }

    private mutating func text(_ value: String?) {
        guard let value else { return length(.max) }
        length(UInt32(value.utf8.count))
        bytes += value.utf8
    }
}
