import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The events of the Realtime Database, which carry nodes as bytes.
extension WireCodec {
    static func encode(_ part: Event.ViewPart) -> ProtoWireViewNews {
        var proto = ProtoWireViewNews()
        proto.isWhole = part.isWhole
        proto.isComplete = part.isComplete
        proto.isValueTold = part.isValueTold
        proto.isBeginning = part.isBeginning
        proto.nodeBytes = part.nodes.bytes
        proto.hasMore_p = part.nodes.hasMore
        return proto
    }

    static func viewPart(_ body: RawSpan) throws(WireError) -> Event.ViewPart {
        let proto = try read(ProtoWireViewNews.self, body)
        return Event.ViewPart(
            isWhole: proto.isWhole, isComplete: proto.isComplete, isValueTold: proto.isValueTold,
            isBeginning: proto.isBeginning,
            nodes: EncodedNodes(proto.nodeBytes, hasMore: proto.hasMore_p))
    }

    static func encode(_ part: Event.NodePart) -> ProtoWireNodeAnswer {
        var proto = ProtoWireNodeAnswer()
        proto.isFromCache = part.isFromCache
        proto.nodeBytes = part.nodes.bytes
        proto.hasMore_p = part.nodes.hasMore
        return proto
    }

    static func nodePart(_ body: RawSpan) throws(WireError) -> Event.NodePart {
        let proto = try read(ProtoWireNodeAnswer.self, body)
        return Event.NodePart(
            isFromCache: proto.isFromCache,
            nodes: EncodedNodes(proto.nodeBytes, hasMore: proto.hasMore_p))
    }

    static func encode(_ part: Event.TransactionPart) -> ProtoWireTransactionStep {
        var proto = ProtoWireTransactionStep()
        switch part.kind {
        case .run(let round):
            proto.kind = .run
            proto.round = UInt64(clamping: round)
        case .committed: proto.kind = .committed
        case .aborted: proto.kind = .aborted
        case .failed(let error):
            proto.kind = .failed
            proto.failure = encode(error)
        }
        proto.nodeBytes = part.nodes.bytes
        proto.hasMore_p = part.nodes.hasMore
        return proto
    }

    static func transactionPart(_ body: RawSpan) throws(WireError) -> Event.TransactionPart {
        let proto = try read(ProtoWireTransactionStep.self, body)
        let kind: Event.TransactionPart.Kind
        switch proto.kind {
        case .run: kind = .run(round: Int(clamping: proto.round))
        case .committed: kind = .committed
        case .aborted: kind = .aborted
        case .failed: kind = .failed(decode(proto.failure))
        case .unspecified, .UNRECOGNIZED:
            throw .codec(CodecError(.unknown(value: "\(proto.kind.rawValue)"), at: "kind"))
        }
        return Event.TransactionPart(
            kind, nodes: EncodedNodes(proto.nodeBytes, hasMore: proto.hasMore_p))
    }
}
