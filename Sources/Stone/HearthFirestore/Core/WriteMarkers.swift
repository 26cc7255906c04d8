import HashTreeCollections
import HearthEngine
import HearthModel

/// Which batches of a user's queue carry a marker.
///
/// A marker is a document that the batch's commit creates and that must not exist before. So the
/// backend can apply only one copy of a batch, whichever copy lands first. If a later copy fails,
/// the marker tells that the backend applied an earlier copy.
///
/// Every batch carries one that has room. A batch that could be applied twice without harm to
/// itself would undo the batches behind: the backend may have applied these too, and their markers
/// keep them from being applied again.
///
///     unknown --asked--> asking --may--> allowed
///        ^                 |   \--may not--> denied
///        +-----failed------+
struct WriteMarkers: Sendable {
    /// Whether the backend's rules let us make, read and delete markers.
    enum Permission: Hashable, Sendable {
        case unknown, asking, allowed
        case denied(HearthError)
    }

    /// A batch that failed in doubt, whose documents the engine reads.
    struct Question: Hashable, Sendable {
        let batch: BatchID
        /// How the batch failed.
        let error: HearthError
        /// Whether the batch's marker is read too, in front of the documents.
        let isMarked: Bool
    }

    /// How many writes a batch may take of the limit of a request, in bytes, so that a marker fits.
    static let markedByteCountMax = (10 << 20) - (64 << 10)
    /// How long a marker stays behind its batch's answer. A copy can land late, but not so late.
    static let keepingTime = Duration.seconds(3_600)

    /// Whose markers they are: no other daemon of the same user has this name.
    let daemon: String
    /// Whose queue it is.
    let user: UserID
    /// Where markers lie, by the batch that an era began with.
    private(set) var eras: [MarkerEra]
    var permission = Permission.unknown
    /// What the engine asks the backend about a batch that failed in doubt.
    var question: Question?
    /// The uptime since which former runs' batches are known as answered; `nil` once their markers
    /// are gone.
    var leftoversSince: Duration?
    /// Answered batches whose markers are still there, by the minute of uptime of the answer. A wall
    /// clock that is put right would let markers go while copies are still on the way.
    private var answered: TreeDictionary<Int64, BatchSet> = [:]

    /// The markers of a user's queue.
    init(daemon: String = "", user: UserID = .unauthenticated, eras: [MarkerEra] = []) {
        self.daemon = daemon
        self.user = user
        self.eras = eras
    }

    /// The collection for a batch by its number, or `nil`.
    func collection(for batch: BatchID) -> ResourcePath? {
        eras.last { $0.from <= batch }?.collection
    }

    /// Lets another collection count from a batch on, which was never sent.
    ///
    /// - Parameter first: The first batch that is not answered; eras in front of it are forgotten.
    /// - Returns: Whether that is news, which must be stored.
    mutating func begin(at batch: BatchID, in collection: ResourcePath?, first: BatchID) -> Bool {
        guard eras.last?.collection != collection else { return false }
        eras.removeAll { $0.from >= batch }
        eras.append(MarkerEra(from: batch, in: collection))
        while eras.count > 1, eras[1].from <= first { eras.removeFirst() }
        return true
    }

    /// Whether a batch is larger than leaves room for a marker.
    private static func isUnmarkable(_ queued: QueuedBatch) -> Bool {
        let byteCount =
            queued.storedByteCount
            ?? queued.batch.mutations.reduce(0) { $0 + $1.byteCountBound }
        return byteCount + queued.batch.mutations.count > markedByteCountMax
    }

    /// Whether a batch goes without a marker among batches that carry one.
    ///
    /// Nothing may be sent behind such a batch until its answer comes.
    func lacksMarker(_ queued: QueuedBatch) -> Bool {
        collection(for: queued.batch.id) != nil && Self.isUnmarkable(queued)
    }

    /// The document that marks a batch; `nil` if none does.
    func marker(of queued: QueuedBatch) -> DocumentKey? {
        guard let collection = collection(for: queued.batch.id), !Self.isUnmarkable(queued) else {
            return nil
        }
        return document(of: queued.batch.id, in: collection)
    }

    /// The write that makes a batch's marker.
    ///
    /// The time of acceptance tells the batch from a batch of the same number, of a daemon whose
    /// store was put back to an earlier state.
    func write(for queued: QueuedBatch) -> Mutation? {
        marker(of: queued).map {
            Mutation(
                key: $0, kind: .set([Self.acceptedAt: .timestamp(queued.batch.writtenAt)]),
                precondition: .exists(false))
        }
    }

    /// Whether a document is the marker of a batch.
    func marks(_ document: Document, _ queued: QueuedBatch) -> Bool {
        document.isFound && document.key == marker(of: queued)
            && document.fields[Self.acceptedAt] == .timestamp(queued.batch.writtenAt)
    }

    /// A marker that is made and deleted at once, to see whether the rules allow it.
    func trial(in collection: ResourcePath) -> DocumentKey? {
        key("trial", in: collection)
    }

    /// No answer will come to what the backend was asked.
    mutating func forgetCalls() {
        question = nil
        if permission == .asking { permission = .unknown }
    }

    // MARK: What is to go

    /// A batch with a marker was answered, at an uptime.
    mutating func answered(_ batch: BatchID, at uptime: Duration) {
        answered[Self.minute(of: uptime), default: BatchSet()].insert(batch)
    }

    /// Whether markers that are of no use since an uptime may go.
    static func mayGo(since answer: Duration, at uptime: Duration) -> Bool {
        mayGo(sinceMinute: minute(of: answer), at: uptime)
    }

    private static func mayGo(sinceMinute minute: Int64, at uptime: Duration) -> Bool {
        minute + Self.minute(of: keepingTime) < Self.minute(of: uptime)
    }

    private static func minute(of uptime: Duration) -> Int64 { uptime.components.seconds / 60 }

    /// Whether any marker of this run is still there.
    var hasAnswered: Bool { !answered.isEmpty }

    /// Whether a batch was answered in this run, and its marker is still there.
    func isAnswered(_ batch: BatchID) -> Bool { answered.values.contains { $0.contains(batch) } }

    /// Takes out the markers whose time has come at an uptime.
    mutating func due(at uptime: Duration, in collection: ResourcePath) -> [DocumentKey] {
        var keys: [DocumentKey] = []
        for (minute, batches) in answered where Self.mayGo(sinceMinute: minute, at: uptime) {
            batches.visit { batch in
                let place = self.collection(for: batch) ?? collection
                if let key = document(of: batch, in: place) { keys.append(key) }
            }
            answered[minute] = nil
        }
        return keys
    }

    /// The batch that a document in the markers' collection marks; `nil` for another's.
    func batch(marking key: DocumentKey) -> BatchID? {
        let id = key.documentID.utf8
        guard id.starts(with: prefix.utf8) else { return nil }
        return Int64(String(Substring(id.dropFirst(prefix.utf8.count)))).map { BatchID($0) }
    }

    /// Where this user's markers begin and end among the names of a collection.
    func range(in collection: ResourcePath) -> (start: DocumentKey, end: DocumentKey)? {
        guard let start = key("", in: collection), let end = key("~", in: collection) else {
            return nil
        }
        return (start, end)
    }

    private static let acceptedAt = "acceptedAt"

    private func document(of batch: BatchID, in collection: ResourcePath) -> DocumentKey? {
        key("\(batch.rawValue)", in: collection)
    }

    /// A document of this user's among the markers; `nil` in what is no collection.
    private func key(_ rest: String, in collection: ResourcePath) -> DocumentKey? {
        (try? PathSegment(parsing: prefix + rest)).flatMap { DocumentKey(collection.appending($0)) }
    }

    /// `DAEMON-USER-`, with the user's id in characters that every id may have.
    private var prefix: String {
        let name = user.rawValue.utf8.map { byte -> String in
            let lower = byte | 0x20
            let isPlain =
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lower)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            return isPlain
                ? String(Character(Unicode.Scalar(byte))) : "_" + String(byte, radix: 16) + "_"
        }
        return "\(daemon)-\(name.joined())-"
    }
}

extension Mutation {
    /// The most bytes that the write takes, but for the name of its database.
    fileprivate var byteCountBound: Int {
        let head = 256 + key.path.string.utf8.count
        let operands = transforms.reduce(0) { $0 + 64 + $1.field.canonicalString.utf8.count }
        return switch kind {
        case .set(let fields), .patch(let fields, _): head + operands + fields.byteCountBound
        case .delete, .verify: head + operands
        }
    }
}
