import GRPCCore
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthGateway
@testable import HearthServer

/// A gateway whose backend has rooms, and the shared steps of tests of reading.
struct RoomBench: Sendable {
    static let root = GatewayBench.database.documentsName

    let bench: GatewayBench
    /// A client of the gateway.
    let client: GatewayClient
    /// A client of the backend itself.
    let direct: GatewayClient

    /// Runs a gateway before a backend with three rooms, each with its size.
    ///
    /// - Parameter folder: Where the daemon keeps its cache; `nil` for memory.
    static func run(
        keptIn folder: TemporaryFolder? = nil,
        _ body: @Sendable (RoomBench) async throws -> Void
    ) async throws {
        try await GatewayBench.run {
            $0.storeFolder = folder?.path
        } _: { bench in
            try await bench.withDirectClient { direct in
                try await bench.withClient { client in
                    let rooms = RoomBench(bench: bench, client: client, direct: direct)
                    try await rooms.build("rooms/hall", size: 3)
                    try await rooms.build("rooms/attic", size: 1)
                    try await rooms.build("rooms/cellar", size: 2)
                    try await body(rooms)
                }
            }
        }
    }

    // MARK: Changes

    /// Writes a document at the backend, past the gateway.
    @discardableResult
    func build(_ path: String, size: Int64) async throws -> ProtoCommitResponse {
        var entry = ProtoFieldsEntry()
        entry.key = "size"
        entry.value.integerValue = size
        var write = ProtoWrite()
        write.update.name = "\(Self.root)/\(path)"
        write.update.fields = [entry]
        var request = ProtoCommitRequest()
        request.database = GatewayBench.database.name
        request.writes = [write]
        return try await direct.unary(.commit, request)
    }

    /// Puts a write in the daemon's queue, as another program's.
    func queue(_ path: String, size: Int64) throws {
        try queue(
            Mutation(key: try DocumentKey(parsing: path), kind: .set(["size": .integer(size)])))
    }

    /// The same with any write.
    ///
    /// - Parameter batch: The number that the write gets, if an administrator is to hold it.
    func queue(_ mutation: Mutation, holding batch: BatchID? = nil) throws {
        let id = RequestID(session: 9_999, number: 1)
        let write = WriteRequest(
            id: id, writer: Writer(uid: 0, gid: 0, pid: 1, program: "test"), mutations: [mutation])
        guard case .firestore(let service)? = engine?.service else {
            throw RPCError(code: .unknown, message: "There is no engine.")
        }
        var inputs = [FirestoreEngine.Input.write(write)]
        if let batch { inputs.append(.steerQueue(id, .hold([batch]), by: 0)) }
        _ = service.inlet.submit(inputs, from: .session(9_999, of: 0))
    }

    /// Takes the daemon off the network, or brings it back.
    func setOnline(_ isOnline: Bool) async throws {
        let lifecycle = try #require(engine?.lifecycle)
        lifecycle.administer(.setNetwork(isEnabled: isOnline))
        _ = try await eventually({ lifecycle.status.isNetworkEnabled }, is: { $0 == isOnline })
    }

    private var engine: RunningEngine? {
        bench.server.engines.engine(of: .firestore(GatewayBench.database))
    }

    /// What is answered of documents without a turn.
    func remembered(_ keys: [DocumentKey]) -> DocumentsRead? {
        let engine = bench.server.engines.engine(of: .firestore(GatewayBench.database))
        guard case .firestore(let service)? = engine?.service else { return nil }
        return service.cachedReads.documents(keys)
    }

    // MARK: Calls

    /// Reads a document.
    func get(_ path: String, _ metadata: Metadata = [:]) async throws -> ProtoDocument {
        var request = ProtoGetDocumentRequest()
        request.name = "\(Self.root)/\(path)"
        return try await client.unary(.getDocument, request, metadata: metadata)
    }

    /// Reads documents.
    func batchGet(
        _ paths: [String], fields: [String]? = nil, _ metadata: Metadata = [:]
    ) async throws -> GatewayClient.Told<ProtoBatchGetDocumentsResponse> {
        var request = ProtoBatchGetDocumentsRequest()
        request.database = GatewayBench.database.name
        request.documents = paths.map { "\(Self.root)/\($0)" }
        if let fields { request.mask.fieldPaths = fields }
        return try await client.call(.batchGetDocuments, request, metadata: metadata)
    }

    /// Runs a query over rooms.
    func query(
        _ metadata: Metadata = [:], _ change: (inout ProtoStructuredQuery) -> Void = { _ in }
    ) async throws -> GatewayClient.Told<ProtoRunQueryResponse> {
        try await client.call(.runQuery, Self.request(change), metadata: metadata)
    }

    /// A query over rooms.
    static func request(_ change: (inout ProtoStructuredQuery) -> Void) -> ProtoRunQueryRequest {
        var request = ProtoRunQueryRequest()
        request.parent = Self.root
        request.structuredQuery = Self.rooms
        change(&request.structuredQuery)
        return request
    }

    /// Counts rooms.
    func count(
        _ metadata: Metadata = [:], _ change: (inout ProtoStructuredQuery) -> Void = { _ in }
    ) async throws -> GatewayClient.Told<ProtoRunAggregationQueryResponse> {
        var request = ProtoRunAggregationQueryRequest()
        request.parent = Self.root
        request.structuredAggregationQuery.structuredQuery = Self.rooms
        change(&request.structuredAggregationQuery.structuredQuery)
        var count = ProtoStructuredAggregationQuery.Aggregation()
        count.count = .init()
        request.structuredAggregationQuery.aggregations = [count]
        return try await client.call(.runAggregationQuery, request, metadata: metadata)
    }

    private static var rooms: ProtoStructuredQuery {
        var selector = ProtoStructuredQuery.CollectionSelector()
        selector.collectionID = "rooms"
        var query = ProtoStructuredQuery()
        query.from = [selector]
        return query
    }

    // MARK: What is told

    /// The error of a call that must fail, and the error's reason for machines.
    func refusal(
        _ body: () async throws -> Void
    ) async throws -> (code: RPCError.Code, reason: String) {
        let thrown = await #expect(throws: RPCError.self) { try await body() }
        let error = try #require(thrown)
        var details = error.metadata[binaryValues: "grpc-status-details-bin"].makeIterator()
        guard let bytes = details.next() else { return (error.code, "") }
        let text = String(decoding: bytes, as: UTF8.self)
        let reasons = GatewayError.Reason.allCases.filter { text.contains($0.rawValue) }
        return (error.code, reasons.first?.rawValue ?? text)
    }
}

extension ProtoDocument {
    /// The last part of the name.
    var id: String { name.split(separator: "/").last.map(String.init) ?? "" }

    /// The size of a room.
    var size: Int64? { fields.first { $0.key == "size" }?.value.integerValue }
}

extension Google_Protobuf_Timestamp {
    /// What the gateway says below a microsecond.
    var mark: Int32 { nanos % 1_000 }
}

extension Metadata {
    /// The first text of a name.
    func text(_ name: String) -> String? {
        var texts = self[stringValues: name].makeIterator()
        return texts.next()
    }
}
