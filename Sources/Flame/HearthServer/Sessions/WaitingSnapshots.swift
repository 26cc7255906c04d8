import HearthFirestore
import HearthModel
import NIOCore

/// The snapshots that wait for one listener, oldest first: differences, behind a whole state or behind what
/// the client has.
///
/// Short differences wait. When many differences wait, all behind the first become one difference.
/// When the differences name more documents than the view has, or have too many bytes, one whole
/// state replaces all differences. So a client that is a little late gets the changes, and a slow
/// client gets a bounded number of snapshots and bytes. The outbox looks at the whole state once
/// for as many changes, so a snapshot costs as much as its changes.
struct WaitingSnapshots: Sendable {
    /// Differences that may wait behind the first. A client that takes a tenth of a second for each
    /// snapshot is never more than some seconds late.
    static let laterCountMax = 32

    /// Bytes of differences that may wait for one listener: some of the largest documents.
    ///
    /// A single snapshot of any size may wait.
    static let byteCountMax = 4 << 20

    /// What the client gets next.
    private(set) var first: SharedSnapshot
    /// How the client gets `first`: as a difference, or as the whole state.
    private(set) var form: SharedSnapshot.Form
    /// About how many bytes `first` is in that form.
    private(set) var firstByteCount: Int
    /// The differences behind `first`, oldest first; `nil` before there is one.
    private var later: CircularBuffer<SharedSnapshot>?
    /// About how many bytes wait.
    private(set) var byteCount: Int
    /// How many documents the differences name, `first` among them.
    private var namedCount: Int

    /// Only this snapshot waits.
    init(_ snapshot: SharedSnapshot) {
        self.init(snapshot, as: snapshot.isWhole ? .whole : .difference)
    }

    private init(_ snapshot: SharedSnapshot, as form: SharedSnapshot.Form) {
        first = snapshot
        self.form = form
        firstByteCount =
            form == .whole ? snapshot.wholeByteCount : snapshot.differenceByteCount
        byteCount = firstByteCount
        namedCount = form == .whole ? 0 : snapshot.namedCount
    }

    /// Lets another snapshot wait, or lets it take the place of all.
    ///
    /// - Returns: By how much `byteCount` has changed.
    mutating func append(_ next: SharedSnapshot) -> Int {
        let before = byteCount
        if mayFollow(next) {
            later = later ?? CircularBuffer(initialCapacity: 4)
            later?.append(next)
            byteCount += next.differenceByteCount
            namedCount += next.namedCount
            if let later, later.count > Self.laterCountMax { join(later) }
        } else {
            self = WaitingSnapshots(next, instead: self)
        }
        return byteCount - before
    }

    /// Makes one difference of those behind the first.
    private mutating func join(_ differences: CircularBuffer<SharedSnapshot>) {
        let joined = SharedSnapshot(
            ViewSnapshot(joining: differences.map(\.snapshot), behind: first.snapshot))
        byteCount = firstByteCount + joined.differenceByteCount
        namedCount = (form == .whole ? 0 : first.namedCount) + joined.namedCount
        later = [joined]
    }

    /// Forgets the first snapshot.
    ///
    /// - Returns: Whether another one waits.
    mutating func moveOn() -> Bool {
        guard let next = later?.popFirst() else { return false }
        if form == .difference { namedCount -= first.namedCount }
        byteCount -= firstByteCount
        (first, form, firstByteCount) = (next, .difference, next.differenceByteCount)
        return true
    }

    private func mayFollow(_ next: SharedSnapshot) -> Bool {
        guard !next.isWhole, namedCount + next.namedCount <= next.snapshot.documents.count else {
            return false
        }
        let differenceByteCount = form == .whole ? byteCount - firstByteCount : byteCount
        return differenceByteCount + next.differenceByteCount <= Self.byteCountMax
    }

    /// The whole state of the newest snapshot, with the rejected writes that the others would have told.
    private init(_ newest: SharedSnapshot, instead old: WaitingSnapshots) {
        let untold = (old.later ?? []).reduce(old.first.snapshot.rejectedWrites) {
            $0.followed(by: $1.snapshot.rejectedWrites)
        }
        self.init(newest, as: .whole)
        first = newest.afterMissing(untold)
    }
}
