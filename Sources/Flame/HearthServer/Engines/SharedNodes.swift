package import HearthModel
package import HearthWire
import Synchronization

/// Nodes of the Realtime Database on the way to any number of clients, encoded once for all.
///
/// The first event loop that needs a frame makes the frame, and all event loops share the frame. The
/// readers of a large node encode the next frame only when they write the frame, so that no reader
/// holds an event loop for the whole node. An answer and a step of a transaction have a single
/// reader, so their frames are not kept.
package final class SharedNodes: Sendable {
    private enum Content: Sendable {
        case news(ViewNews)
        case answer(Node, isFromCache: Bool)
        case step(TransactionStep)
    }

    private let content: Content
    private let encoded = Mutex<EncodedFrames<NodeParts>?>(nil)
    private let size = FoundCount()

    /// Shares the news of a view.
    package init(_ news: ViewNews) { content = .news(news) }

    /// Shares the result of a one-time read.
    package init(_ node: Node, isFromCache: Bool) {
        content = .answer(node, isFromCache: isFromCache)
    }

    /// Shares a step of a transaction.
    package init(_ step: TransactionStep) { content = .step(step) }

    /// Whether a client needs no earlier news.
    package var isWhole: Bool {
        guard case .news(let news) = content, case .changes = news.content else { return true }
        return false
    }

    /// Whether frames stay, for other readers, until the last frame has been taken.
    package var keepsFrames: Bool {
        if case .news = content { true } else { false }
    }

    /// How many frames are held at the moment.
    package var keptFrameCount: Int { encoded.withLock { $0?.keptCount ?? 0 } }

    /// About how many bytes are kept until all is written. O(changes), once for all who get it.
    package var byteCount: Int {
        size.value { nodes.reduce(Self.baseByteCount) { $0 + NodeSize.estimate($1) } }
    }

    /// Bytes of the frames besides the nodes.
    private static let baseByteCount = 64

    private var nodes: [Node] {
        switch content {
        case .news(let news):
            switch news.content {
            case .whole(let node): [node]
            case .changes(let places): places.map(\.node)
            }
        case .answer(let node, _): [node]
        case .step(.run(let node, _)), .step(.committed(let node)), .step(.aborted(let node)),
            .step(.failed(_, let node)):
            [node]
        }
    }

    /// A frame by its index; `nil` behind the last frame.
    ///
    /// The call encodes the frame unless another client's call has encoded the frame before. Frames that
    /// are not kept are taken in their order, each once.
    ///
    /// - Throws: `WireError` if the nodes cannot be encoded.
    package func frame(_ index: Int) throws(WireError) -> SharedFrame? {
        try encoded.withLock { encoded throws(WireError) -> SharedFrame? in
            if encoded == nil { encoded = EncodedFrames(parts, keepsFrames: keepsFrames) }
            return try encoded?.frame(index)
        }
    }

    private var parts: NodeParts {
        switch content {
        case .news(let news): NodeParts(of: news)
        case .answer(let node, let isFromCache): NodeParts(of: node, isFromCache: isFromCache)
        case .step(let step): NodeParts(of: step)
        }
    }
}

extension SharedNodes: Equatable {
    package static func == (lhs: SharedNodes, rhs: SharedNodes) -> Bool { lhs === rhs }
}
