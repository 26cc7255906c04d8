import HearthEngine
import HearthModel
import HearthProtocol

extension WireCodec {
    func encode(_ steering: QueueOrder<[Mutation]>) throws(WireError) -> ProtoWireSteerQueue {
        let codec = try requestCodec()
        var proto = ProtoWireSteerQueue()
        func name(_ order: ProtoWireSteerQueue.Order, _ ids: [BatchID]) {
            proto.order = order
            proto.batchIds = ids.map(\.rawValue)
        }
        func write(_ mutations: [Mutation]) throws(WireError) {
            proto.writes = try each("writes", mutations) { mutation throws(CodecError) in
                try codec.data(of: mutation)
            }
        }
        switch steering {
        case .hold(let ids): name(.hold, ids)
        case .release(let ids): name(.release, ids)
        case .cancel(let ids): name(.cancel, ids)
        case .drop(let ids): name(.drop, ids)
        case .edit(let id, let mutations):
            name(.edit, [id])
            try write(mutations)
        case .retry: name(.retry, [])
        case .retryDeadLetters(let ids, let evenIfApplied):
            name(.retryDeadLetters, ids)
            proto.evenIfApplied = evenIfApplied
        case .editDeadLetter(let id, let mutations, let evenIfApplied):
            name(.retryDeadLetters, [id])
            try write(mutations)
            proto.evenIfApplied = evenIfApplied
        case .dropDeadLetters(let ids): name(.dropDeadLetters, ids)
        }
        return proto
    }

    func queueSteering(_ body: RawSpan) throws(WireError) -> QueueOrder<[Mutation]> {
        let codec = try requestCodec()
        let proto = try Self.read(ProtoWireSteerQueue.self, body)
        let ids = proto.batchIds.map { BatchID($0) }
        /// The batch and its other writes.
        func edited() throws(WireError) -> (BatchID, [Mutation]) {
            guard let id = ids.first, ids.count == 1 else {
                throw .refused(
                    HearthError(
                        code: .invalidArgument,
                        message: "An edit names one batch, not \(ids.count)."))
            }
            let mutations = try each("writes", proto.writes) { data throws(CodecError) in
                try codec.mutation(from: data)
            }
            return (id, mutations)
        }
        switch proto.order {
        case .hold: return .hold(ids)
        case .release: return .release(ids)
        case .cancel: return .cancel(ids)
        case .drop: return .drop(ids)
        case .edit:
            let (id, mutations) = try edited()
            return .edit(id, mutations)
        case .retry: return .retry
        case .retryDeadLetters:
            if proto.writes.isEmpty {
                return .retryDeadLetters(ids, evenIfApplied: proto.evenIfApplied)
            }
            let (id, mutations) = try edited()
            return .editDeadLetter(id, mutations, evenIfApplied: proto.evenIfApplied)
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
