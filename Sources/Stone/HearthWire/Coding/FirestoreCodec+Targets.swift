import HearthModel
import HearthProtocol

extension FirestoreCodec {
    /// The message of a query or a document to read.
    ///
    /// - Throws: `refused` for a query of no collection.
    func encodeTarget(of query: Query) throws(WireError) -> ProtoWireTarget {
        var proto = ProtoWireTarget()
        if let key = query.documentKey {
            proto.document = name(of: key)
        } else {
            proto.query = try encodeQueryTarget(query)
        }
        return proto
    }

    /// The message of a query, with the query's parent and the end that the limit counts from.
    ///
    /// - Throws: `refused` for a document, which is no query.
    func encodeQueryTarget(_ query: Query) throws(WireError) -> ProtoWireQueryTarget {
        guard query.group != nil || !query.path.count.isMultiple(of: 2) else {
            throw .refused(
                HearthError(
                    code: .invalidArgument,
                    message: "\"\(PathError.brief(query.path.string))\" is no collection."))
        }
        // The message holds the query as the user gave it: only its own sort keys, and a limit to
        // the last results without reversing the order.
        var plain = query
        plain.limit = query.limit.map { Query.Limit($0.count, .first) }
        let structured = plain.aggregateTarget.structuredQuery
        var proto = ProtoWireQueryTarget()
        proto.parent = name(of: structured.parent)
        proto.structuredQuery = try at("structured_query", encode(structured))
        proto.limitType = query.limit?.end == .last ? .last : .first
        return proto
    }

    /// Reads a query or a document to read, and refuses a query that Firestore refuses.
    func decodeTarget(_ isSet: Bool, _ proto: ProtoWireTarget) throws(WireError) -> Query {
        switch proto.targetType {
        case .document(let name):
            return Query(document: try at("target.document", key(fromName: name)))
        case .query(let target):
            return try decode(target)
        case nil:
            throw .codec(CodecError(.missing, at: "target"))
        }
    }

    /// Reads a query with its parent, and refuses a query that Firestore refuses.
    func decode(_ proto: ProtoWireQueryTarget) throws(WireError) -> Query {
        let parent = try at("parent", path(fromName: proto.parent))
        let structured = try at(
            "structured_query", decode(proto.structuredQuery, parent: parent))
        do throws(HearthError) {
            try structured.checkLimits()
            var query = try Target(structured).query()
            if case .last = proto.limitType, let limit = query.limit {
                query.limit = Query.Limit(limit.count, .last)
            }
            try query.validate()
            return query
        } catch {
            throw .refused(error)
        }
    }
}
