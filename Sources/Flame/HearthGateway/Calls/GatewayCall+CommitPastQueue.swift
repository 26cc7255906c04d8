import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRPC
import NIOCore
import SwiftProtobuf

/// Commits that the backend decides on at once, past the queue: commits that end a transaction, and
/// commits whose caller wants only the backend's own answer.
///
/// Nothing of a transaction is kept here but who began it; its name is the backend's. The writes of a commit go into
/// the cache before the client hears of the commit, so that the program's next read from the cache
/// finds them.
extension GatewayCall {
    /// Has the backend commit a request's writes.
    ///
    /// A client that gives the call up does not stop it: nobody would know whether the backend
    /// committed, and the cache would lack the writes.
    ///
    /// - Parameters:
    ///   - bytes: The request as it came.
    ///   - message: The same, read.
    ///   - mutations: Its writes.
    /// - Throws: Why the request is refused at once.
    func commitPastQueue(
        _ bytes: ByteBuffer, _ message: ProtoCommitRequest, _ mutations: [Mutation]
    ) throws(HearthError) {
        let forwarded = try ForwardedRequest(.commit, bytes, in: session.database)
        for mutation in mutations { try CheckedWrites.checkRight(to: mutation, of: session) }
        switch forwarded.transactionUse {
        case .joins:
            // What the program wrote before was awaited when the transaction began.
            if let broken = session.brokenLine { return fail(broken) }
            try session.checkBegun(forwarded.transaction)
            sendTranslated(message, mutations)
        case .none, .begins, .beginsInPast:
            if let refusal = session.offlineRefusal(of: "This commit", as: mode.offlineStatus) {
                return fail(refusal)
            }
            // Promises of the session's own writes are settled then.
            afterOwnWrites { sendTranslated(message, mutations) }
        }
    }

    private func sendTranslated(_ message: ProtoCommitRequest, _ mutations: [Mutation]) {
        translate(mutations) { translated in
            orFail { () throws(HearthError) in
                var real = message
                real.writes = message.writes.naming(translated)
                let forwarded = try ForwardedRequest(
                    .commit, ByteBuffer(bytes: FirestoreCodec.bytes(of: real)),
                    in: session.database)
                send(try SentCommit(forwarded.message, in: session.database), forwarded)
            }
        }
    }

    private func send(_ commit: SentCommit, _ forwarded: ForwardedRequest) {
        var answer: [UInt8] = []
        let exchange = DoorExchange(session) {
            answer = $0
            return true
        } finish: { [stream, session] end in
            if let error = end.error { return stream.end(error, end.trailing) }
            session.noteEnded(forwarded.transaction)
            // What cannot be read comes by the watch stream.
            guard let (mutations, results) = commit.effects(by: answer) else {
                return stream.answer(.message(answer))
            }
            session.ask({ .learnCommit($0, mutations, results) }) { _ in
                stream.answer(.message(answer))
                return false
            }
        }
        start(exchange, .commit, forwarded)
    }
}

/// The writes of a commit on its way to the backend.
private struct SentCommit {
    private let codec: FirestoreCodec
    private let mutations: [Mutation]

    /// Reads the writes of a request.
    ///
    /// - Throws: `invalidArgument` for what is no write.
    init(_ message: [UInt8], in database: DatabaseID) throws(HearthError) {
        codec = FirestoreCodec(database: database)
        do {
            let request = try ProtoCommitRequest(serializedBytes: message)
            mutations = try request.writes.map { [codec] in try codec.decode($0) }
        } catch {
            throw HearthError(code: .invalidArgument, message: "\(error)")
        }
    }

    /// What the commit did, if the backend's answer can be read and tells of anything.
    func effects(by answer: [UInt8]) -> ([Mutation], WriteAnswer)? {
        guard !mutations.isEmpty,
            let message = try? ProtoCommitResponse(serializedBytes: answer),
            let commit = try? codec.decode(message), commit.results.count == mutations.count
        else { return nil }
        let results = WriteAnswer(
            token: [], committedAt: commit.committedAt, results: commit.results)
        return (mutations, results)
    }
}
