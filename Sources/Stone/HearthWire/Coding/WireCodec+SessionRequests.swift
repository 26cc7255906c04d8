import SwiftProtobuf

extension SessionRequest {
    var wireKind: ProtoWireRequestKind {
        switch self {
        case .hello: .hello
        case .ping: .ping
        case .unlisten: .unlisten
        case .shareReads: .shareReads
        case .listenToStatus: .listenToStatus
        }
    }
}

extension WireCodec {
    static func message(of request: SessionRequest) -> (any Message)? {
        switch request {
        case .hello(let hello): return encode(hello)
        case .listenToStatus(let scope):
            var proto = ProtoWireListenToStatus()
            proto.allDatabases = scope == .allDatabases
            return proto
        case .ping, .unlisten, .shareReads: return nil
        }
    }

    /// Reads a request about the session; `nil` for a kind of another family.
    static func sessionRequest(
        _ kind: ProtoWireRequestKind, _ body: RawSpan
    ) throws(WireError) -> SessionRequest? {
        switch kind {
        case .hello: .hello(try decode(try read(ProtoWireHello.self, body)))
        case .ping: .ping
        case .unlisten: .unlisten
        case .shareReads: .shareReads
        case .listenToStatus:
            .listenToStatus(
                try read(ProtoWireListenToStatus.self, body).allDatabases
                    ? .allDatabases : .database)
        default: nil
        }
    }
}
