package import HearthEngine
package import HearthModel
import HearthProtocol
import SwiftProtobuf

extension DatabaseID {
    /// Stands for the session's database in a client's requests.
    ///
    /// A reference that is made before the handshake has this name, and a codec writes its own
    /// database instead. No real project can have this name.
    package static let ofSession = DatabaseID(project: "-", database: "-")
}

/// Turns requests and events into frames and back, for one database.
///
/// A session begins with a codec without a database, which knows only the messages of the
/// handshake. After the handshake, the session uses a codec for the database in `Welcome`. Decoding
/// trusts nothing: for any bytes, the codec returns a value or throws.
package struct WireCodec: Hashable, Sendable {
    /// What a session is with.
    private enum Subject: Hashable {
        /// Nothing is known of it before the handshake.
        case nothing
        /// A Firestore database: the one codec reads and writes the documents in clients' messages,
        /// without pending server timestamps; the other the documents in the daemon's messages.
        case firestore(requests: FirestoreCodec, events: FirestoreCodec)
        /// An instance of the Realtime Database.
        case realtime(InstanceID)
    }

    private let subject: Subject

    /// The session's database; `nil` before the handshake.
    package var key: EngineKey? {
        switch subject {
        case .nothing: nil
        case .firestore(_, let events): .firestore(events.database)
        case .realtime(let instance): .realtime(instance)
        }
    }

    /// The session's Firestore database; `nil` before the handshake, and with an instance of the
    /// Realtime Database.
    package var database: DatabaseID? {
        if case .firestore(_, let events) = subject { events.database } else { nil }
    }

    /// A codec for the handshake.
    package init() {
        self.init(subject: .nothing)
    }

    /// A codec for a session with a Firestore database.
    package init(database: DatabaseID) {
        self.init(
            subject: .firestore(
                requests: FirestoreCodec(database: database, mode: .wire, standIn: .ofSession),
                events: FirestoreCodec(database: database, mode: .local)))
    }

    /// A codec for a session with a database of any kind.
    package init(_ key: EngineKey) {
        switch key {
        case .firestore(let database): self.init(database: database)
        case .realtime(let instance): self.init(subject: .realtime(instance))
        }
    }

    private init(subject: Subject) {
        self.subject = subject
    }

    /// The frame of a request.
    ///
    /// - Throws: `tooLarge` or `codec` for a request that cannot be encoded, `noDatabaseYet` before
    ///   the handshake.
    package func frame(of request: Request, number: UInt64) throws(WireError) -> Frame {
        try Self.frame(request.kind, number, try message(of: request))
    }

    /// The frames of a request: one frame, or several frames for a large bundle.
    ///
    /// - Throws: As `frame(of:number:)`.
    package func frames(of request: Request, number: UInt64) throws(WireError) -> [Frame] {
        guard case .firestore(.loadBundle(let whole)) = request else {
            return [try frame(of: request, number: number)]
        }
        return try Self.parts(of: whole).map { part throws(WireError) in
            try frame(of: .firestore(.loadBundle(part)), number: number)
        }
    }

    /// Cuts a bundle into parts that each go into one frame.
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

    /// The frame of an event. Encode an event for several listeners once, and give the copies other
    /// numbers.
    ///
    /// A large snapshot needs several frames; see `frames(of:number:)`.
    ///
    /// - Throws: As the form for requests.
    package func frame(of event: Event, number: UInt64 = 0) throws(WireError) -> Frame {
        try Self.frame(event.kind, number, try message(of: event))
    }

    /// Reads a client's request, and refuses a request beyond the limits of names and queries.
    ///
    /// - Throws: `unknownKind`, `codec` for a body that cannot be read, `refused` beyond the
    ///   limits, `noDatabaseYet` before the handshake.
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

    /// Reads a daemon's event.
    ///
    /// - Throws: `unknownKind`, `codec` for a body that cannot be read, `noDatabaseYet` before the
    ///   handshake.
    package func event(kind: UInt8, body: RawSpan) throws(WireError) -> Event {
        guard let kind = ProtoWireEventKind(rawValue: Int(kind)) else {
            throw .unknownKind(kind)
        }
        return try event(kind, body)
    }

    /// Reads the request in a frame.
    ///
    /// - Throws: As `request(kind:body:)`.
    package func request(_ frame: Frame) throws(WireError) -> Request {
        try request(kind: frame.kind, body: frame.body.span.bytes)
    }

    /// Reads the event in a frame.
    ///
    /// - Throws: As `event(kind:body:)`.
    package func event(_ frame: Frame) throws(WireError) -> Event {
        try event(kind: frame.kind, body: frame.body.span.bytes)
    }

    /// The bytes of a document's full name. In a session without documents the call stops the
    /// program.
    package func nameBytes(of key: DocumentKey) -> [UInt8] {
        guard case .firestore(_, let events) = subject else {
            preconditionFailure("\(key) is named in a session without documents")
        }
        return Array(events.name(of: key).utf8)
    }

    /// The codec for the documents in clients' messages.
    func requestCodec() throws(WireError) -> FirestoreCodec {
        switch subject {
        case .nothing: throw .noDatabaseYet
        case .firestore(let requests, _): return requests
        case .realtime(let instance): throw .otherService(.realtime(instance))
        }
    }

    /// The codec for the documents in the daemon's messages.
    func eventCodec() throws(WireError) -> FirestoreCodec {
        switch subject {
        case .nothing: throw .noDatabaseYet
        case .firestore(_, let events): return events
        case .realtime(let instance): throw .otherService(.realtime(instance))
        }
    }

    /// The codec for the batches of the queue.
    func batchCodec() throws(WireError) -> BatchCodec {
        switch subject {
        case .nothing: throw .noDatabaseYet
        case .firestore(_, let events): return BatchCodec(documents: events)
        case .realtime: return BatchCodec(documents: nil)
        }
    }

    /// Whether the session is with an instance of the Realtime Database.
    var isRealtime: Bool {
        if case .realtime = subject { true } else { false }
    }

    /// Refuses what only an instance of the Realtime Database understands, in another session.
    func expectInstance() throws(WireError) {
        switch subject {
        case .nothing: throw .noDatabaseYet
        case .firestore(_, let events): throw .otherService(.firestore(events.database))
        case .realtime: return
        }
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
