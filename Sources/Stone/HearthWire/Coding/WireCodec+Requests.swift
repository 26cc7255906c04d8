import SwiftProtobuf

extension Request {
    /// The kind of the request's frame.
    package var kind: UInt8 {
        let kind: ProtoWireRequestKind =
            switch self {
            case .session(let request): request.wireKind
            case .inquiry(let inquiry): inquiry.wireKind
            case .administration(let request): request.wireKind
            case .firestore(let request): request.wireKind
            case .realtime(let request): request.wireKind
            }
        return UInt8(kind.rawValue)
    }
}

/// Requests of all families. Each family has a file with the messages of its requests.
extension WireCodec {
    func message(of request: Request) throws(WireError) -> (any Message)? {
        switch request {
        case .session(let request): Self.message(of: request)
        case .inquiry(let inquiry): Self.message(of: inquiry)
        case .administration(let request): try message(of: request)
        case .firestore(let request): try message(of: request)
        case .realtime(let request): Self.message(of: request)
        }
    }

    func request(_ kind: ProtoWireRequestKind, _ body: RawSpan) throws(WireError) -> Request {
        if let request = try programRequest(kind, body) { return request }
        if let request = try Self.sessionRequest(kind, body) { return .session(request) }
        if let inquiry = try Self.inquiry(kind, body) { return .inquiry(inquiry) }
        if let request = try administrationRequest(kind, body) { return .administration(request) }
        throw .unknownKind(UInt8(clamping: kind.rawValue))
    }

    /// Whether an instance of the Realtime Database alone answers a kind.
    private static func isOfInstance(_ kind: ProtoWireRequestKind) -> Bool {
        if case .UNRECOGNIZED = kind { return false }
        return (32...63).contains(kind.rawValue)
    }

    /// Reads a program's request to the session's database; `nil` for a kind of another family.
    ///
    /// The kinds that mean the same in both are the session's database's.
    private func programRequest(
        _ kind: ProtoWireRequestKind, _ body: RawSpan
    ) throws(WireError) -> Request? {
        if isRealtime {
            if let request = try instanceRequest(kind, body) { return .realtime(request) }
            if try firestoreRequest(kind, body) != nil { _ = try requestCodec() }
        } else {
            if let request = try firestoreRequest(kind, body) { return .firestore(request) }
            if Self.isOfInstance(kind) { try expectInstance() }
        }
        return nil
    }
}
