package import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import SwiftProtobuf
import Synchronization

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
        let answer: ProtoCommitResponse = try await one(.commit, message)
        return try readable { try codec.decode(answer) }
    }

    /// Reads documents by name, in the order asked: found, or missing at the time of reading.
    ///
    /// - Throws: Why the call failed, or why its answer cannot be read.
    package func documents(_ keys: [DocumentKey]) async throws(HearthError) -> [Document] {
        let codec = codec
        var message = ProtoBatchGetDocumentsRequest()
        message.database = codec.database.name
        message.documents = keys.map(codec.name(of:))
        let answers: [ProtoBatchGetDocumentsResponse] = try await all(
            .batchGetDocuments, message)
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
        let answers: [ProtoRunQueryResponse] = try await all(
            .runQuery, message, routing: ["parent": message.parent])
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
        let answers: [ProtoRunAggregationQueryResponse] = try await all(
            .runAggregationQuery, message, routing: ["parent": message.parent])
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
        let routing: KeyValuePairs = [
            "parent": message.parent, "collection_id": message.collectionID,
        ]
        let answer: ProtoListDocumentsResponse = try await one(
            .listDocuments, message, routing: routing)
        return try readable {
            Page(
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
        let answer: ProtoListCollectionIdsResponse = try await one(
            .listCollectionIds, message, routing: ["parent": message.parent])
        return Page(
            elements: answer.collectionIds,
            nextToken: answer.nextPageToken.isEmpty ? nil : answer.nextPageToken)
    }
}

extension UnaryCalls {
    /// Makes a call whose answer is one message.
    private func one<Answer: Message>(
        _ method: FirestoreMethod, _ request: some Message,
        routing: KeyValuePairs<String, String>? = nil
    ) async throws(HearthError) -> Answer {
        let answers: [Answer] = try await all(method, request, routing: routing)
        guard answers.count == 1, let answer = answers.first else {
            throw HearthError(
                code: .internalError,
                message: "The backend answered \(method.rawValue) with \(answers.count) messages.")
        }
        return answer
    }

    /// Makes a call, and once more if the backend does not believe who we are.
    private func all<Answer: Message>(
        _ method: FirestoreMethod, _ request: some Message,
        routing: KeyValuePairs<String, String>? = nil
    ) async throws(HearthError) -> [Answer] {
        let bytes: [UInt8]
        do {
            bytes = try request.serializedBytes()
        } catch {
            throw HearthError(
                code: .invalidArgument, message: "The request cannot be sent. \(error)")
        }
        do throws(HearthError) {
            return try await attempt(method, bytes, routing)
        } catch {
            guard error.code == .unauthenticated else { throw error }
            return try await attempt(method, bytes, routing)
        }
    }

    private func attempt<Answer: Message>(
        _ method: FirestoreMethod, _ message: [UInt8], _ routing: KeyValuePairs<String, String>?
    ) async throws(HearthError) -> [Answer] {
        let identity = try await channel.headers.identity(as: user, routing: routing)
        do throws(HearthError) {
            let request = FirestoreChannel.request(
                method.path, showing: identity, timeout: ChannelLimits.callTimeout)
            let (messages, end) = await channel.client.answers(to: request, message)
            if let failure = end.failure { throw failure }
            let answers = try messages.map { message throws(HearthError) in
                try Answer(answer: message)
            }
            await channel.answered(identity)
            return answers
        } catch {
            await channel.ended(error, showing: identity)
            throw error
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
}

extension ClientChannel {
    /// Makes a call of one request and gathers its answer. Ends with the task.
    fileprivate func answers(
        to request: CallRequest, _ message: [UInt8]
    ) async -> (messages: [ByteBuffer], end: CallEnd) {
        let gathered = Mutex<[ByteBuffer]>([])
        let running = CancellableCall()
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                running.begin(
                    call(
                        request, sending: message,
                        telling: CallListener(
                            received: { message in
                                gathered.withLock { $0.append(message) }
                                return true
                            }, ended: { continuation.resume(returning: $0) })))
            }
        } onCancel: {
            running.cancel()
        }
        return (gathered.withLock { $0 }, end)
    }
}

/// A call that may be cancelled before it is begun.
private final class CancellableCall: Sendable {
    private let state = Mutex<(call: ClientCall?, isCancelled: Bool)>((nil, false))

    func begin(_ call: ClientCall) {
        let isCancelled = state.withLock { state in
            state.call = call
            return state.isCancelled
        }
        if isCancelled { call.cancel() }
    }

    func cancel() {
        let call = state.withLock { state in
            state.isCancelled = true
            return state.call
        }
        call?.cancel()
    }
}
