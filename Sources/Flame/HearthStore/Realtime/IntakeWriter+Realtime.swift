import HearthEngine
import HearthModel
import HearthRealtime
import HearthSQLite

/// The kinds of entries of a Realtime Database's store, beside `QueueIntakeKind`. A number keeps its
/// meaning for good: a later program reads the log of an earlier one.
enum RealtimeIntakeKind: UInt8 {
    case write = 64
    case writeLeft = 65
    case deadLetter = 66
    case globals = 67
    case serverNode = 68
    case trackedQuery = 69
    case trackedQueryRemoved = 70
    case trackedQueriesDeactivated = 71
    case trackedKeys = 72
    case trackedKeysRemoved = 73
    case serverPruned = 74
}

/// What the intake log tells of a group.
///
/// Each call that changes the store has an entry, except the calls that are rare or change much
/// (editing the queue, clearing, large nodes). A list of keys is a number, then the text of each.
extension IntakeWriter {
    /// A write that was appended, with the stored bytes of its change.
    mutating func queuedWrite(_ write: QueuedWrite, change: [UInt8]) {
        begin(.write)
        head(write.head)
        data(change)
    }

    /// A write that left the queue of a user.
    mutating func writeLeft(_ id: BatchID, of user: UserID) {
        begin(.writeLeft)
        number(id.rawValue)
        text(user.rawValue)
    }

    /// A write that was rejected, with the stored bytes of its change.
    mutating func deadLetter(_ letter: RealtimeDeadLetter, change: [UInt8]) {
        begin(.deadLetter)
        head(letter.write.head)
        data(change)
        refusal(letter.error, at: letter.rejectedAt, mayHaveBeenApplied: letter.mayHaveBeenApplied)
    }

    /// The counters as the group left them.
    mutating func globals(_ globals: RealtimeGlobals) {
        begin(.globals)
        number(globals.lastWriteID.rawValue)
        number(globals.lastQueryID.rawValue)
    }

    /// A node of the server's tree that was replaced, with its bytes.
    mutating func serverNode(_ node: [UInt8], at place: WritePath) {
        begin(.serverNode)
        text(place.description)
        data(node)
    }

    /// A place of the server's tree that was forgotten, except for places below.
    mutating func serverPruned(at path: RealtimePath, except kept: [RealtimePath]) {
        begin(.serverPruned)
        text(path.description)
        number(Int64(kept.count))
        for place in kept { text(place.description) }
    }

    /// A query that is remembered.
    mutating func trackedQuery(_ query: TrackedQuery) {
        begin(.trackedQuery)
        number(query.id.rawValue)
        text(query.target.path.description)
        text(QueryText.text(of: query.target.query))
        time(query.lastUse)
        number(query.isComplete ? 1 : 0)
        number(query.isActive ? 1 : 0)
        text(nil)
    }

    /// A query that was forgotten.
    mutating func trackedQueryRemoved(_ id: TrackedQueryID) {
        begin(.trackedQueryRemoved)
        number(id.rawValue)
    }

    /// Nobody listens to any query.
    mutating func trackedQueriesDeactivated() {
        begin(.trackedQueriesDeactivated)
    }

    /// Children that came to a filtered query, and children that left the query.
    mutating func trackedKeys(
        of query: TrackedQueryID, added: some Collection<ChildKey>,
        removed: some Collection<ChildKey>
    ) {
        begin(.trackedKeys)
        number(query.rawValue)
        keys(added)
        keys(removed)
    }

    /// A filtered query that has no children.
    mutating func trackedKeysRemoved(of query: TrackedQueryID) {
        begin(.trackedKeysRemoved)
        number(query.rawValue)
    }

    private mutating func keys(_ keys: some Collection<ChildKey>) {
        number(Int64(keys.count))
        for key in keys { text(key.text) }
    }

    private mutating func begin(_ kind: RealtimeIntakeKind) {
        begin(kind.rawValue)
    }
}
