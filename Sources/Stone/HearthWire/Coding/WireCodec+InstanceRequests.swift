import HearthModel
import HearthProtocol
import SwiftProtobuf

extension InstanceRequest {
    var wireKind: ProtoWireRequestKind {
        switch self {
        case .listen: .listenToNode
        case .get: .getNode
        case .write: .writeNodes
        case .waitForPendingWrites, .waitForOwnWrites: .waitForPendingWrites
        case .purgeOwnWrites: .purgeOwnWrites
        case .runTransaction: .runTransaction
        case .propose: .propose
        case .onDisconnect: .onDisconnect
        case .withhold: .voteNetwork
        case .keep: .keepPlace
        }
    }
}

extension WireCodec {
    static func message(of request: InstanceRequest) -> (any Message)? {
        switch request {
        case .listen(let target, let kind):
            var proto = ProtoWireListenToNode()
            proto.target = encode(target)
            proto.isSilent = kind == .silent
            return proto
        case .get(let target, let source):
            var proto = ProtoWireGetNode()
            proto.target = encode(target)
            proto.source = encode(source)
            return proto
        case .write(let write):
            var proto = ProtoWireWriteNodes()
            proto.sequence = write.sequence
            proto.answeredBelow = write.answeredBelow
            proto.change = encode(write.change)
            proto.sentToGeneration = write.sentTo
            return proto
        case .waitForPendingWrites, .purgeOwnWrites: return nil
        case .waitForOwnWrites(let last): return waiting(until: last)
        case .runTransaction(let path, let showsEstimate):
            var proto = ProtoWireRunTransaction()
            proto.path = path.description
            proto.showsEstimate = showsEstimate
            return proto
        case .propose(let node, let round): return encode(proposing: node, round)
        case .onDisconnect(let order, let scope): return encode(order, scope)
        case .withhold(let isWithheld): return voting(isEnabled: !isWithheld)
        case .keep(let order): return encode(order)
        }
    }

    /// Reads a request to an instance; `nil` for a kind of another family.
    func instanceRequest(
        _ kind: ProtoWireRequestKind, _ body: RawSpan
    ) throws(WireError) -> InstanceRequest? {
        switch kind {
        case .listenToNode: return try Self.listenToNode(body)
        case .getNode:
            let proto = try Self.read(ProtoWireGetNode.self, body)
            return .get(try Self.decode(proto.target), try Self.decode(proto.source))
        case .writeNodes:
            let proto = try Self.read(ProtoWireWriteNodes.self, body)
            return .write(
                InstanceRequest.Write(
                    sequence: proto.sequence, answeredBelow: proto.answeredBelow,
                    change: try at("change", Self.decode(proto.change)),
                    sentTo: proto.sentToGeneration))
        case .waitForPendingWrites:
            return try Self.ownWrites(body).map { .waitForOwnWrites(last: $0) }
                ?? .waitForPendingWrites
        case .purgeOwnWrites: return .purgeOwnWrites
        case .runTransaction:
            let proto = try Self.read(ProtoWireRunTransaction.self, body)
            return .runTransaction(
                try at("path", Self.path(proto.path)), showsEstimate: proto.showsEstimate)
        case .propose: return try Self.propose(body)
        case .onDisconnect: return try Self.onDisconnect(body)
        case .keepPlace: return .keep(try Self.keepOrder(body))
        case .voteNetwork:
            return .withhold(
                isWithheld: !(try Self.read(ProtoWireVoteNetwork.self, body).isEnabled))
        default: return nil
        }
    }

    // MARK: Reading

    private static func listenToNode(_ body: RawSpan) throws(WireError) -> InstanceRequest {
        let proto = try read(ProtoWireListenToNode.self, body)
        return .listen(try decode(proto.target), proto.isSilent ? .silent : .observer)
    }

    private static func encode(_ source: RealtimeSource) -> ProtoWireGetNode.Source {
        switch source {
        case .any: .default
        case .server: .server
        case .cache: .cache
        }
    }

    private static func decode(
        _ proto: ProtoWireGetNode.Source
    ) throws(WireError) -> RealtimeSource {
        switch proto {
        case .default: .any
        case .server: .server
        case .cache: .cache
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "source"))
        }
    }

    // MARK: Transactions

    private static func encode(
        proposing node: UnresolvedNode?, _ round: Int
    ) -> ProtoWirePropose {
        var proto = ProtoWirePropose()
        proto.round = UInt64(clamping: round)
        switch node.map(encode) {
        case .bytes(let bytes)?: proto.nodeBytes = bytes
        case .json(let text)?: proto.json = text
        case nil: break
        }
        return proto
    }

    /// Reads a proposal. How deep the transaction's place lies is for the engine to add.
    private static func propose(_ body: RawSpan) throws(WireError) -> InstanceRequest {
        let proto = try read(ProtoWirePropose.self, body)
        let node: UnresolvedNode? =
            switch proto.content {
            case .node: try at("content", decode(.bytes(proto.nodeBytes), at: nil))
            case .json(let text): try at("content", decode(.json(text), at: nil))
            case nil: nil
            }
        return .propose(node, round: Int(clamping: proto.round))
    }

    // MARK: The end of a program

    private static func encode(
        _ order: OnDisconnectOrder, _ scope: OnDisconnectScope
    ) -> ProtoWireOnDisconnect {
        var proto = ProtoWireOnDisconnect()
        switch order {
        case .write(let change): proto.write = encode(change)
        case .cancel(let path): proto.cancel = path.description
        }
        proto.scope =
            switch scope {
            case .programOrLink: .programOrLink
            case .link: .link
            case .program: .program
            }
        return proto
    }

    private static func onDisconnect(_ body: RawSpan) throws(WireError) -> InstanceRequest {
        let proto = try read(ProtoWireOnDisconnect.self, body)
        let scope: OnDisconnectScope
        switch proto.scope {
        case .programOrLink: scope = .programOrLink
        case .link: scope = .link
        case .program: scope = .program
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "scope"))
        }
        switch proto.order {
        case .write(let change):
            return .onDisconnect(.write(try at("write", decode(change))), scope)
        case .cancel(let text):
            return .onDisconnect(.cancel(try at("cancel", path(text))), scope)
        case nil: throw .codec(CodecError(.missing, at: "order"))
        }
    }
}
