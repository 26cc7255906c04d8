import GRPCCore
import HearthEngine
import HearthModel
import HearthProtocol
import SwiftProtobuf
import Testing

@testable import HearthServer

/// Requests that write, and the parts of their answers that tests look at.
enum Writes {
    static let database = GatewayBench.database.name
    static let root = GatewayBench.database.documentsName

    /// On a slow machine, too, a write that can be committed is not answered as accepted.
    static func patiently(_ configuration: inout ServerConfiguration) {
        configuration.gateway.patienceMilliseconds = 20_000
    }

    /// A write that makes a document hold one number.
    static func set(
        _ path: String, _ number: Int64, _ change: (inout ProtoWrite) -> Void = { _ in }
    ) -> ProtoWrite {
        var write = ProtoWrite()
        write.update.name = "\(root)/\(path)"
        write.update.fields = [
            .with {
                $0.key = "n"
                $0.value = .with { $0.integerValue = number }
            }
        ]
        change(&write)
        return write
    }

    /// The same, if nobody has changed the document since.
    static func set(
        _ path: String, _ number: Int64, ifUnchangedSince time: Google_Protobuf_Timestamp
    ) -> ProtoWrite {
        set(path, number) { $0.currentDocument.updateTime = time }
    }

    /// The same, if there is no such document.
    static func create(_ path: String, _ number: Int64) -> ProtoWrite {
        set(path, number) { $0.currentDocument.exists = false }
    }

    /// A write that deletes a document.
    static func delete(_ path: String) -> ProtoWrite {
        .with { $0.delete = "\(root)/\(path)" }
    }

    /// The reason that a refusal gives to machines, somewhere in its details.
    static func reason(of error: RPCError) -> String {
        error.metadata[binaryValues: "grpc-status-details-bin"]
            .map { String(decoding: $0, as: UTF8.self) }.joined()
    }
}

extension GatewayClient {
    /// Commits writes.
    func commit(
        _ writes: ProtoWrite..., metadata: Metadata = [:]
    ) async throws -> Told<ProtoCommitResponse> {
        try await commit(all: writes, metadata: metadata)
    }

    /// Commits writes as one.
    func commit(
        all writes: [ProtoWrite], metadata: Metadata = [:]
    ) async throws -> Told<ProtoCommitResponse> {
        let request = ProtoCommitRequest.with {
            $0.database = Writes.database
            $0.writes = writes
        }
        return try await call(.commit, request, metadata: metadata)
    }

    /// Why a commit is refused.
    func refusal(
        of write: ProtoWrite, metadata: Metadata = [:]
    ) async throws -> RPCError {
        try #require(
            await #expect(throws: RPCError.self) {
                _ = try await commit(write, metadata: metadata)
            })
    }

    /// A document as the other end has it; `nil` if it is missing.
    func document(_ path: String) async throws -> ProtoDocument? {
        let told: Told<ProtoBatchGetDocumentsResponse> = try await call(
            .batchGetDocuments,
            ProtoBatchGetDocumentsRequest.with {
                $0.database = Writes.database
                $0.documents = ["\(Writes.root)/\(path)"]
            })
        guard case .found(let document)? = told.messages.first?.result else { return nil }
        return document
    }

    /// The number in a document as the other end has it.
    func number(in path: String) async throws -> Int64? {
        try await document(path)?.fields.first { $0.key == "n" }?.value.integerValue
    }
}

extension GatewayClient.Told where Message == ProtoCommitResponse {
    /// When the first document changed, or is promised to have changed.
    var updateTime: Google_Protobuf_Timestamp {
        messages.first?.writeResults.first?.updateTime ?? Google_Protobuf_Timestamp()
    }

    /// Whether the time is a promise.
    var isPromise: Bool { updateTime.nanos % 1_000 == 1 }

    func header(_ name: String) -> String? {
        initial[stringValues: name].first { _ in true }
    }
}

extension GatewayBench {
    /// What the engine's own streams know of the backend.
    var engineState: OnlineState? {
        server.engines.engine(of: .firestore(Self.database))?.lifecycle.status.onlineState
    }

    /// Lets the daemon speak to the emulator, or not.
    func setNetwork(isEnabled: Bool) {
        let key = EngineKey.firestore(Self.database)
        server.engines.engine(of: key)?.lifecycle.administer(.setNetwork(isEnabled: isEnabled))
    }
}
