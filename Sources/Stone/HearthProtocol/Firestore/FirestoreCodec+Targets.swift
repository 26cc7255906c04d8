package import HearthModel
import SwiftProtobuf

extension FirestoreCodec {
    /// The message of a target, without an id.
    ///
    /// - Throws: `CodecError` for a value in the query that no message can hold.
    package func encode(_ target: Target) throws(CodecError) -> ProtoTarget {
        var proto = ProtoTarget()
        if let key = target.documentKey {
            proto.documents.documents = [name(of: key)]
        } else {
            let query = target.structuredQuery
            proto.query.parent = name(of: query.parent)
            proto.query.structuredQuery = try encode(query)
        }
        return proto
    }

    /// Reads a target that the cache can answer.
    ///
    /// - Throws: `unsupported` for several documents, or a query that HearthModel's `Target` refuses.
    package func decode(_ proto: ProtoTarget) throws(CodecError) -> Target {
        switch proto.targetType {
        case .documents(let documents):
            guard documents.documents.count == 1 else {
                throw CodecError(
                    .unsupported(reason: "one target holds one document"), at: "documents")
            }
            return Target(path: try at("documents", key(fromName: documents.documents[0])).path)
        case .query(let query):
            let structured = try at("query", decode(query))
            do throws(HearthError) {
                return try Target(structured)
            } catch {
                throw CodecError(.unsupported(reason: error.message), at: "query")
            }
        case nil:
            throw CodecError(.missing, at: "target_type")
        }
    }

    /// Reads a target's query with its parent.
    ///
    /// - Throws: `CodecError` for a parent or a query that the codec cannot read.
    package func decode(_ proto: ProtoTarget.QueryTarget) throws(CodecError) -> StructuredQuery {
        let parent = try at("parent", path(fromName: proto.parent))
        return try at("structured_query", decode(proto.structuredQuery, parent: parent))
    }

    /// A target's bytes, as the store keeps them.
    ///
    /// - Throws: `CodecError` for a value in the query that no message can hold.
    package func targetBytes(_ target: Target) throws(CodecError) -> [UInt8] {
        Self.bytes(of: try encode(target))
    }

    /// Reads a target from its bytes.
    ///
    /// - Throws: `CodecError` for bytes that are no target, and as `decode(_:)` does.
    package func target(fromBytes bytes: [UInt8]) throws(CodecError) -> Target {
        try decode(try Self.read(ProtoTarget.self, from: bytes))
    }
}

/// Requests to the watch stream.
extension FirestoreCodec {
    /// The message that adds a target.
    ///
    /// - Throws: `CodecError` for a value in the query that no message can hold.
    package func encode(_ request: ListenRequest) throws(CodecError) -> ProtoListenRequest {
        var target = try encode(request.target)
        target.targetID = request.wireID.rawValue
        switch request.resumePoint {
        case .start: break
        case .token(let token): target.resumeToken = ProtoBytes.makeData(token.bytes)
        case .readTime(let version): target.readTime = Self.encode(version.timestamp)
        }
        if let count = request.expectedCount {
            target.expectedCount = Google_Protobuf_Int32Value(Int32(clamping: count))
        }
        var proto = ProtoListenRequest()
        proto.database = database.name
        proto.addTarget = target
        if let label = request.purpose.label { proto.labels[Self.tagLabel] = label }
        return proto
    }

    /// The message that removes a target.
    package func encodeUnlisten(_ target: WireTargetID) -> ProtoListenRequest {
        var proto = ProtoListenRequest()
        proto.database = database.name
        proto.removeTarget = target.rawValue
        return proto
    }

    /// Reads a request that adds a target; `nil` if the request adds none.
    ///
    /// - Throws: `CodecError` for a target, a resume time or a count that the codec cannot read.
    package func decode(_ proto: ProtoListenRequest) throws(CodecError) -> ListenRequest? {
        guard case .addTarget(let target) = proto.targetChange else { return nil }
        return ListenRequest(
            wireID: WireTargetID(target.targetID),
            target: try at("add_target", decode(target)),
            resumePoint: try at("add_target", Self.resumePoint(of: target)),
            expectedCount: target.hasExpectedCount
                ? try at("add_target.expected_count", Self.count(target.expectedCount.value)) : nil,
            purpose: Self.purpose(label: proto.labels[Self.tagLabel]))
    }

    /// Reads where a target resumes; an empty token means the start.
    ///
    /// - Throws: `CodecError`, `outOfRange`, for a time outside the years 1 to 9999.
    package static func resumePoint(of proto: ProtoTarget) throws(CodecError) -> ResumePoint {
        switch proto.resumeType {
        case .resumeToken(let token):
            return ResumeToken(ProtoBytes.makeBytes(token)).map(ResumePoint.token) ?? .start
        case .readTime(let time):
            return .readTime(SnapshotVersion(try at("read_time", decode(time))))
        case nil:
            return .start
        }
    }

    private static let tagLabel = "goog-listen-tags"

    private static func purpose(label: String?) -> TargetPurpose {
        let others: [TargetPurpose] = [
            .existenceFilterMismatch, .existenceFilterMismatchBloom, .limboResolution,
        ]
        return others.first { $0.label == label } ?? .listen
    }
}
