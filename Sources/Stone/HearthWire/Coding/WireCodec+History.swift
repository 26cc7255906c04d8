import HearthEngine
import HearthModel
import HearthProtocol

/// The messages of the history of documents.
extension WireCodec {
    static func encode(_ question: HistoryQuestion) -> ProtoWireReadHistory {
        var proto = ProtoWireReadHistory()
        proto.path = question.key.path.description
        proto.before = question.before ?? 0
        proto.entryCountMax = UInt32(clamping: question.countMax ?? 0)
        if let since = question.since { proto.since = FirestoreCodec.encode(since) }
        if let time = question.at { proto.at = FirestoreCodec.encode(time) }
        return proto
    }

    static func historyQuestion(_ body: RawSpan) throws(WireError) -> HistoryQuestion {
        let proto = try read(ProtoWireReadHistory.self, body)
        guard let key = DocumentKey(try path(proto.path, named: "path")) else {
            throw .codec(CodecError(.badName(proto.path, reason: "it is no document"), at: "path"))
        }
        var question = HistoryQuestion(of: key)
        if proto.before > 0 { question.before = proto.before }
        if proto.entryCountMax > 0 {
            question.countMax = min(Int(proto.entryCountMax), HistoryLimits.pageCountMax)
        }
        if proto.hasSince { question.since = try at("since", FirestoreCodec.decode(proto.since)) }
        if proto.hasAt { question.at = try at("at", FirestoreCodec.decode(proto.at)) }
        return question
    }

    func encode(_ page: HistoryPage) throws(WireError) -> ProtoWireHistoryPage {
        let codec = try eventCodec()
        var proto = ProtoWireHistoryPage()
        if let key = page.entries.first?.key { proto.document = codec.name(of: key) }
        proto.entries = try each("entries", page.entries) { entry throws(CodecError) in
            try Self.encode(entry, codec)
        }
        proto.hasMore_p = page.hasMore
        return proto
    }

    func historyPage(_ body: RawSpan) throws(WireError) -> HistoryPage {
        let codec = try eventCodec()
        let proto = try Self.read(ProtoWireHistoryPage.self, body)
        if proto.entries.isEmpty { return HistoryPage(entries: [], hasMore: proto.hasMore_p) }
        let key = try at("document", codec.key(fromName: proto.document))
        let entries = try each("entries", proto.entries) { entry throws(CodecError) in
            try Self.decode(entry, of: key, codec)
        }
        return HistoryPage(entries: entries, hasMore: proto.hasMore_p)
    }

    private static func encode(
        _ entry: HistoryEntry, _ codec: FirestoreCodec
    ) throws(CodecError) -> ProtoWireHistoryEntry {
        var proto = ProtoWireHistoryEntry()
        proto.number = entry.number
        proto.notedAt = FirestoreCodec.encode(entry.notedAt)
        // Every number is one: the enumerations of protobuf are open.
        proto.event = .init(rawValue: entry.event.kind.rawValue) ?? .known
        proto.local = try encode(entry.local, codec)
        if let remote = entry.remote { proto.remote = try encode(remote, codec) }
        if let write = entry.event.write {
            proto.batchID = write.batch.rawValue
            proto.user = write.user.rawValue
            proto.writer = encode(write.writer)
        }
        if let error = entry.event.error { proto.failure = encode(error) }
        return proto
    }

    private static func decode(
        _ proto: ProtoWireHistoryEntry, of key: DocumentKey, _ codec: FirestoreCodec
    ) throws(CodecError) -> HistoryEntry {
        var write: HistoryWrite?
        if proto.hasWriter {
            write = HistoryWrite(
                batch: BatchID(proto.batchID), user: UserID(proto.user),
                writer: decode(proto.writer))
        }
        guard let kind = HistoryEvent.Kind(rawValue: proto.event.rawValue),
            let event = HistoryEvent(kind, write, proto.hasFailure ? decode(proto.failure) : nil)
        else {
            throw CodecError(.unknown(value: "\(proto.event.rawValue)"), at: "event")
        }
        var entry = HistoryEntry(
            notedAt: try FirestoreCodec.decode(proto.notedAt), event: event,
            local: try decode(proto.local, of: key, codec),
            remote: proto.hasRemote ? try decode(proto.remote, of: key, codec) : nil)
        entry.number = proto.number
        return entry
    }

    // MARK: A document and a writer

    private static func encode(
        _ document: Document, _ codec: FirestoreCodec
    ) throws(CodecError) -> ProtoWireHistoryState {
        var proto = ProtoWireHistoryState()
        switch document.content {
        case .invalid: proto.state = .unknown
        case .found:
            proto.state = .found
            proto.document = try codec.data(of: document)
        case .missing: proto.state = .missing
        case .unknown: proto.state = .fieldsUnknown
        }
        if !document.isFound, document.version != .zero {
            proto.updateTime = FirestoreCodec.encode(document.version.timestamp)
        }
        if document.readAt != .zero {
            proto.readTime = FirestoreCodec.encode(document.readAt.timestamp)
        }
        proto.hasPendingWrites_p = document.hasLocalMutations
        return proto
    }

    private static func decode(
        _ proto: ProtoWireHistoryState, of key: DocumentKey, _ codec: FirestoreCodec
    ) throws(CodecError) -> Document {
        let version =
            proto.hasUpdateTime
            ? SnapshotVersion(try FirestoreCodec.decode(proto.updateTime)) : .zero
        var document: Document
        switch proto.state {
        case .unknown: document = .invalid(key)
        case .found:
            document = try codec.document(from: proto.document)
            guard document.key == key else {
                throw CodecError(.unknown(value: "\(document.key)"), at: "document")
            }
        case .missing: document = .missing(key, at: version)
        case .fieldsUnknown: document = .unknown(key, at: version)
        case .UNRECOGNIZED(let number):
            throw CodecError(.unknown(value: "\(number)"), at: "state")
        }
        if proto.hasReadTime {
            document.readAt = SnapshotVersion(try FirestoreCodec.decode(proto.readTime))
        }
        if proto.hasPendingWrites_p { document.markLocalMutations() }
        return document
    }
}
