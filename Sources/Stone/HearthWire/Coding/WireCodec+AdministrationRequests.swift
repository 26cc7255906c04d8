import SwiftProtobuf

extension AdministrationRequest {
    var wireKind: ProtoWireRequestKind {
        switch self {
        case .steerQueue, .steerRealtimeQueue: .steerQueue
        case .clearPersistence: .clearPersistence
        case .setNetwork: .setNetwork
        case .authenticate: .authenticate
        case .reload: .reload
        case .backUp: .backUp
        }
    }
}

extension WireCodec {
    func message(of request: AdministrationRequest) throws(WireError) -> (any Message)? {
        switch request {
        case .steerQueue(let order): return try encode(order)
        case .steerRealtimeQueue(let order): return Self.encode(order)
        case .setNetwork(let isEnabled):
            var proto = ProtoWireSetNetwork()
            proto.isEnabled = isEnabled
            return proto
        case .authenticate(let order): return Self.encode(order)
        case .backUp(let position):
            var proto = ProtoWireBackUp()
            proto.position = UInt64(clamping: position)
            return proto
        case .clearPersistence, .reload: return nil
        }
    }

    /// Reads an administrator's order; `nil` for a kind of another family.
    ///
    /// - Throws: A body that cannot be read.
    func administrationRequest(
        _ kind: ProtoWireRequestKind, _ body: RawSpan
    ) throws(WireError) -> AdministrationRequest? {
        switch kind {
        case .steerQueue:
            isRealtime
                ? .steerRealtimeQueue(try Self.instanceSteering(body))
                : .steerQueue(try queueSteering(body))
        case .clearPersistence: .clearPersistence
        case .setNetwork:
            .setNetwork(isEnabled: try Self.read(ProtoWireSetNetwork.self, body).isEnabled)
        case .authenticate:
            .authenticate(try Self.decode(try Self.read(ProtoWireAuthenticate.self, body)))
        case .reload: .reload
        case .backUp:
            .backUp(position: Int(clamping: try Self.read(ProtoWireBackUp.self, body).position))
        default: nil
        }
    }
}
