package import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The frames of one event of the Realtime Database, made one at a time.
///
/// The caller can do other work between the frames of a large node. News of a view is encoded once
/// for all listeners: give the copies of a frame other numbers.
package struct NodeParts: FrameParts {
    private enum Kind: Sendable {
        case view(isWhole: Bool, isComplete: Bool, isValueTold: Bool, isBeginning: Bool)
        case answer(isFromCache: Bool)
        case transaction(Event.TransactionPart.Kind)
    }

    private let kind: Kind
    private var writer: NodeBytesWriter
    private let partByteCountMax: Int
    private var hasBegun = false

    /// Begins the news of a view.
    ///
    /// - Parameter partByteCountMax: Bytes of nodes after which another frame begins.
    package init(
        of news: ViewNews, partByteCountMax: Int = WireLimits.snapshotPartByteCountMax
    ) {
        var isWhole = false
        switch news.content {
        case .whole(let node):
            isWhole = true
            writer = NodeBytesWriter(node)
        case .changes(let places): writer = NodeBytesWriter(places)
        }
        kind = .view(
            isWhole: isWhole, isComplete: news.isComplete, isValueTold: news.isValueTold,
            isBeginning: news.isBeginning)
        self.partByteCountMax = partByteCountMax
    }

    /// Begins the answer to a one-time read.
    ///
    /// - Parameters:
    ///   - node: The answer.
    ///   - isFromCache: Whether the cache answered, and the backend may know better.
    ///   - partByteCountMax: Bytes of nodes after which another frame begins.
    package init(
        of node: Node, isFromCache: Bool,
        partByteCountMax: Int = WireLimits.snapshotPartByteCountMax
    ) {
        kind = .answer(isFromCache: isFromCache)
        writer = NodeBytesWriter(node)
        self.partByteCountMax = partByteCountMax
    }

    /// Begins a step of a transaction.
    package init(
        of step: TransactionStep, partByteCountMax: Int = WireLimits.snapshotPartByteCountMax
    ) {
        switch step {
        case .run(let node, let round):
            kind = .transaction(.run(round: round))
            writer = NodeBytesWriter(node)
        case .committed(let node):
            kind = .transaction(.committed)
            writer = NodeBytesWriter(node)
        case .aborted(let node):
            kind = .transaction(.aborted)
            writer = NodeBytesWriter(node)
        case .failed(let error, let node):
            kind = .transaction(.failed(error))
            writer = NodeBytesWriter(node)
        }
        self.partByteCountMax = partByteCountMax
    }

    /// Whether all parts have been made.
    package var isAtEnd: Bool { hasBegun && writer.isAtEnd }

    /// The next part; `nil` after the last part.
    package mutating func nextEvent() -> Event? {
        guard !isAtEnd else { return nil }
        hasBegun = true
        let bytes = writer.next(byteCountMax: partByteCountMax)
        let nodes = EncodedNodes(bytes, hasMore: !writer.isAtEnd)
        switch kind {
        case .view(let isWhole, let isComplete, let isValueTold, let isBeginning):
            return .viewNews(
                Event.ViewPart(
                    isWhole: isWhole, isComplete: isComplete, isValueTold: isValueTold,
                    isBeginning: isBeginning, nodes: nodes))
        case .answer(let isFromCache):
            return .node(Event.NodePart(isFromCache: isFromCache, nodes: nodes))
        case .transaction(let step):
            return .transaction(Event.TransactionPart(step, nodes: nodes))
        }
    }

    /// The frame of the next part, under the number 0; `nil` after the last part.
    ///
    /// - Throws: `tooLarge` for a part that was allowed to be longer than a frame.
    package mutating func next() throws(WireError) -> Frame? {
        guard let event = nextEvent() else { return nil }
        return try WireCodec().frame(of: event)
    }
}
