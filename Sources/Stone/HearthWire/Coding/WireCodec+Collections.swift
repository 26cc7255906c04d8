import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The messages for pages of the collections that the cache knows, or the backend.
extension WireCodec {
    static func encode(_ page: Inquiry.CollectionPage) -> ProtoWireListCollections {
        var proto = ProtoWireListCollections()
        proto.below = page.below.description
        proto.after = page.after.description
        proto.collectionCountMax = UInt32(clamping: page.countMax ?? 0)
        proto.ofBackend = page.isOfBackend
        return proto
    }

    static func collectionPage(_ body: RawSpan) throws(WireError) -> Inquiry.CollectionPage {
        let proto = try read(ProtoWireListCollections.self, body)
        return Inquiry.CollectionPage(
            below: try path(proto.below, named: "below"),
            after: try path(proto.after, named: "after"),
            countMax: proto.collectionCountMax == 0 ? nil : Int(proto.collectionCountMax),
            isOfBackend: proto.ofBackend)
    }

    static func encode(_ list: Report.CollectionList) -> ProtoWireCollections {
        var proto = ProtoWireCollections()
        proto.paths = list.paths.map(\.description)
        proto.hasMore_p = list.hasMore
        return proto
    }

    static func collectionList(_ body: RawSpan) throws(WireError) -> Report.CollectionList {
        let proto = try read(ProtoWireCollections.self, body)
        var paths: [ResourcePath] = []
        for text in proto.paths { paths.append(try path(text, named: "paths")) }
        return Report.CollectionList(paths: paths, hasMore: proto.hasMore_p)
    }

    /// Reads a path below the database; an error names the field.
    static func path(_ text: String, named field: String) throws(WireError) -> ResourcePath {
        do throws(PathError) {
            return try ResourcePath(parsing: text)
        } catch {
            throw .codec(CodecError(.badName(text, reason: "\(error)"), at: field))
        }
    }
}
