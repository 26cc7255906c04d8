import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import HearthServer
import NIOCore
import SwiftProtobuf

/// What the reading methods share: where an answer comes from, and what offline is no answer.
extension GatewayCall {
    /// The codec for the call's database.
    var codec: FirestoreCodec { FirestoreCodec(database: session.database) }

    /// Reads the call's request.
    ///
    /// - Throws: `invalidArgument` for bytes that are no `Request`.
    static func read<Request: Message>(_ bytes: ByteBuffer) throws(HearthError) -> Request {
        do {
            return try Request(serializedBytes: bytes.readableBytesSpan)
        } catch {
            throw .argument("The request is no \(Request.protoMessageName).")
        }
    }

    /// What the engine is asked first, by the call's mode and by whether the backend is there.
    ///
    /// - Returns: `nil` if the mode wants the backend, which cannot be reached.
    var firstSource: ReadSource? {
        let isReachable = session.unreachable == nil
        switch mode.reads {
        case .serverFirst: return isReachable ? .default : .cache
        case .cacheFirst: return .cache
        case .server: return isReachable ? .server : nil
        }
    }

    /// Whether the backend is asked for what an answer from the cache lacks.
    ///
    /// - Parameter source: What the engine was asked.
    func asksBackend(after source: ReadSource) -> Bool {
        source == .cache && session.unreachable == nil
    }

    /// Whether a query may be answered with what happens to be cached, though the backend never told
    /// of all of it. Only a program that asks the cache first takes such an answer.
    var takesIncompleteAnswers: Bool { mode.reads == .cacheFirst }

    /// Refuses a call that the engine has refused.
    ///
    /// What the backend said stays as the backend said it. If there is no backend to say anything,
    /// the refusal has the code that clients do not retry.
    func refuse(_ what: String, _ error: HearthError) {
        guard session.isOffline(after: error) else { return fail(error) }
        failOffline(what)
    }

    /// Refuses what needs the backend, which cannot be reached.
    ///
    /// - Parameter what: What needs the backend, at the head of a sentence.
    func failOffline(_ what: String) {
        fail(.offline(what, as: mode.offlineStatus, because: session.unreachable))
    }

    /// Answers with messages that are made one at a time, with the marks in the headers.
    func answer(_ source: some AnswerSource, _ marks: Marks, asOf readTime: Timestamp) {
        var answer = Answer.messages(source)
        answer.initial = marks.metadata(asOf: readTime)
        self.answer(answer)
    }

    /// Answers with one message, and with the marks in the headers.
    func answer(_ message: [UInt8], _ marks: Marks, asOf readTime: Timestamp) {
        var answer = Answer.message(message)
        answer.initial = marks.metadata(asOf: readTime)
        self.answer(answer)
    }

    /// Does something that may refuse the call, after the call has begun.
    func orFail(_ body: () throws(HearthError) -> Void) {
        do throws(HearthError) {
            try body()
        } catch {
            fail(error)
        }
    }
}

extension GatewayError {
    /// While the backend cannot be reached, refuses a read of documents that the cache does not
    /// know.
    ///
    /// - Parameters:
    ///   - what: What is not known, at the head of a sentence.
    ///   - code: `gateway.offlineStatus`.
    static func notCached(_ what: String, as code: StatusCode) -> GatewayError {
        GatewayError(
            HearthError(
                code: code,
                message: "\(what) is not in the cache, and the backend cannot be reached now. Ask "
                    + "again when the machine is online, or listen to it while it is."),
            because: .notCached)
    }
}
