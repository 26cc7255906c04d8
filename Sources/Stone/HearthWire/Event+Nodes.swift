package import HearthModel
import HearthProtocol

/// Nodes as bytes, or a part of the bytes.
///
/// Nodes that do not go into one frame come in several. The bytes are read when all have come.
package struct EncodedNodes: Hashable, Sendable {
    /// The bytes that have come.
    package private(set) var bytes: [UInt8]
    /// Whether the next frame goes on with the bytes.
    package private(set) var hasMore: Bool

    /// Takes a part.
    package init(_ bytes: [UInt8], hasMore: Bool = false) {
        self.bytes = bytes
        self.hasMore = hasMore
    }

    /// Encodes a whole node. O(n).
    package init(_ node: Node) {
        self.init(NodeBytes.bytes(of: node))
    }

    /// Goes on with the next part.
    package mutating func append(_ part: EncodedNodes) {
        precondition(hasMore, "A part after the last")
        bytes += part.bytes
        hasMore = part.hasMore
    }

    /// The node, once all has come, in little memory: a program keeps what it listens to.
    ///
    /// - Throws: `codec` for bytes that are no node.
    package func node() throws(WireError) -> Node {
        try read { bytes throws(NodeBytes.Fault) in try NodeBytes.read(bytes, packs: true) }
    }

    /// The places with their nodes, once all has come.
    ///
    /// - Throws: `codec` for bytes that are anything else.
    package func places() throws(WireError) -> [ViewNews.Placed] {
        try read { bytes throws(NodeBytes.Fault) in try NodeBytes.readPlaces(bytes, packs: true) }
    }

    /// The node as far as all of its first children have come; `nil` for another node, and before the
    /// first child has come. O(bytes).
    ///
    /// - Parameter index: The order in which the children are told. Children that the order puts
    ///   behind children which are yet to come are left out.
    func beginning(by index: QueryIndex) -> Node? {
        switch index {
        case .key: NodeBytes.readBeginning(bytes, packs: true) { _ in true }
        case .priority: NodeBytes.readBeginning(bytes, packs: true) { $0.priority == nil }
        case .value, .child: nil
        }
    }

    private func read<Value>(
        _ read: ([UInt8]) throws(NodeBytes.Fault) -> Value
    ) throws(WireError) -> Value {
        do throws(NodeBytes.Fault) {
            return try read(bytes)
        } catch {
            throw .codec(CodecError(.unknown(value: "\(error)"), at: "nodes"))
        }
    }
}

extension Event {
    /// The news of a view, or a part of the news. The listener's number tells which view's.
    package struct ViewPart: Hashable, Sendable {
        /// Whether the nodes are the whole node of the view, and not places that changed.
        package var isWhole: Bool
        /// Whether the whole result is known.
        package var isComplete: Bool
        /// Whether listeners to the value are told.
        package var isValueTold: Bool
        /// Whether the nodes are only the first children of the view's node, and the whole node is the
        /// next news. Nothing to a listener that has heard anything of the view.
        package var isBeginning: Bool
        /// The node of the view, or the places that changed.
        package var nodes: EncodedNodes

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - isWhole: Whether the nodes are the whole node of the view, and not places that
        ///     changed.
        ///   - isComplete: Whether the whole result is known.
        ///   - isValueTold: Whether listeners to the value are told.
        ///   - isBeginning: Whether the nodes are only the first children of the view's node.
        ///   - nodes: The node of the view, or the places that changed.
        package init(
            isWhole: Bool, isComplete: Bool, isValueTold: Bool, isBeginning: Bool = false,
            nodes: EncodedNodes
        ) {
            self.isWhole = isWhole
            self.isComplete = isComplete
            self.isValueTold = isValueTold
            self.isBeginning = isBeginning
            self.nodes = nodes
        }

        /// The news of the view of a listener's target, once all parts have come. O(n).
        ///
        /// - Throws: `codec` for nodes that cannot be read.
        package func news(of target: ListenTarget) throws(WireError) -> ViewNews {
            ViewNews(
                target, isWhole ? .whole(try nodes.node()) : .changes(try nodes.places()),
                isComplete: isComplete, isValueTold: isValueTold, isBeginning: isBeginning)
        }

        /// The news of a view's first children, once the first part of the whole view has come; `nil`
        /// if the part tells of none, or if other children may come before these in the target's order.
        package func beginning(of target: ListenTarget) -> ViewNews? {
            guard isWhole, let node = nodes.beginning(by: target.query.index) else { return nil }
            return ViewNews(
                target, .whole(node), isComplete: false, isValueTold: false, isBeginning: true)
        }
    }

    /// The result of a one-time read, or a part of the result.
    package struct NodePart: Hashable, Sendable {
        /// Whether the node comes from the cache, and the backend may hold another.
        package var isFromCache: Bool
        /// The node.
        package var nodes: EncodedNodes

        /// Takes the parts.
        package init(isFromCache: Bool, nodes: EncodedNodes) {
            self.isFromCache = isFromCache
            self.nodes = nodes
        }
    }

    /// A step of a transaction, or a part of the step.
    package struct TransactionPart: Hashable, Sendable {
        /// What the program does next, or how the transaction ended.
        package enum Kind: Hashable, Sendable {
            /// The program computes its change, for this round.
            case run(round: Int)
            /// The backend has the change.
            case committed
            /// The program gave up.
            case aborted
            /// The transaction failed.
            case failed(HearthError)
        }

        /// What the program does next, or how the transaction ended.
        package var kind: Kind
        /// The node that the step is about.
        package var nodes: EncodedNodes

        /// Takes the parts.
        package init(_ kind: Kind, nodes: EncodedNodes) {
            self.kind = kind
            self.nodes = nodes
        }

        /// The step, once all parts have come. O(n).
        ///
        /// - Throws: `codec` for a node that cannot be read.
        package func step() throws(WireError) -> TransactionStep {
            let node = try nodes.node()
            return switch kind {
            case .run(let round): .run(node, round: round)
            case .committed: .committed(node)
            case .aborted: .aborted(node)
            case .failed(let error): .failed(error, node)
            }
        }
    }
}
