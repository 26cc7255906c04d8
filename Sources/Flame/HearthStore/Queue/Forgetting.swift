import HearthEngine
import HearthModel

/// How far the forgetting of answered writes has come, a few rows at a time.
///
///     idle --too many, perhaps--> counting --as many as may stay--+
///       \------------------------------------------------------> records --none left--> idle
///     records --none left, too many clients, perhaps--> sampling --too many--> clients --> idle
///
/// The transaction that deletes a record also notes the number below which the client's writes were
/// forgotten. So whatever a failure or a power cut undoes, the store takes no resend for a new
/// write. Nothing in this structure is undone with the rows: the next step looks for rows anew, and
/// a count is only an upper bound.
package struct Forgetting {
    /// What is done next.
    enum Stage {
        case idle
        /// Counts the newest records; `count` records lie behind the place.
        case counting(downTo: RecordPlace, count: Int)
        /// Forgets the oldest records: all before a place, and all that are too old.
        case records(before: RecordPlace?)
        /// Looks at the clients behind a place; keeps when some of the clients were noted.
        case sampling(behind: ClientPlace, count: Int, times: [Timestamp])
        /// Forgets so many of the clients behind a place that were noted up to a time.
        case clients(behind: ClientPlace, notedUpTo: Timestamp, count: Int)
    }

    /// How many rows there are at most, counted once and then added to.
    struct Bound {
        private var counted: Int?
        private var addedCount = 0

        /// Whether a count is due: there may be a sixteenth more than may stay.
        func exceeds(_ countMax: Int) -> Bool {
            guard let counted else { return true }
            return counted + addedCount > countMax + countMax / 16
        }

        /// Notes rows that may be new.
        mutating func add(_ count: Int) { addedCount += count }

        /// A count begins: rows added from now on are added to the result.
        mutating func beginCounting() {
            counted = nil
            addedCount = 0
        }

        /// So many were counted.
        mutating func counted(_ count: Int) { counted = count }
    }

    var stage = Stage.idle
    /// Answered writes that are known.
    var records = Bound()
    /// Clients whose forgotten writes are remembered.
    var clients = Bound()

    /// Has forgotten nothing yet.
    package init() {}
}

/// A client as the tables' keys order it.
struct ClientPlace: Hashable {
    let uid: Int64
    let high: Int64
    let low: Int64

    /// Before all others.
    static let begin = ClientPlace(uid: -1, high: 0, low: 0)

    /// The client as write records name it.
    var client: WriteClient {
        WriteClient(
            uid: UInt32(truncatingIfNeeded: uid),
            client: ClientID(high: UInt64(bitPattern: high), low: UInt64(bitPattern: low)))
    }
}

/// An answered write as `write_records_by_age` orders writes.
///
/// The oldest write comes first. Of the writes noted at one time, the writes of a client come
/// together.
struct RecordPlace: Comparable {
    let notedAt: [UInt8]
    let client: ClientPlace
    let sequence: Int64

    /// Behind all others.
    static let end = RecordPlace(
        notedAt: [UInt8](repeating: 0xFF, count: TimeBytes.count + 1), client: .begin, sequence: 0)

    static func < (left: RecordPlace, right: RecordPlace) -> Bool {
        if left.notedAt != right.notedAt {
            return left.notedAt.lexicographicallyPrecedes(right.notedAt)
        }
        let (first, second) = (left.client, right.client)
        return (first.uid, first.high, first.low, left.sequence)
            < (second.uid, second.high, second.low, right.sequence)
    }
}

/// What may stay of answered writes.
package struct RecordBounds {
    /// How many, and a sixteenth more for a while.
    let countMax: Int
    /// Writes noted before this time go, however few writes there are.
    let notedBefore: Timestamp
    /// Rejected batches with told writers go if they were rejected before this time.
    let toldBefore: Timestamp
    /// How many clients with forgotten writes are remembered, and a sixteenth more for a while.
    let clientCountMax: Int
}
