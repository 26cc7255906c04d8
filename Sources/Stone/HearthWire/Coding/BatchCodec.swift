import HearthEngine
import HearthModel
import HearthProtocol

/// Reads and writes the batches of the queue, as the kind of the session's database has them.
struct BatchCodec: Hashable, Sendable {
    /// Reads and writes documents; `nil` for an instance of the Realtime Database.
    let documents: FirestoreCodec?

    /// The message of a batch.
    func encode(_ batch: QueuePage.Batch) throws(CodecError) -> ProtoWireQueuedBatch {
        var proto = ProtoWireQueuedBatch()
        proto.batchID = batch.id.rawValue
        proto.state =
            switch batch.state {
            case .queued: .queued
            case .held: .held
            case .sentUnanswered: .sentUnanswered
            }
        proto.writtenAt = FirestoreCodec.encode(batch.writtenAt)
        proto.byteCount = UInt64(clamping: batch.byteCount)
        proto.writer.uid = batch.writer.uid
        proto.writer.gid = batch.writer.gid
        proto.writer.pid = batch.writer.pid
        proto.writer.unit = batch.writer.unit ?? ""
        proto.writer.program = batch.writer.program ?? ""
        proto.user = batch.user.rawValue
        proto.heldBy = batch.heldBy?.rawValue ?? 0
        if let end = batch.terms.expiresAt { proto.expiresAt = FirestoreCodec.encode(end) }
        proto.onlyOnline = batch.terms.isOnlineOnly
        try encode(batch.content, into: &proto)
        if let documents { proto.preconditions = batch.demands.map { encode($0, documents) } }
        return proto
    }

    private func encode(
        _ demand: QueuePage.Batch.Demand, _ documents: FirestoreCodec
    ) -> ProtoWireQueuedBatch.Demand {
        var proto = ProtoWireQueuedBatch.Demand()
        proto.document = documents.name(of: demand.key)
        if let precondition = FirestoreCodec.encode(demand.precondition) {
            proto.precondition = precondition
        }
        return proto
    }

    private func encode(
        _ content: BatchContent, into proto: inout ProtoWireQueuedBatch
    ) throws(CodecError) {
        switch (content, documents) {
        case (.documents(let keys, let mutations), let codec?):
            proto.documents = keys.map(codec.name)
            for mutation in mutations { proto.writes.append(try codec.data(of: mutation)) }
        case (.places(let places, let change), nil):
            proto.places = places.map(\.description)
            if let change { proto.change = WireCodec.encode(change) }
        case (.documents, nil), (.places, _?):
            throw CodecError(.unsupported(reason: "the session has another kind of database"))
        }
    }

    /// Reads a batch.
    func decode(_ proto: ProtoWireQueuedBatch) throws(CodecError) -> QueuePage.Batch {
        let state: BatchState
        switch proto.state {
        case .queued: state = .queued
        case .held: state = .held
        case .sentUnanswered: state = .sentUnanswered
        case .UNRECOGNIZED(let number):
            throw CodecError(.unknown(value: "\(number)"), at: "state")
        }
        let writer = proto.writer
        var batch = QueuePage.Batch(
            id: BatchID(proto.batchID), state: state,
            writtenAt: try FirestoreCodec.decode(proto.writtenAt),
            byteCount: Int(clamping: proto.byteCount),
            writer: Writer(
                uid: writer.uid, gid: writer.gid, pid: writer.pid,
                unit: writer.unit.isEmpty ? nil : writer.unit,
                program: writer.program.isEmpty ? nil : writer.program),
            content: try content(of: proto))
        batch.user = UserID(proto.user)
        batch.heldBy = proto.heldBy == 0 ? nil : BatchID(proto.heldBy)
        batch.terms = SendingTerms(
            expiresAt: proto.hasExpiresAt ? try FirestoreCodec.decode(proto.expiresAt) : nil,
            isOnlineOnly: proto.onlyOnline)
        if let documents {
            for demand in proto.preconditions {
                batch.demands.append(
                    QueuePage.Batch.Demand(
                        try documents.key(fromName: demand.document),
                        try FirestoreCodec.decode(demand.precondition)))
            }
        }
        return batch
    }

    private func content(of proto: ProtoWireQueuedBatch) throws(CodecError) -> BatchContent {
        guard let documents else {
            var places: [WritePath] = []
            for text in proto.places { places.append(try WireCodec.place(text)) }
            return .places(places, proto.hasChange ? try WireCodec.decode(proto.change) : nil)
        }
        var keys: [DocumentKey] = []
        var mutations: [Mutation] = []
        for name in proto.documents { keys.append(try documents.key(fromName: name)) }
        for write in proto.writes { mutations.append(try documents.mutation(from: write)) }
        return .documents(keys, mutations)
    }
}
