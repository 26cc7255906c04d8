import Dispatch
import HearthBackend
import HearthModel
import HearthProtocol
import HearthRPC
import Logging
import NIOCore
import SwiftProtobuf

/// Answers calls of `google.firestore.v1.Firestore` from the host's backend, for all transports.
///
/// A call reads its request and asks the host once. The call makes its answer on the thread on
/// which the host replies. Queries over large databases run on the queue `queries`, on a picture
/// from the host, so that a long query holds up nobody.
struct FirestoreService: Sendable {
    /// Where an answer goes, on any thread.
    typealias Reply = CallReply

    let host: BackendHost
    let logger: Logger
    /// The caller whom the rules judge.
    private(set) var caller: NotedCaller

    /// A service for the admin.
    ///
    /// - Parameter log: Where requests are noted; `nil` if nobody wants to see them.
    init(host: BackendHost, logger: Logger, log: RequestLog? = nil) {
        self.host = host
        self.logger = logger
        caller = NotedCaller(.admin, log: log)
    }

    /// The most records of a database for which a query runs at once, on the host's reply.
    static let promptRecordCountMax = 256
    /// The queue for queries over larger databases.
    static let queries = DispatchQueue(
        label: "hearth.emulator.queries", attributes: .concurrent)

    /// A service for one call.
    func called(by caller: Caller) -> FirestoreService {
        var service = self
        service.caller = NotedCaller(caller, log: self.caller.log)
        return service
    }

    /// Answers a call of one request.
    ///
    /// - Parameters:
    ///   - request: The message's bytes.
    ///   - reply: Takes the answer; called once, on any thread, perhaps before `answer` returns.
    func answer(
        _ method: FirestoreMethod, _ request: ByteBuffer, _ reply: @escaping Reply
    ) {
        guard caller.log != nil else { return carryOut(method, request, reply) }
        var service = self
        service.caller = caller.asking(method, at: host.clock.now)
        service.carryOut(method, request) { [record = service.caller.record] result in
            record?.end(result)
            reply(result)
        }
    }

    private func carryOut(
        _ method: FirestoreMethod, _ request: ByteBuffer, _ reply: @escaping Reply
    ) {
        do throws(HearthError) {
            switch method {
            case .getDocument: try getDocument(Self.read(request), reply)
            case .listDocuments: try listDocuments(Self.read(request), reply)
            case .createDocument: try createDocument(Self.read(request), reply)
            case .updateDocument: try updateDocument(Self.read(request), reply)
            case .deleteDocument: try deleteDocument(Self.read(request), reply)
            case .batchGetDocuments: try batchGetDocuments(Self.read(request), reply)
            case .beginTransaction: try beginTransaction(Self.read(request), reply)
            case .commit: try commit(request, reply)
            case .rollback: try rollback(Self.read(request), reply)
            case .runQuery: try runQuery(Self.read(request), reply)
            case .executePipeline: throw Self.noPipelines
            case .runAggregationQuery: try runAggregationQuery(Self.read(request), reply)
            case .partitionQuery: try partitionQuery(Self.read(request), reply)
            case .listCollectionIds: try listCollectionIds(Self.read(request), reply)
            case .batchWrite: try batchWrite(request, reply)
            case .write, .listen:
                preconditionFailure("\(method) does not take one request")
            }
        } catch {
            reply(.failure(error))
        }
    }

    /// Begins a call of many requests.
    ///
    /// - Parameter lateness: The fault `CallFaults.lateness`; `nil` for none.
    fileprivate func open(
        _ method: FirestoreMethod, answering sender: any CallSender,
        on eventLoop: any EventLoop, lateness: Duration?
    ) -> any BidirectionalCall {
        switch method {
        case .write:
            if let lateness {
                return LateWriteCall(
                    host: host, caller: caller, sender: sender, on: eventLoop, lateness: lateness)
            }
            return WriteCall(host: host, caller: caller, sender: sender, on: eventLoop)
        case .listen:
            return WatchCall(
                host: host, caller: caller, sender: sender, log: WatchLog(logger), on: eventLoop)
        case .getDocument, .listDocuments, .createDocument, .updateDocument, .deleteDocument,
            .batchGetDocuments, .beginTransaction, .commit, .rollback, .runQuery, .executePipeline,
            .runAggregationQuery, .partitionQuery, .listCollectionIds, .batchWrite:
            preconditionFailure("\(method) takes one request")
        }
    }

    /// Reads a request.
    ///
    /// - Throws: `invalidArgument` for bytes that are no `Request`.
    static func read<Request: Message>(_ bytes: ByteBuffer) throws(HearthError) -> Request {
        do {
            return try Request(serializedBytes: bytes.readableBytesSpan)
        } catch {
            throw .argument("The request is no \(Request.protoMessageName).")
        }
    }

    /// Wraps `reply` for the host: `body` makes the answer from the host's result.
    static func answer<Value>(
        _ reply: @escaping Reply, _ body: @escaping @Sendable (Value) throws -> Answer
    ) -> BackendHost.Reply<Value> {
        { result in
            reply(
                result.flatMap { value in
                    Result { () throws(HearthError) in
                        do {
                            return try body(value)
                        } catch let error as HearthError {
                            throw error
                        } catch {
                            throw HearthError(code: .internalError, message: "\(error)")
                        }
                    }
                })
        }
    }

    /// The answer that holds one message.
    static func message(_ message: some Message) -> Answer {
        .message(FirestoreCodec.bytes(of: message))
    }

    private static let noPipelines = HearthError(
        code: .unimplemented,
        message: "Pipelines are only allowed on ENTERPRISE mode, which this emulator is not.")
}

/// The calls of gRPC connections.
extension FirestoreService: CallService {
    var name: String { "emulator" }

    func method(at path: String) -> CallMethod? { FirestoreMethod.call(at: path) }

    func answer(_ call: CallHead, _ request: ByteBuffer, _ reply: @escaping CallReply) {
        do throws(HearthError) {
            called(by: try Caller(authorization: call.authorization))
                .answer(FirestoreMethod(call.method), request, reply)
        } catch {
            reply(.failure(error))
        }
    }

    func open(
        _ call: CallHead, answering sender: any CallSender, on eventLoop: any EventLoop,
        faults: CallFaults?
    ) throws(HearthError) -> any BidirectionalCall {
        called(by: try Caller(authorization: call.authorization))
            .open(
                FirestoreMethod(call.method), answering: sender, on: eventLoop,
                lateness: faults?.lateness)
    }
}
