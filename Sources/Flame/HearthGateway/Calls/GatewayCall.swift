import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import NIOCore
import SwiftProtobuf

/// A call of one request that has no answer yet: its session, its mode, and where the answer goes.
///
/// Each family of methods is an extension. For the event loop of the call's connection.
struct GatewayCall {
    /// What the program may do and has asked for in the request's database.
    let session: GatewaySession
    /// Where reads are answered from, and when writes are answered.
    let mode: GatewayMode
    /// The call's metadata and time.
    let head: CallHead
    /// The stream of the call.
    let stream: OneRequestCall
    /// When the client's patience ends; `nil` for never.
    let deadline: NIODeadline?

    /// A call whose request has come whole.
    init(session: GatewaySession, mode: GatewayMode, head: CallHead, stream: OneRequestCall) {
        self.session = session
        self.mode = mode
        self.head = head
        self.stream = stream
        deadline = head.timeout.map { .now() + $0 }
    }

    /// Answers the call.
    func answer(_ answer: Answer) { stream.answer(answer) }

    /// Answers the call with one message.
    func answer(_ message: some Message) { answer(.message(FirestoreCodec.bytes(of: message))) }

    /// Refuses the call.
    func fail(_ error: HearthError) { stream.end(error) }

    /// Asks the engine; `take` gets what the engine has for the request, unless the client gives
    /// the call up first.
    ///
    /// - Parameter take: Returns whether it wants more.
    func ask(
        _ input: (RequestID) -> FirestoreEngine.Input,
        then take: @escaping (FirestoreDelivery) -> Bool
    ) {
        let number = session.ask(input, then: take)
        stream.whenGone { [session] in session.abandon(number) }
    }

    /// Begins the call of a method.
    ///
    /// - Throws: Why the request is refused at once.
    func begin(_ method: FirestoreMethod, _ request: ByteBuffer) throws(HearthError) {
        switch method {
        case .commit: try commit(request)
        case .createDocument: try createDocument(request)
        case .updateDocument: try updateDocument(request)
        case .deleteDocument: try deleteDocument(request)
        case .batchWrite: try batchWrite(request)
        case .getDocument: try getDocument(request)
        case .batchGetDocuments: try batchGetDocuments(request)
        case .listDocuments: try listDocuments(request)
        case .runQuery: try runQuery(request)
        case .runAggregationQuery: try runAggregationQuery(request)
        case .listCollectionIds: try listCollectionIds(request)
        case .beginTransaction, .rollback, .executePipeline, .partitionQuery:
            try forward(method, request)
        case .write, .listen: throw .notServed(method)
        }
    }
}

extension HearthError {
    fileprivate static func notServed(_ method: FirestoreMethod) -> HearthError {
        HearthError(
            code: .unimplemented,
            message: "The daemon does not serve \(method.rawValue).")
    }
}
