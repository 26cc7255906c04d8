import HearthModel
import HearthProtocol
import SwiftProtobuf

extension WireCodec {
    /// The frames of an event: several frames for a large snapshot or answer and for a long list, else
    /// one frame.
    ///
    /// - Parameters:
    ///   - event: Any event.
    ///   - number: The number of the request.
    ///   - partByteCountMax: Bytes of documents after which another frame begins.
    /// - Throws: An event that cannot be encoded, or does not go into one frame.
    package func frames(
        of event: Event, number: UInt64 = 0,
        partByteCountMax: Int = WireLimits.snapshotPartByteCountMax
    ) throws(WireError) -> [Frame] {
        let snapshot: Event.Snapshot
        switch event {
        case .answer(let whole), .snapshot(let whole): snapshot = whole
        case .welcome, .done, .failed, .listenFailed, .writeAccepted, .writeCommitted,
            .writeRejected, .inSync, .report, .queueSteered, .reloaded, .bundleProgress,
            .namedQuery, .documents, .committed, .commitFailed, .numbers, .explanation, .indexes,
            .signIn, .viewNews, .node, .transaction, .backupPart, .sharedReads:
            return [try frame(of: event, number: number)]
        case .pins(let reports, _):
            return try Self.parts(of: reports).map { rows, hasMore throws(WireError) in
                try frame(of: .pins(Array(rows), hasMore: hasMore), number: number)
            }
        case .keptPlaces(let places, _):
            return try Self.parts(of: places).map { rows, hasMore throws(WireError) in
                try frame(of: .keptPlaces(Array(rows), hasMore: hasMore), number: number)
            }
        case .bundle(let whole):
            return try Self.parts(of: whole).map { part throws(WireError) in
                try frame(of: .bundle(part), number: number)
            }
        }
        let isAnswer = if case .answer = event { true } else { false }
        var parts = SnapshotParts(
            of: snapshot, isAnswer: isAnswer, self, partByteCountMax: partByteCountMax)
        var frames: [Frame] = []
        while var frame = try parts.next() {
            frame.request = number
            frames.append(frame)
        }
        return frames
    }

    /// Cuts a list into parts. Each part fits into one frame, even if every row has the greatest
    /// size.
    private static func parts<Row>(of rows: [Row]) -> [(rows: ArraySlice<Row>, hasMore: Bool)] {
        var rest = rows[...]
        var parts: [(rows: ArraySlice<Row>, hasMore: Bool)] = []
        repeat {
            let part = rest.prefix(WireLimits.partRowCountMax)
            rest = rest.dropFirst(part.count)
            parts.append((part, !rest.isEmpty))
        } while !rest.isEmpty
        return parts
    }

    func encode(_ snapshot: Event.Snapshot) throws(WireError) -> ProtoWireSnapshot {
        let codec = try eventCodec()
        var proto = ProtoWireSnapshot()
        proto.id = snapshot.id
        proto.base = snapshot.base ?? 0
        proto.documents = try each("documents", snapshot.documents) { listed throws(CodecError) in
            var entry = ProtoWireListedDocument()
            entry.document = try codec.data(of: listed.document)
            entry.hasPendingWrites_p = listed.hasPendingWrites
            return entry
        }
        proto.removed = snapshot.removed.map(codec.name)
        proto.isFromCache = snapshot.flags.isFromCache
        proto.hasPendingWrites_p = snapshot.flags.hasPendingWrites
        proto.excludesMetadataChanges = snapshot.flags.excludesMetadataChanges
        proto.hasMore_p = snapshot.hasMore
        proto.rejectedWrites = snapshot.flags.rejectedWrites.map(Self.encode)
        proto.changeNumber = snapshot.flags.changeNumber
        return proto
    }

    static func encode(_ rejected: RejectedWrite) -> ProtoWireRejectedWrite {
        var proto = ProtoWireRejectedWrite()
        proto.batchID = rejected.batch.rawValue
        proto.failure = encode(rejected.error)
        return proto
    }

    func snapshot(_ body: RawSpan) throws(WireError) -> Event.Snapshot {
        let codec = try eventCodec()
        let proto = try Self.read(ProtoWireSnapshot.self, body)
        return Event.Snapshot(
            id: proto.id, base: proto.base == 0 ? nil : proto.base,
            documents: try each("documents", proto.documents) { listed throws(CodecError) in
                Event.ListedDocument(
                    try codec.document(from: listed.document),
                    hasPendingWrites: listed.hasPendingWrites_p)
            },
            removed: try each("removed", proto.removed) { name throws(CodecError) in
                try codec.key(fromName: name)
            },
            flags: Event.SnapshotFlags(
                isFromCache: proto.isFromCache, hasPendingWrites: proto.hasPendingWrites_p,
                excludesMetadataChanges: proto.excludesMetadataChanges,
                rejectedWrites: proto.rejectedWrites.map {
                    RejectedWrite(BatchID($0.batchID), Self.decode($0.failure))
                }, changeNumber: proto.changeNumber),
            hasMore: proto.hasMore_p)
    }
}
