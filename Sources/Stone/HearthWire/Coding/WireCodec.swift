package import HearthModel
import HearthProtocol
import SwiftProtobuf

extension DatabaseID {
    /// Stands for the session's database in what a client asks. References that are made before the
    /// handshake bear this name; a codec writes its own database in its place. No real project can
    /// have this name.
    package static let ofSession = DatabaseID(project: "-", database: "-")
}

/// Turns requests and events into frames and back, for one database.
///
/// A session begins with a codec without a database, which knows only the messages of the
/// handshake, and goes on with one of the database in `Welcome`. Decoding trusts nothing: whatever
/// bytes come, it returns a value or throws.
package struct WireCodec: Hashable, Sendable {
    /// The session's database; `nil` before the handshake.
    package var database: DatabaseID? { events?.database }
    /// Reads and writes what clients send: they know no pending server timestamps.
    private let requests: FirestoreCodec?
    /// Reads and writes what the daemon sends.
    private let events: FirestoreCodec?

    /// A codec for a database, or for the handshake.
    package init(database: DatabaseID? = nil) {
        requests = database.map { FirestoreCodec(database: $0, mode: .wire, standIn: .ofSession) }
        events = database.map { FirestoreCodec(database: $0, mode: .local) }
    }

    /// The frame of a request.
    package func frame(of request: Request, number: UInt64) throws(WireError) -> Frame {
        try Self.frame(request.kind, number, try message(of: request))
    }

    /// The frames of a request: one, or many for a large bundle.
    package func frames(of request: Request, number: UInt64) throws(WireError) -> [Frame] {
        guard case .firestore(.loadBundle(let whole)) = request else {
            return [try frame(of: request, number: number)]
        }
        return try Self.parts(of: whole).map { part throws(WireError) in
            try frame(of: .firestore(.loadBundle(part)), number: number)
        }
    }

    /// A bundle cut into what goes into one frame.
    static func parts(of whole: FirestoreRequest.BundlePart) -> [FirestoreRequest.BundlePart] {
        var rest = whole.data[...]
        var parts: [FirestoreRequest.BundlePart] = []
        repeat {
            let data = Array(rest.prefix(WireLimits.bundlePartByteCountMax))
            rest = rest.dropFirst(data.count)
            parts.append(
                FirestoreRequest.BundlePart(data: data, hasMore: !rest.isEmpty || whole.hasMore))
        } while !rest.isEmpty
        return parts
    }

    /// The frame of an event, once for all whom it concerns: give the copies other numbers.
    ///
    /// Large snapshots become many frames; see `frames(of:number:)`.
    package func frame(of event: Event, number: UInt64 = 0) throws(WireError) -> Frame {
        try Self.frame(event.kind, number, try message(of: event))
    }

    /// Reads what a client sends, and refuses what is beyond the limits of names and queries.
    package func request(kind: UInt8, body: RawSpan) throws(WireError) -> Request {
        guard let kind = ProtoWireRequestKind(rawValue: Int(kind)) else {
            throw .unknownKind(kind)
        }
        let request = try request(kind, body)
        do throws(HearthError) {
            try request.traits.contents.checkLimits()
        } catch {
            throw .refused(error)
        }
        return request
    }

    /// Reads what the daemon sends.
    package func event(kind: UInt8, body: RawSpan) throws(WireError) -> Event {
        guard let kind = ProtoWireEventKind(rawValue: Int(kind)) else {
            throw .unknownKind(kind)
        }
        return try event(kind, body)
    }

    /// Reads what a client sends.
    package func request(_ frame: Frame) throws(WireError) -> Request {
        try request(kind: frame.kind, body: frame.body.span.bytes)
    }

    /// Reads what the daemon sends.
    package func event(_ frame: Frame) throws(WireError) -> Event {
        try event(kind: frame.kind, body: frame.body.span.bytes)
    }

    /// The bytes of a document's full name. Only in a session that has a database.
    package func nameBytes(of key: DocumentKey) -> [UInt8] {
        guard let events else { preconditionFailure("\(key) is named before the handshake") }
        return Array(events.name(of: key).utf8)
    }

    /// The codec of what clients send.
    func requestCodec() throws(WireError) -> FirestoreCodec {
        guard let requests else { throw .noDatabaseYet }
        return requests
    }

    /// The codec of what the daemon sends.
    func eventCodec() throws(WireError) -> FirestoreCodec {
        guard let events else { throw .noDatabaseYet }
        return events
    }

    private static func frame(
        _ kind: UInt8, _ number: UInt64, _ message: (any Message)?
    ) throws(WireError) -> Frame {
        let body = message.map { FirestoreCodec.bytes(of: $0) } ?? []
        guard body.count <= Frame.bodyByteCountMax else { throw .tooLarge(byteCount: body.count) }
        return Frame(kind: kind, request: number, body: body)
    }

    /// Reads a message.
    static func read<M: Message>(_ type: M.Type, _ body: RawSpan) throws(WireError) -> M {
        do {
            return try M(serializedBytes: body)
        } catch {
            throw .codec(CodecError(.unreadable(type: M.protoMessageName)))
        }
    }
}
