import FoundationEssentials
import GRPCCore
import HearthModel
import HearthProtocol
import HearthTestSupport
import SwiftProtobuf
import Synchronization

/// One watch stream of a client: the requests on the stream, and the messages that have come.
final class ListenTalk: Sendable {
    private struct State {
        var words: [String] = []
        var messages: [ProtoListenResponse] = []
        var end: Result<Void, RPCError>?
    }

    /// The messages, apart from the talk so that the stream's task does not hold the talk.
    private final class Record: Sendable {
        let state = Mutex(State())
    }

    private let record = Record()
    private let requests: AsyncStream<ProtoListenRequest>.Continuation
    private let task: Task<Void, Never>
    private let database: String

    /// Opens a stream.
    init(_ client: GatewayClient, _ metadata: Metadata = [:], project: String = "demo") {
        database = DatabaseID(project: project).name
        let (stream, requests) = AsyncStream.makeStream(of: ProtoListenRequest.self)
        self.requests = requests
        task = Task { [record] in
            let end: Result<Void, RPCError>
            do {
                try await client.talk(.listen, stream, metadata: metadata) {
                    (message: ProtoListenResponse) in
                    record.state.withLock {
                        $0.words.append(Self.word(message))
                        $0.messages.append(message)
                    }
                }
                end = .success(())
            } catch {
                let unknown = RPCError(code: .unknown, message: "\(error)")
                end = .failure(error as? RPCError ?? unknown)
            }
            record.state.withLock { $0.end = end }
        }
    }

    deinit { task.cancel() }

    /// Adds a target for a collection.
    func listen(
        to collection: String, as id: Int32 = 1, resumingAt token: Data? = nil,
        _ change: (inout ProtoTarget) -> Void = { _ in }
    ) {
        var target = ProtoTarget()
        target.targetID = id
        target.query.parent = "\(database)/documents"
        target.query.structuredQuery.from = [.with { $0.collectionID = collection }]
        if let token { target.resumeToken = token }
        change(&target)
        ask { $0.addTarget = target }
    }

    /// Adds a target for documents by their paths.
    func listen(toDocuments paths: [String], as id: Int32 = 1) {
        ask {
            $0.addTarget.targetID = id
            $0.addTarget.documents.documents = paths.map { "\(self.database)/documents/\($0)" }
        }
    }

    /// Sends a request on the stream.
    func ask(_ change: (inout ProtoListenRequest) -> Void) {
        var request = ProtoListenRequest()
        request.database = database
        change(&request)
        requests.yield(request)
    }

    /// The client sends no more.
    func stop() { requests.finish() }

    /// The client is gone, without a word.
    func abandon() { task.cancel() }

    /// What has come so far, in short.
    var words: [String] { record.state.withLock { $0.words } }

    /// The last token that completed a picture.
    var token: Data? {
        for message in messages.reversed() {
            guard case .targetChange(let change)? = message.responseType,
                change.targetChangeType == .noChange
            else { continue }
            return change.resumeToken
        }
        return nil
    }

    /// All messages so far.
    var messages: [ProtoListenResponse] { record.state.withLock { $0.messages } }

    /// The documents of each complete picture so far, by their last names, and the number that each
    /// has in its field `n`. For a talk with one target.
    var pictures: [[String: Int64]] {
        var pictures: [[String: Int64]] = []
        var shown: [String: Int64] = [:]
        for message in messages {
            switch message.responseType {
            case .documentChange(let change):
                let number = change.document.fields.first { $0.key == "n" }?.value.integerValue
                shown[Self.name(change.document.name)] = number ?? 0
            case .documentDelete(let change): shown[Self.name(change.document)] = nil
            case .documentRemove(let change): shown[Self.name(change.document)] = nil
            case .targetChange(let change)
            where change.targetChangeType == .noChange && change.targetIds.isEmpty:
                pictures.append(shown)
            case .targetChange, .filter, nil: break
            }
        }
        return pictures
    }

    /// Waits until exactly this has come.
    func hears(_ words: [String]) async throws {
        _ = try await eventually({ self.words }, is: { $0.count >= words.count })
        guard self.words == words else { throw TooLate(last: "\(self.words)") }
    }

    /// Waits for the error that ends the stream; `nil` for a good end.
    func endsWith() async throws -> RPCError? {
        let end = try await eventually(
            { self.record.state.withLock { $0.end } }, is: { $0 != nil })
        guard case .failure(let error) = end else { return nil }
        return error
    }

    private static func word(_ message: ProtoListenResponse) -> String {
        switch message.responseType {
        case .targetChange(let change): word(change)
        case .documentChange(let change): name(change.document.name)
        case .documentDelete(let change): "deleted \(name(change.document))"
        case .documentRemove(let change): "removed \(name(change.document))"
        case .filter: "filter"
        case nil: "nothing"
        }
    }

    private static func word(_ change: ProtoTargetChange) -> String {
        switch change.targetChangeType {
        case .noChange: "NO_CHANGE"
        case .add: "ADD"
        case .remove: change.hasCause ? "REMOVE \(change.cause.code)" : "REMOVE"
        case .current: "CURRENT"
        case .reset: "RESET"
        case .UNRECOGNIZED(let number): "\(number)"
        }
    }

    private static func name(_ name: String) -> String {
        name.split(separator: "/").last.map { String($0) } ?? ""
    }
}

extension GatewayClient {
    /// Writes a document as other machines would, or deletes it.
    func commit(_ path: String, _ number: Int64?) async throws -> ProtoCommitResponse {
        let database = GatewayBench.database.name
        let name = "\(database)/documents/\(path)"
        let request = ProtoCommitRequest.with {
            $0.database = database
            $0.writes = [
                .with { write in
                    guard let number else { return write.delete = name }
                    write.update.name = name
                    write.update.fields = [
                        .with {
                            $0.key = "n"
                            $0.value.integerValue = number
                        },
                        .with {
                            $0.key = "m"
                            $0.value.integerValue = -number
                        },
                    ]
                }
            ]
        }
        return try await unary(.commit, request)
    }
}
