import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The messages for children of a place that the cache or the backend has.
extension WireCodec {
    static func encode(_ page: Inquiry.ChildPage) -> ProtoWireListChildren {
        var proto = ProtoWireListChildren()
        proto.path = page.path.description
        switch page.source {
        case .cache(let prefix): proto.prefix = prefix
        case .backend(let after):
            proto.after = after?.text ?? ""
            proto.ofBackend = true
        }
        proto.childCountMax = UInt32(clamping: page.countMax ?? 0)
        return proto
    }

    static func childPage(_ body: RawSpan) throws(WireError) -> Inquiry.ChildPage {
        let proto = try read(ProtoWireListChildren.self, body)
        guard let path = RealtimePath(proto.path) else {
            throw .codec(CodecError(.badName(proto.path, reason: "it is no place"), at: "path"))
        }
        return Inquiry.ChildPage(
            of: path, in: try source(of: proto),
            countMax: proto.childCountMax == 0 ? nil : Int(proto.childCountMax))
    }

    private static func source(
        of proto: ProtoWireListChildren
    ) throws(WireError) -> Inquiry.ChildPage.Source {
        guard proto.ofBackend else { return .cache(beginningWith: proto.prefix) }
        guard !proto.after.isEmpty else { return .backend(after: nil) }
        guard let after = ChildKey(proto.after) else {
            throw .codec(CodecError(.badName(proto.after, reason: "it is no key"), at: "after"))
        }
        return .backend(after: after)
    }

    static func encode(_ list: Report.ChildList) -> ProtoWireChildren {
        var proto = ProtoWireChildren()
        proto.children = list.children.map { child in
            var proto = ProtoWireChildren.Child()
            proto.key = child.key.text
            proto.hasChildren_p = child.hasChildren
            return proto
        }
        proto.hasMore_p = list.hasMore
        return proto
    }

    static func childList(_ body: RawSpan) throws(WireError) -> Report.ChildList {
        let proto = try read(ProtoWireChildren.self, body)
        let children = try each("children", proto.children) { child throws(CodecError) in
            guard let key = ChildKey(child.key) else {
                throw CodecError(.badName(child.key, reason: "it is no key"), at: "key")
            }
            return Report.ChildList.Child(key: key, hasChildren: child.hasChildren_p)
        }
        return Report.ChildList(children: children, hasMore: proto.hasMore_p)
    }
}
