import HearthFirestore
import HearthModel
package import HearthWire
import NIOCore

/// The frames that wait for one client, in a bounded number even if the client reads nothing.
///
/// Replies keep their order and are never lost; the daemon disconnects a client that leaves too
/// many replies unread. At most one snapshot waits for each listener. A newer snapshot replaces the
/// waiting snapshot and then carries the whole state, because the difference would start from a
/// snapshot that was never sent.
package struct Outbox: Sendable {
    private struct Waiting {
        var shared: SharedSnapshot
        var isWhole: Bool
        /// The rejected writes of the snapshots that this snapshot replaced.
        var missed: [RejectedWrite] = []

        var byteCount: Int { isWhole ? shared.wholeByteCount : shared.differenceByteCount }
    }

    /// How far a snapshot has been taken, and under which number.
    private struct Begun {
        let shared: SharedSnapshot
        let form: SharedSnapshot.Form
        let number: UInt64
        var index = 0
        /// About how many bytes have not been taken yet.
        var restByteCount: Int
    }

    private enum Item {
        case frame(Frame)
        case answer(SharedSnapshot, UInt64)
        /// The listener's waiting snapshot.
        case snapshot(UInt64)
    }

    /// How much may wait from now on.
    var limits: SessionLimits
    private var items = CircularBuffer<Item>()
    private var waiting: [UInt64: Waiting] = [:]
    /// The snapshot that the client is receiving, frame by frame.
    private var begun: Begun?
    private var replyCount = 0
    private var replyByteCount = 0
    private var answerByteCount = 0
    private var snapshotByteCount = 0

    /// An empty outbox.
    package init(limits: SessionLimits = SessionLimits()) {
        self.limits = limits
    }

    /// Whether nothing waits.
    package var isEmpty: Bool { items.isEmpty && begun == nil }

    /// Bytes that wait, or about so many.
    package var byteCount: Int { unreadByteCount + snapshotByteCount }

    /// The same of replies and answers.
    private var unreadByteCount: Int {
        replyByteCount + answerByteCount + (begun?.restByteCount ?? 0)
    }

    /// Whether the client has left more unread than it may.
    package var isOverfull: Bool {
        replyCount > limits.unreadReplyCountMax || replyByteCount > limits.unreadByteCountMax
    }

    /// Appends a reply.
    package mutating func append(_ frame: Frame) {
        items.append(.frame(frame))
        replyCount += 1
        replyByteCount += frame.body.count
    }

    /// Appends the result of a one-time read, however large, if nothing unread is in front of it; else
    /// only as long as both are not more than may wait.
    ///
    /// - Returns: Whether there was room. If not, the request must be refused.
    package mutating func append(answer shared: SharedSnapshot, to request: UInt64) -> Bool {
        let unread = unreadByteCount
        let byteCount = shared.wholeByteCount
        guard unread == 0 || unread + byteCount <= limits.unreadByteCountMax else { return false }
        items.append(.answer(shared, request))
        replyCount += 1
        answerByteCount += byteCount
        return true
    }

    /// Appends a snapshot, or replaces the listener's waiting snapshot.
    package mutating func append(snapshot shared: SharedSnapshot, to listener: UInt64) {
        let old = waiting[listener]
        var new = Waiting(shared: shared, isWhole: old != nil)
        if let old { new.missed = old.missed.followed(by: old.shared.snapshot.rejectedWrites) }
        waiting[listener] = new
        snapshotByteCount += new.byteCount - (old?.byteCount ?? 0)
        if old == nil { items.append(.snapshot(listener)) }
    }

    /// Forgets what waits for a listener that ended.
    package mutating func removeSnapshot(of listener: UInt64) {
        guard let old = waiting.removeValue(forKey: listener) else { return }
        snapshotByteCount -= old.byteCount
        items.removeAll {
            if case .snapshot(listener) = $0 { true } else { false }
        }
    }

    /// Forgets the waiting snapshots, because the session and the listeners end.
    package mutating func removeSnapshots() {
        waiting = [:]
        snapshotByteCount = 0
    }

    /// Takes the next frame to write; encodes the frame unless another outbox has done so.
    ///
    /// A snapshot that cannot be encoded ends the listener, or fails the request.
    package mutating func next(_ codec: WireCodec) -> Frame? {
        while true {
            if let frame = nextOfBegun(codec) { return frame }
            guard let item = items.popFirst() else { return nil }
            switch item {
            case .frame(let frame):
                replyCount -= 1
                replyByteCount -= frame.body.count
                return frame
            case .answer(let shared, let request):
                replyCount -= 1
                answerByteCount -= shared.wholeByteCount
                begun = Begun(
                    shared: shared, form: .answer, number: request,
                    restByteCount: shared.wholeByteCount)
            case .snapshot(let listener):
                guard let waiting = waiting.removeValue(forKey: listener) else { continue }
                snapshotByteCount -= waiting.byteCount
                begun = Begun(
                    shared: waiting.shared.afterMissing(waiting.missed),
                    form: waiting.isWhole ? .whole : .difference, number: listener,
                    restByteCount: waiting.byteCount)
            }
        }
    }

    private mutating func nextOfBegun(_ codec: WireCodec) -> Frame? {
        guard let part = begun else { return nil }
        do throws(WireError) {
            var frame = try part.shared.frame(part.index, of: part.form, codec)
            frame?.request = part.number
            guard let frame else {
                begun = nil
                return nil
            }
            begun?.index += 1
            begun?.restByteCount = max(0, part.restByteCount - frame.body.count)
            return frame
        } catch {
            begun = nil
            let event: Event =
                part.form == .answer ? .failed(error.hearthError) : .listenFailed(error.hearthError)
            var failure = try? codec.frame(of: event)
            failure?.request = part.number
            return failure
        }
    }
}
