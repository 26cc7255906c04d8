import HearthModel
import HearthWire

/// The documents that the program has read from the cache since the daemon was last told of them.
///
/// The daemon does not see what a program reads in the memory file, and its collector must not forget
/// what is in use. So the names are told, a frame for all that were read in a minute.
///
///     empty --noted--> gathering --taken, a minute later--> empty
struct ReadNames: Sendable {
    private var keys: Set<DocumentKey> = []
    private var byteCount = 0
    /// The name that was noted last: programs read one document again and again.
    private var last: DocumentKey?
    /// When the names are to be told; `nil` without a name.
    private(set) var dueAt: Duration?

    /// Notes that a document was read. What has no room is not told.
    ///
    /// - Parameter now: Asked for the first name alone.
    /// - Returns: Whether the name is the first, so that somebody must wait for `dueAt`.
    mutating func note(_ key: DocumentKey, at now: @autoclosure () -> Duration) -> Bool {
        guard key != last else { return false }
        let count = key.path.string.utf8.count
        guard keys.count < SharedReadLimits.noteCountMax,
            byteCount + count <= SharedReadLimits.noteByteCountMax
        else { return false }
        last = key
        guard keys.insert(key).inserted else { return false }
        byteCount += count
        guard dueAt == nil else { return false }
        dueAt = now() + SharedReadLimits.notePause
        return true
    }

    /// The names, if they are to be told now; they are forgotten here.
    mutating func take(at now: Duration) -> [DocumentKey] {
        guard let dueAt, dueAt <= now else { return [] }
        let taken = keys.sorted()
        self = ReadNames()
        return taken
    }
}
