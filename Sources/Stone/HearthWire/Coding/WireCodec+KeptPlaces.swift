import HearthModel
import HearthProtocol

/// Orders about places that are kept, and what is kept.
extension WireCodec {
    static func encode(_ order: KeepOrder) -> ProtoWireKeepPlace {
        var proto = ProtoWireKeepPlace()
        switch order {
        case .tell: proto.order = .tell
        case .keep(let path):
            proto.order = .keep
            proto.path = path.description
        case .release(let path):
            proto.order = .release
            proto.path = path.description
        }
        return proto
    }

    static func keepOrder(_ body: RawSpan) throws(WireError) -> KeepOrder {
        let proto = try read(ProtoWireKeepPlace.self, body)
        switch proto.order {
        case .tell: return .tell
        case .keep: return .keep(try at("path", path(proto.path)))
        case .release: return .release(try at("path", path(proto.path)))
        case .UNRECOGNIZED(let number):
            throw .codec(CodecError(.unknown(value: "\(number)"), at: "order"))
        }
    }

    static func encode(_ places: [KeptPlace], hasMore: Bool) -> ProtoWireKeptPlaces {
        var proto = ProtoWireKeptPlaces()
        proto.hasMore_p = hasMore
        proto.places = places.map { place in
            var proto = ProtoWireKeptPlaces.Place()
            proto.path = place.path.description
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
                path: try path(place.path), uid: place.isConfigured ? nil : place.uid,
                isAllowed: place.isAllowed)
        }
        return .keptPlaces(places, hasMore: proto.hasMore_p)
    }
}
