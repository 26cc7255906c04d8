import HearthFirestore
import HearthModel
package import HearthWire
import NIOCore

/// The frames that wait for one client, in a bounded number even if the client reads nothing.
///
/// Replies keep their order and are never lost; the daemon disconnects a client that leaves too
/// many replies unread. Differences of a listener's view wait in their order. When they are long, the
/// whole state takes their place (`WaitingSnapshots`).
///
/// The daemon's state is whole each time, so the newest state takes the place of the state that waits.
///
/// News of the Realtime Database carries no whole state: a bounded number of news waits for each
/// listener. Beyond it the outbox drops what waits, and `takeBehind` names the listener once the client
/// has read what came before.
package struct Outbox: Sendable {
    /// The news that waits for one listener to the Realtime Database.
    private struct WaitingNews {
        /// The news, oldest first; empty after a drop, and then only the whole node can follow.
        var queue: [SharedNodes] = []
        var byteCount = 0
    }

    /// What is written in several frames.
    private enum Content {
        case snapshot(SharedSnapshot, SharedSnapshot.Form)
        case news(SharedNodes)
        case nodes(SharedNodes)

        var isListened: Bool {
            switch self {
            case .snapshot(_, let form): form != .answer
            case .news: true
            case .nodes: false
            }
        }

        /// Whether the frames that have been taken stay until the last one has been.
        var keepsFrames: Bool {
            switch self {
            case .snapshot: true
            case .news(let nodes), .nodes(let nodes): nodes.keepsFrames
            }
        }

        func frame(_ index: Int, _ codec: WireCodec) throws(WireError) -> SharedFrame? {
            switch self {
            case .snapshot(let shared, let form): try shared.frame(index, of: form, codec)
            case .news(let nodes), .nodes(let nodes): try nodes.frame(index)
            }
        }
    }

    /// How far something has been taken, and under which number.
    private struct Begun {
        let content: Content
        let number: UInt64
        var index = 0
        /// About how many bytes the source keeps: the bytes that the client has not taken yet, and
        /// the frames that stay for other readers.
        var restByteCount: Int
    }

    private enum Item {
        case frame(Frame)
        case answer(SharedSnapshot, UInt64)
        /// The listener's waiting snapshots.
        case snapshots(UInt64)
        case nodes(SharedNodes, UInt64)
        /// The listener's waiting news, or the place of the news that was dropped.
        case news(UInt64)
        /// The daemon's state that waits for the listener.
        case status(UInt64)
    }

    /// News that may wait for one listener.
    package static let newsCountMax = 64
    /// Bytes of changes that may wait for one listener. A whole node may always wait.
    package static let newsByteCountMax = 1 << 20

    /// How much may wait from now on.
    var limits: SessionLimits
    private var items = CircularBuffer<Item>()
    private var waitingSnapshots: [UInt64: WaitingSnapshots] = [:]
    private var waitingNews: [UInt64: WaitingNews] = [:]
    private var waitingStatus: [UInt64: Report] = [:]
    /// Listeners whose news was dropped, and whose client reads again.
    private var behind: [UInt64] = []
    /// What the client is receiving, frame by frame.
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

    /// Appends the result of a one-time read of the Realtime Database, under the same condition.
    ///
    /// - Returns: Whether there was room. If not, the request must be refused.
    package mutating func append(nodes: SharedNodes, to request: UInt64) -> Bool {
        let unread = unreadByteCount
        guard unread == 0 || unread + nodes.byteCount <= limits.unreadByteCountMax else {
            return false
        }
        append(step: nodes, to: request)
        return true
    }

    /// Appends a step of a transaction, which nobody can refuse any more.
    package mutating func append(step nodes: SharedNodes, to request: UInt64) {
        items.append(.nodes(nodes, request))
        replyCount += 1
        answerByteCount += nodes.byteCount
    }

    /// Appends news of a view. A whole node replaces what waits; what is too much drops what waits.
    package mutating func append(news: SharedNodes, to listener: UInt64) {
        guard var waiting = waitingNews[listener] else {
            waitingNews[listener] = WaitingNews(queue: [news], byteCount: news.byteCount)
            snapshotByteCount += news.byteCount
            return items.append(.news(listener))
        }
        defer { waitingNews[listener] = waiting }
        let isBehind = waiting.queue.isEmpty
        let isTooMuch =
            waiting.queue.count >= Self.newsCountMax
            || waiting.byteCount + news.byteCount > Self.newsByteCountMax
        if isBehind && !news.isWhole { return }
        if isTooMuch || news.isWhole {
            snapshotByteCount -= waiting.byteCount
            waiting = WaitingNews()
            if !news.isWhole { return }
        }
        waiting.queue.append(news)
        waiting.byteCount += news.byteCount
        snapshotByteCount += news.byteCount
    }

    /// Takes the listeners that need the whole anew, because their news was dropped and the client has
    /// read what came before.
    package mutating func takeBehind() -> [UInt64] {
        defer { behind = [] }
        return behind
    }

    /// Appends a snapshot behind those that wait for the listener, or in the place of all.
    package mutating func append(snapshot: SharedSnapshot, to listener: UInt64) {
        if let change = waitingSnapshots[listener]?.append(snapshot) {
            return snapshotByteCount += change
        }
        let waiting = WaitingSnapshots(snapshot)
        waitingSnapshots[listener] = waiting
        snapshotByteCount += waiting.byteCount
        items.append(.snapshots(listener))
    }

    /// Appends the daemon's state, or replaces the state that waits for the listener.
    package mutating func append(status report: Report, to listener: UInt64) {
        let old = waitingStatus.updateValue(report, forKey: listener)
        snapshotByteCount += Self.byteCount(of: report) - (old.map(Self.byteCount(of:)) ?? 0)
        if old == nil { items.append(.status(listener)) }
    }

    private static func byteCount(of report: Report) -> Int {
        (report.statuses?.count ?? 0) * ClientMemory.statusByteCount
    }

    /// Takes the daemon's state that waits for a listener.
    private mutating func takeStatus(of listener: UInt64) -> Report? {
        guard let report = waitingStatus.removeValue(forKey: listener) else { return nil }
        snapshotByteCount -= Self.byteCount(of: report)
        return report
    }

    /// Forgets what waits for a listener that ended.
    package mutating func removeNews(of listener: UInt64) {
        let snapshots = waitingSnapshots.removeValue(forKey: listener)
        let news = waitingNews.removeValue(forKey: listener)
        let status = takeStatus(of: listener)
        guard snapshots != nil || news != nil || status != nil else { return }
        snapshotByteCount -= (snapshots?.byteCount ?? 0) + (news?.byteCount ?? 0)
        items.removeAll {
            switch $0 {
            case .snapshots(listener), .news(listener), .status(listener): true
            case .snapshots, .news, .status, .frame, .answer, .nodes: false
            }
        }
    }

    /// Forgets what waits for listeners, because the session and the listeners end.
    package mutating func removeNews() {
        waitingSnapshots = [:]
        waitingNews = [:]
        waitingStatus = [:]
        behind = []
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
                    content: .snapshot(shared, .answer), number: request,
                    restByteCount: shared.wholeByteCount)
            case .nodes(let nodes, let request):
                replyCount -= 1
                answerByteCount -= nodes.byteCount
                begun = Begun(
                    content: .nodes(nodes), number: request, restByteCount: nodes.byteCount)
            case .news(let listener): takeNews(of: listener)
            case .status(let listener):
                guard let report = takeStatus(of: listener),
                    let frame = try? codec.frame(of: .report(report), number: listener)
                else { continue }
                return frame
            case .snapshots(let listener): takeSnapshot(of: listener)
            }
        }
    }

    /// Begins to write the oldest snapshot that waits for a listener.
    private mutating func takeSnapshot(of listener: UInt64) {
        guard var waiting = waitingSnapshots.removeValue(forKey: listener) else { return }
        snapshotByteCount -= waiting.firstByteCount
        begun = Begun(
            content: .snapshot(waiting.first, waiting.form), number: listener,
            restByteCount: waiting.firstByteCount)
        guard waiting.moveOn() else { return }
        waitingSnapshots[listener] = waiting
        items.prepend(.snapshots(listener))  // In front of the answers that came after it.
    }

    /// Begins to write a listener's oldest news, unless it was dropped.
    private mutating func takeNews(of listener: UInt64) {
        guard var waiting = waitingNews.removeValue(forKey: listener) else { return }
        guard !waiting.queue.isEmpty else { return behind.append(listener) }
        let news = waiting.queue.removeFirst()
        waiting.byteCount -= news.byteCount
        snapshotByteCount -= news.byteCount
        if !waiting.queue.isEmpty {
            waitingNews[listener] = waiting
            items.prepend(.news(listener))  // In front of the answers that came after it.
        }
        begun = Begun(content: .news(news), number: listener, restByteCount: news.byteCount)
    }

    private mutating func nextOfBegun(_ codec: WireCodec) -> Frame? {
        guard let part = begun else { return nil }
        do throws(WireError) {
            guard let made = try part.content.frame(part.index, codec) else {
                begun = nil
                return nil
            }
            var frame = made.frame
            frame.request = part.number
            begun?.index += 1
            if !part.content.keepsFrames {
                begun?.restByteCount = max(0, part.restByteCount - frame.body.count)
            }
            if made.isLast { begun = nil }
            return frame
        } catch {
            begun = nil
            let event: Event =
                part.content.isListened
                ? .listenFailed(error.hearthError) : .failed(error.hearthError)
            var failure = try? codec.frame(of: event)
            failure?.request = part.number
            return failure
        }
    }
}
