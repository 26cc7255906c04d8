import HearthModel
import HearthProtocol

/// The messages about the cache's indexes and plans.
extension WireCodec {
    static func encode(_ change: IndexChange) -> ProtoWireManageIndexes {
        var proto = ProtoWireManageIndexes()
        switch change {
        case .none: break
        case .add(let index): proto.add = encode(index)
        case .remove(let index): proto.remove = encode(index)
        case .removeAll: proto.removeAll = true
        case .setAutomaticCreation(let isEnabled): proto.createAutomatically = isEnabled
        case .configure(let json): proto.configuration = json
        }
        return proto
    }

    static func decode(_ proto: ProtoWireManageIndexes) throws(WireError) -> IndexChange {
        switch proto.change {
        case .add(let index): .add(try at("add", decode(index)))
        case .remove(let index): .remove(try at("remove", decode(index)))
        case .removeAll(let isMeant): isMeant ? .removeAll : .none
        case .createAutomatically(let isEnabled): .setAutomaticCreation(isEnabled: isEnabled)
        case .configuration(let json): .configure(json)
        case nil: .none
        }
    }

    static func encode(_ list: IndexList) -> ProtoWireIndexes {
        var proto = ProtoWireIndexes()
        proto.indexes = list.indexes.map(encode)
        proto.createsAutomatically = list.createsAutomatically
        return proto
    }

    static func decode(_ proto: ProtoWireIndexes) throws(WireError) -> IndexList {
        IndexList(
            indexes: try each("indexes", proto.indexes) { index throws(CodecError) in
                try decode(index)
            }, createsAutomatically: proto.createsAutomatically)
    }

    static func encode(_ explanation: QueryExplanation) -> ProtoWireExplanation {
        var proto = ProtoWireExplanation()
        proto.plan = explanation.plan
        proto.indexes = explanation.indexes
        proto.examinedCount = UInt64(clamping: explanation.examinedCount)
        proto.matchedCount = UInt64(clamping: explanation.matchedCount)
        proto.why = explanation.why
        return proto
    }

    static func decode(_ proto: ProtoWireExplanation) -> QueryExplanation {
        QueryExplanation(
            plan: proto.plan, indexes: proto.indexes,
            examinedCount: Int(clamping: proto.examinedCount),
            matchedCount: Int(clamping: proto.matchedCount), why: proto.why)
    }

    private static func encode(_ index: WireIndex) -> ProtoWireIndex {
        var proto = ProtoWireIndex()
        proto.collectionGroup = index.collectionGroup
        proto.isGroup = index.isGroup
        proto.fields = index.fields.map { field in
            var message = ProtoWireIndex.Field()
            message.path = field.path.description
            message.kind =
                switch field.kind {
                case .ascending: .ascending
                case .descending: .descending
                case .contains: .contains
                }
            return message
        }
        proto.isAutomatic = index.isAutomatic
        proto.isComplete = index.isComplete
        return proto
    }

    private static func decode(_ proto: ProtoWireIndex) throws(CodecError) -> WireIndex {
        var fields: [WireIndex.Field] = []
        for message in proto.fields {
            let kind: WireIndex.Kind
            switch message.kind {
            case .ascending: kind = .ascending
            case .descending: kind = .descending
            case .contains: kind = .contains
            case .UNRECOGNIZED(let number):
                throw CodecError(.unknown(value: "\(number)"), at: "kind")
            }
            fields.append(.init(path: try FirestoreCodec.fieldPath(message.path), kind: kind))
        }
        return WireIndex(
            collectionGroup: proto.collectionGroup, isGroup: proto.isGroup, fields: fields,
            isAutomatic: proto.isAutomatic, isComplete: proto.isComplete)
    }
}
