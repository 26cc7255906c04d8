import GRPCCore
import GRPCProtobuf
package import HearthModel
import HearthProtocol
import SwiftProtobuf

/// The calls to the backend with one request and one answer for us.
///
/// Each call may take `ChannelLimits.callTimeout`. If the backend refuses the credentials, the call
/// is made once more with new credentials; no other failure is retried. A call throws the backend's
/// error, or a `HearthError` if a value cannot be sent or the answer cannot be read.
package struct UnaryCalls: Sendable {
    private let channel: FirestoreChannel
    private let user: UserID?
    private var codec: FirestoreCodec { channel.codec }

    /// Makes calls over a channel.
    ///
    /// - Parameter user: The user on whose behalf the calls are made; `nil` for the user who is
    ///   signed in. A call fails if another user is signed in.
    package init(_ channel: FirestoreChannel, as user: UserID? = nil) {
        self.channel = channel
        self.user = user
    }

    /// Applies writes, all or none.
    ///
    /// - Throws: Why the call failed, or why its answer cannot be read.
    package func commit(
        _ mutations: [Mutation]
    ) async throws(HearthError) -> (committedAt: SnapshotVersion, results: [Mutation.Result]) {
        let codec = codec
        var message = ProtoCommitRequest()
        message.database = codec.database.name
        message.writes = try sendable { () throws(CodecError) in try codec.encode(mutations) }
        let request = message
        return try await call { metadata in
            let answer = try await channel.backend.commit(
                request, metadata: metadata, options: FirestoreChannel.callOptions)
            return try codec.decode(answer)
        }
    }

    /// Reads documents by name, in the order asked: found, or missing at the time of reading.
    ///
    /// - Throws: Why the call failed, or why its answer cannot be read.
    package func documents(_ keys: [DocumentKey]) async throws(HearthError) -> [Document] {
        let codec = codec
        var message = ProtoBatchGetDocumentsRequest()
        message.database = codec.database.name
        message.documents = keys.map(codec.name(of:))
        let request = message
        let answers = try await call { metadata in
            try await channel.backend.batchGetDocuments(
                request, metadata: metadata, options: FirestoreChannel.callOptions
            ) { try await Self.all($0) }
        }
        return try readable {
            var found: [DocumentKey: Document] = [:]
            for answer in answers {
                if let document = try codec.decode(answer) { found[document.key] = document }
            }
            return try keys.map { key throws(CodecError) in
                guard let document = found[key] else { throw CodecError(.missing, at: "\(key)") }
                return document
            }
        }
    }

    /// Runs a query.
    ///
    /// - Throws: Why the call failed, or why its answer cannot be read.
    package func run(_ query: StructuredQuery) async throws(HearthError) -> [Document] {
        let codec = codec
        var message = ProtoRunQueryRequest()
        message.parent = codec.name(of: query.parent)
        message.structuredQuery = try sendable { () throws(CodecError) in try codec.encode(query) }
        let request = message
        let answers = try await call(["parent": request.parent]) { metadata in
            try await channel.backend.runQuery(
                request, metadata: metadata, options: FirestoreChannel.callOptions
            ) { try await Self.all($0) }
        }
        return try readable {
            var documents: [Document] = []
            for answer in answers where answer.hasDocument {
                var document = try codec.decode(answer.document)
                document.readAt = SnapshotVersion(try FirestoreCodec.decode(answer.readTime))
                documents.append(document)
            }
            return documents
        }
    }

    /// Computes numbers over a query's results, by their aliases.
    ///
    /// - Throws: Why the call failed, or why its answer cannot be read.
    package func run(
        _ aggregations: [Aggregation], over query: StructuredQuery
    ) async throws(HearthError) -> MapValue {
        let codec = codec
        var message = ProtoRunAggregationQueryRequest()
        message.parent = codec.name(of: query.parent)
        message.structuredAggregationQuery = try sendable { () throws(CodecError) in
            try codec.encode(aggregations, over: query)
        }
        let request = message
        let answers = try await call(["parent": request.parent]) { metadata in
            try await channel.backend.runAggregationQuery(
                request, metadata: metadata, options: FirestoreChannel.callOptions
            ) { try await Self.all($0) }
        }
        return try readable {
            guard let answer = answers.first(where: \.hasResult) else {
                throw CodecError(.missing, at: "result")
            }
            return try codec.decode(answer.result)
        }
    }
}

/// Lists, for administrators.
extension UnaryCalls {
    /// A part of a list, and the token of the next part; `nil` after the last part.
    package struct Page<Element: Sendable>: Sendable {
        /// The part.
        package let elements: [Element]
        /// The token of the next part.
        package let nextToken: String?
    }

    /// Lists the documents of a collection by name.
    ///
    /// - Parameters:
    ///   - pageSize: The most elements of a page.
    ///   - token: `nextToken` of the page before; `nil` for the first page.
    /// - Throws: Why the call failed, or why its answer cannot be read.
    package func documents(
        in collection: ResourcePath, pageSize: Int, token: String? = nil
    ) async throws(HearthError) -> Page<Document> {
        let codec = codec
        var message = ProtoListDocumentsRequest()
        message.parent = codec.name(of: collection.parent)
        message.collectionID = collection.last
        message.pageSize = Int32(clamping: pageSize)
        message.pageToken = token ?? ""
        let request = message
        let routing: KeyValuePairs = [
            "parent": request.parent, "collection_id": request.collectionID,
        ]
        return try await call(routing) { metadata in
            let answer = try await channel.backend.listDocuments(
                request, metadata: metadata, options: FirestoreChannel.callOptions)
            return Page(
                elements: try answer.documents.map { try codec.decode($0) },
                nextToken: answer.nextPageToken.isEmpty ? nil : answer.nextPageToken)
        }
    }

    /// Lists the ids of the collections below a document, or below the root.
    ///
    /// - Parameters:
    ///   - pageSize: The most elements of a page.
    ///   - token: `nextToken` of the page before; `nil` for the first page.
    /// - Throws: Why the call failed, or why its answer cannot be read.
    package func collectionIDs(
        below parent: ResourcePath, pageSize: Int, token: String? = nil
    ) async throws(HearthError) -> Page<String> {
        var message = ProtoListCollectionIdsRequest()
        message.parent = codec.name(of: parent)
        message.pageSize = Int32(clamping: pageSize)
        message.pageToken = token ?? ""
        let request = message
        return try await call(["parent": request.parent]) { metadata in
            let answer = try await channel.backend.listCollectionIds(
                request, metadata: metadata, options: FirestoreChannel.callOptions)
            return Page(
                elements: answer.collectionIds,
                nextToken: answer.nextPageToken.isEmpty ? nil : answer.nextPageToken)
        }
    }
}

extension UnaryCalls {
    /// Makes a call, and once more if the backend does not believe who we are.
    private func call<Answer: Sendable>(
        _ routing: KeyValuePairs<String, String>? = nil,
        _ body: (Metadata) async throws -> Answer
    ) async throws(HearthError) -> Answer {
        do throws(HearthError) {
            return try await attempt(routing, body)
        } catch {
            guard error.code == .unauthenticated else { throw error }
            return try await attempt(routing, body)
        }
    }

    private func attempt<Answer: Sendable>(
        _ routing: KeyValuePairs<String, String>?, _ body: (Metadata) async throws -> Answer
    ) async throws(HearthError) -> Answer {
        let identity = try await channel.headers.identity(as: user, routing: routing)
        do {
            let answer = try await body(identity.metadata)
            await channel.answered(identity)
            return answer
        } catch {
            let failure = HearthError(error)
            await channel.ended(failure, showing: identity)
            throw failure
        }
    }

    private func sendable<Result>(
        _ body: () throws(CodecError) -> Result
    ) throws(HearthError) -> Result {
        do throws(CodecError) {
            return try body()
        } catch {
            throw HearthError(unsendable: error)
        }
    }

    private func readable<Result>(_ body: () throws -> Result) throws(HearthError) -> Result {
        do {
            return try body()
        } catch {
            throw HearthError(error)
        }
    }

    private static func all<Answer: Sendable>(
        _ response: StreamingClientResponse<Answer>
    ) async throws -> [Answer] {
        var answers: [Answer] = []
        for try await answer in response.messages { answers.append(answer) }
        return answers
    }
}
