import HearthModel
import HearthProtocol

/// Orders about places that are kept, and what is kept.
extension WireCodec {
    static func encode(_ order: KeepOrder) -> ProtoWireKeepPlace {
        var proto = ProtoWireKeepPlace()
        switch order {
        case .tell: proto.order = .tell
        case .keep(let target):
            proto.order = target.query.isDefault ? .keep : .keepQuery
            encode(target, into: &proto)
        case .release(let target):
            proto.order = target.query.isDefault ? .release : .releaseQuery
            encode(target, into: &proto)
        }
        return proto
    }

    private static func encode(_ target: ListenTarget, into proto: inout ProtoWireKeepPlace) {
        let encoded: ProtoWireNodeTarget = encode(target)
        proto.path = encoded.path
        proto.query = encoded.query
    }

    static func keepOrder(_ body: RawSpan) throws(WireError) -> KeepOrder {
        let proto = try read(ProtoWireKeepPlace.self, body)
        switch proto.order {
        case .tell: return .tell
        case .keep: return .keep(ListenTarget(try at("path", path(proto.path)), .all))
        case .release: return .release(ListenTarget(try at("path", path(proto.path)), .all))
        case .keepQuery: return .keep(try target(of: proto))
        case .releaseQuery: return .release(try target(of: proto))
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "order"))
        }
    }

    private static func target(of proto: ProtoWireKeepPlace) throws(WireError) -> ListenTarget {
        ListenTarget(try at("path", path(proto.path)), try at("query", query(proto.query)))
    }

    static func encode(_ places: [KeptPlace], hasMore: Bool) -> ProtoWireKeptPlaces {
        var proto = ProtoWireKeptPlaces()
        proto.hasMore_p = hasMore
        proto.places = places.map { place in
            let target: ProtoWireNodeTarget = encode(place.target)
            var proto = ProtoWireKeptPlaces.Place()
            proto.path = target.path
            proto.query = target.query
            proto.isConfigured = place.uid == nil
            proto.uid = place.uid ?? 0
            proto.isAllowed = place.isAllowed
            return proto
        }
        return proto
    }

    static func keptPlaces(_ body: RawSpan) throws(WireError) -> Event {
        let proto = try read(ProtoWireKeptPlaces.self, body)
        let places = try each("places", proto.places) { place throws(CodecError) in
            KeptPlace(
                ListenTarget(try path(place.path), try query(place.query)),
                uid: place.isConfigured ? nil : place.uid, isAllowed: place.isAllowed)
        }
        return .keptPlaces(places, hasMore: proto.hasMore_p)
    }
}
