import HearthModel
import HearthWire

/// The memory file of a database's hot documents, with the peers that may have the file mapped.
///
/// A mapping cannot be taken back. When a peer loses its right, the file ends for all who have it, and
/// whoever still may gets another.
///
///     none --enter--> out --leave of the last--> kept --enter--> out
///                      \--end--> none              \--end--> none
///
/// The file is kept for the next program: a program that has a file mapped keeps the file's memory, so a
/// program that comes and goes must not get a new file each time.
struct SharedReads: Sendable {
    /// Bytes of a file of a database that is one of many, in parts of the configured size.
    private static let smallPart = 32
    /// Different peers that one file is handed to at most. Each is judged again at every reload.
    private static let holderCountMax = 1_024

    private(set) var file: SharedReadFile?
    private var writer: SharedReadWriter<MappedWords>?
    /// Whoever was ever handed this file, connected or not, without the processes' numbers.
    private var holders: Set<Peer> = []
    /// What to call when the file ends, for each session that has the file.
    private var sessions: [UInt64: @Sendable () -> Void] = [:]
    /// The number of the last change; 0 if nobody can say.
    private var change: UInt64 = 0
    private let isSmall: Bool

    /// Has no file.
    ///
    /// - Parameter isSmall: Whether the database is one of many.
    init(isSmall: Bool) { self.isSmall = isSmall }

    /// How many bytes a file has; 0 for no file.
    ///
    /// - Parameter configured: `limits.sharedReadByteCount`.
    static func byteCount(_ configured: Int, isSmall: Bool) -> Int {
        guard configured > 0 else { return 0 }
        let count = isSmall ? configured / smallPart : configured
        return max(count, SharedReadLayout.byteCountMin) & ~0xFFFF
    }

    /// Whether any session has a file.
    var isOut: Bool { !sessions.isEmpty }

    // MARK: Who has it

    /// Gives a session the file, and makes the file if there is none.
    ///
    /// - Parameters:
    ///   - configured: `limits.sharedReadByteCount`.
    ///   - whenEnded: Called once, when the file ends before the session leaves.
    /// - Returns: The file; `nil` if there can be none.
    mutating func enter(
        _ session: UInt64, _ peer: Peer, configured: Int, whenEnded: @escaping @Sendable () -> Void
    ) -> SharedReadFile? {
        if file == nil { make(Self.byteCount(configured, isSmall: isSmall)) }
        var holder = peer
        holder.pid = 0
        guard let file, holders.count < Self.holderCountMax || holders.contains(holder) else {
            return nil
        }
        holders.insert(holder)
        if !peer.isAdministrator { file.noteStranger() }
        sessions[session] = whenEnded
        renew()
        return file
    }

    /// A session is over, or must not have the file. Behind the last one the file is empty.
    mutating func leave(_ session: UInt64) {
        guard sessions.removeValue(forKey: session) != nil, sessions.isEmpty else { return }
        writer?.erase()
        writer?.renew(until: 0)
    }

    /// Whether the file has its right size, and all who were ever handed the file still may have it.
    ///
    /// - Parameter configured: `limits.sharedReadByteCount`; `nil` if the size has not changed.
    func isHeldRightly(_ configured: Int?, _ isAllowed: (Peer) -> Bool) -> Bool {
        guard let file else { return true }
        let byteCount = configured.map { Self.byteCount($0, isSmall: isSmall) }
        return byteCount ?? file.byteCount == file.byteCount && holders.allSatisfy(isAllowed)
    }

    /// Ends the file: a program that has the file mapped finds nothing there any more.
    ///
    /// - Returns: What to call for the sessions that had the file. The caller must not hold the
    ///   lock.
    mutating func end() -> [@Sendable () -> Void] {
        writer?.end()
        writer = nil
        file = nil
        holders = []
        defer { sessions = [:] }
        return Array(sessions.values)
    }

    /// Lets readers believe the file for a while from now.
    mutating func renew() {
        guard isOut else { return }
        writer?.renew(until: LeaseClock.now + SharedReadLimits.leaseNanoseconds)
    }

    private mutating func make(_ byteCount: Int) {
        guard byteCount > 0, let made = SharedReadFile(byteCount: byteCount) else { return }
        file = made
        writer = SharedReadWriter(
            made.words, byteCount: byteCount, seed: UInt64.random(in: 0...UInt64.max))
        writer?.tell(change: change)
    }

    // MARK: What is in it

    /// Tells the number of the last change, before anybody hears of the change; 0 if nobody can say.
    mutating func tell(change number: UInt64) {
        change = number
        writer?.tell(change: number)
    }

    /// Enters an answer.
    ///
    /// - Parameter path: Of the document, in UTF-8.
    mutating func insert(_ frame: Frame, of path: UnsafeRawBufferPointer) {
        writer?.insert(frame.body, of: SharedReadName(path))
    }

    /// Enters an answer unless it is there.
    mutating func insertIfAbsent(_ frame: Frame, of path: UnsafeRawBufferPointer) {
        let name = SharedReadName(path)
        guard writer?.contains(name) == false else { return }
        writer?.insert(frame.body, of: name)
    }

    /// Forgets a document that a commit has changed.
    mutating func remove(_ key: DocumentKey) {
        guard writer != nil else { return }
        SharedReadName.with(key.path.string) { writer?.remove($0) }
    }

    /// Forgets everything.
    mutating func removeAll() { writer?.removeAll() }

    /// Forgets everything, and leaves no byte.
    mutating func erase() { writer?.erase() }
}
