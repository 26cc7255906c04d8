import Dispatch
import Glibc
import HearthModel
import Synchronization

/// Knows whose the subordinate users of this machine are, as long as the daemon runs.
///
/// A user of the machine may act as any of the user's thousands of subordinate users. A limit that
/// counts each Unix user would let one person have thousands of shares, so the person pays for all
/// subordinate users together.
final class SubordinateUsers: Sendable {
    /// The subordinate users of this machine.
    static let ofMachine = SubordinateUsers(path: "/etc/subuid", uid: SystemNames.forRules.uid)

    /// What tells one file from another, and from a later state of the file.
    private struct Stamp: Hashable {
        let device: UInt64
        let node: UInt64
        let byteCount: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private struct State {
        var ranges = SubordinateRanges()
        var stamp: Stamp?
        var lookedAt: ContinuousClock.Instant?
        /// When names were last looked up again that were nobody's.
        var retriedAt: ContinuousClock.Instant?
        /// The users whose names were found since the file has changed.
        var known: [UTF8Text: UInt32] = [:]
    }

    /// How long a look at the file counts.
    static let lookPause = Duration.seconds(1)
    /// How long names that were nobody's are not looked up again.
    static let retryPause = Duration.seconds(10)
    /// How long a start of the daemon waits for the names.
    static let startPatience = Duration.seconds(2)
    /// Bytes of the file that are read.
    private static let byteCountMax = 1 << 20

    private let path: String
    private let uid: @Sendable (String) -> UInt32?
    private let lookPause: Duration
    private let retryPause: Duration
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "hearth.subordinates")

    /// Knows nobody yet.
    ///
    /// - Parameter uid: The number of a user of a name; may take long.
    init(
        path: String, lookPause: Duration = lookPause, retryPause: Duration = retryPause,
        uid: @escaping @Sendable (String) -> UInt32?
    ) {
        self.path = path
        self.lookPause = lookPause
        self.retryPause = retryPause
        self.uid = uid
    }

    /// Who pays for what a user takes: the owner of a subordinate user, else the user. Never blocks for long.
    ///
    /// If nobody knew the owner's name, the name is soon looked up again.
    func owner(of uid: UInt32) -> UInt32 {
        let ranges = ranges
        if ranges.isOwnerUnknown(of: uid) { retryLater() }
        return ranges.owner(of: uid)
    }

    /// Whose the subordinate users are. Never blocks for long: a changed file counts once it has been read.
    var ranges: SubordinateRanges {
        let (ranges, isDue) = state.withLock { state in
            let now = ContinuousClock.now
            let isDue = state.lookedAt.map { now - $0 >= lookPause } ?? true
            if isDue { state.lookedAt = now }
            return (state.ranges, isDue)
        }
        if isDue { readLater() }
        return ranges
    }

    /// Looks the owners' names up again that were nobody's, soon, and once in `retryPause` at most: a name
    /// may come from a network that was not there.
    func retryLater() {
        let isDue = state.withLock { state in
            let now = ContinuousClock.now
            guard state.ranges.haveUnknownOwner,
                state.retriedAt.map({ now - $0 >= retryPause }) ?? true
            else { return false }
            state.retriedAt = now
            return true
        }
        if isDue { queue.async { self.read(isRetry: true) } }
    }

    /// Reads the file soon: the names of users may come from the network, and nobody waits for them.
    func readLater() {
        queue.async { self.read() }
    }

    /// Reads the file, and waits until the file has been read or `patience` is over. Blocks.
    func read(within patience: Duration) {
        let isRead = DispatchSemaphore(value: 0)
        queue.async {
            self.read()
            isRead.signal()
        }
        let (seconds, attoseconds) = patience.components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        _ = isRead.wait(timeout: .now() + .nanoseconds(nanoseconds))
    }

    /// Reads the file, unless the file is as it was. Blocks on the disk and on the names of users.
    ///
    /// - Parameter isRetry: Whether the file is read again for names that were nobody's. The names that
    ///   were found stay.
    func read(isRetry: Bool = false) {
        let found = stamp()
        let (isAsBefore, former) = state.withLock { ($0.stamp == found, $0.known) }
        if isAsBefore, !isRetry { return }
        var known = isAsBefore ? former : [:]
        let ranges = SubordinateRanges(text() ?? "") { name in
            let number = known[UTF8Text(name)] ?? uid(name)
            known[UTF8Text(name)] = number
            return number
        }
        state.withLock { state in
            state.ranges = ranges
            state.stamp = found
            state.known = known
        }
    }

    private func stamp() -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            device: UInt64(status.st_dev), node: UInt64(status.st_ino),
            byteCount: Int64(status.st_size), seconds: status.st_mtim.tv_sec,
            nanoseconds: status.st_mtim.tv_nsec)
    }

    private func text() -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: Self.byteCountMax)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self)
    }
}
