import HearthEngine
import HearthModel
import HearthProtocol

extension WireCodec {
    func encode(_ order: QueueOrder<[Mutation]>) throws(WireError) -> ProtoWireSteerQueue {
        let codec = try requestCodec()
        var proto = Self.encode(naming: order)
        if let mutations = order.edit {
            proto.writes = try each("writes", mutations) { mutation throws(CodecError) in
                try codec.data(of: mutation)
            }
        }
        return proto
    }

    static func encode(_ order: QueueOrder<RealtimeChange>) -> ProtoWireSteerQueue {
        var proto = encode(naming: order)
        if let change = order.edit { proto.change = encode(change) }
        return proto
    }

    func queueSteering(_ body: RawSpan) throws(WireError) -> QueueOrder<[Mutation]> {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireSteerQueue.self, body)
        let mutations = try each("writes", proto.writes) { data throws(CodecError) in
            try codec.mutation(from: data)
        }
        return try Self.decode(proto, editing: proto.order == .edit || !mutations.isEmpty) {
            mutations
        }
    }

    static func instanceSteering(_ body: RawSpan) throws(WireError) -> QueueOrder<RealtimeChange> {
        let proto = try read(ProtoWireSteerQueue.self, body)
        return try decode(proto, editing: proto.order == .edit || proto.hasChange) {
            () throws(WireError) in try at("change", decode(proto.change))
        }
    }

    /// The order, and the batches that it names.
    private static func encode<Edit>(naming order: QueueOrder<Edit>) -> ProtoWireSteerQueue {
        var proto = ProtoWireSteerQueue()
        func name(_ order: ProtoWireSteerQueue.Order, _ ids: [BatchID]) {
            proto.order = order
            proto.batchIds = ids.map(\.rawValue)
        }
        switch order {
        case .hold(let ids): name(.hold, ids)
        case .release(let ids): name(.release, ids)
        case .cancel(let ids): name(.cancel, ids)
        case .drop(let ids): name(.drop, ids)
        case .edit(let id, _): name(.edit, [id])
        case .retry: name(.retry, [])
        case .retryDeadLetters(let ids, let evenIfApplied):
            name(.retryDeadLetters, ids)
            proto.evenIfApplied = evenIfApplied
        case .editDeadLetter(let id, _, let evenIfApplied):
            name(.retryDeadLetters, [id])
            proto.evenIfApplied = evenIfApplied
        case .dropDeadLetters(let ids): name(.dropDeadLetters, ids)
        }
        return proto
    }

    /// Reads an order.
    ///
    /// - Parameters:
    ///   - isEditing: Whether one batch gets another content.
    ///   - edit: Reads that content.
    private static func decode<Edit>(
        _ proto: ProtoWireSteerQueue, editing isEditing: Bool,
        _ edit: () throws(WireError) -> Edit
    ) throws(WireError) -> QueueOrder<Edit> {
        let ids = proto.batchIds.map { BatchID($0) }
        /// The one batch of an edit.
        func edited() throws(WireError) -> BatchID {
            guard let id = ids.first, ids.count == 1 else {
                throw .refused(
                    HearthError(
                        code: .invalidArgument,
                        message: "An edit names one batch, not \(ids.count)."))
            }
            return id
        }
        switch proto.order {
        case .hold: return .hold(ids)
        case .release: return .release(ids)
        case .cancel: return .cancel(ids)
        case .drop: return .drop(ids)
        case .edit: return .edit(try edited(), try edit())
        case .retry: return .retry
        case .retryDeadLetters:
            let evenIfApplied = proto.evenIfApplied
            guard isEditing else { return .retryDeadLetters(ids, evenIfApplied: evenIfApplied) }
            return .editDeadLetter(try edited(), try edit(), evenIfApplied: evenIfApplied)
        case .dropDeadLetters: return .dropDeadLetters(ids)
        case .unspecified, .UNRECOGNIZED:
            throw .codec(CodecError(.unknown(value: "\(proto.order.rawValue)"), at: "order"))
        }
    }

    static func encode(_ batches: [SteeredBatch]) -> ProtoWireQueueSteered {
        var proto = ProtoWireQueueSteered()
        proto.batches = batches.map { batch in
            var proto = ProtoWireQueueSteered.Batch()
            proto.batchID = batch.id.rawValue
            proto.newBatchID = batch.newID?.rawValue ?? 0
            return proto
        }
        return proto
    }

    static func decode(_ proto: ProtoWireQueueSteered) -> [SteeredBatch] {
        proto.batches.map {
            SteeredBatch(
                BatchID($0.batchID), newID: $0.newBatchID == 0 ? nil : BatchID($0.newBatchID))
        }
    }
}

extension QueueOrder {
    /// What one batch is to write instead; `nil` if the order gives no batch other content.
    fileprivate var edit: Edit? {
        switch self {
        case .edit(_, let edit), .editDeadLetter(_, let edit, _): edit
        case .hold, .release, .cancel, .drop, .retry, .retryDeadLetters, .dropDeadLetters: nil
        }
    }
}
