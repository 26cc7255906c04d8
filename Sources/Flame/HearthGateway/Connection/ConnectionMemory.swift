import HearthModel
import HearthRPC
import HearthServer
import NIOCore

/// The bytes that a connection holds for its client and that no session counts. These are requests
/// that the connection has not taken, has not received whole or has not begun, and answers that the
/// client has not taken.
struct ConnectionMemory {
    /// Bytes that were read and wait, because the client's user has taken more of the loop than is
    /// the user's.
    fileprivate(set) var untaken = 0
    /// Bytes of requests that are not whole.
    fileprivate(set) var unfinished = 0
    /// Bytes of whole requests whose calls have not begun.
    fileprivate(set) var gathered = 0
    /// Bytes of answers that the client has not taken.
    fileprivate(set) var unread = 0
    /// Bytes of results that calls answer from, as the client takes the answers.
    fileprivate(set) var results = 0
    /// The bytes that were last counted for the client's user.
    fileprivate(set) var counted = 0
    /// What waits for the client to read.
    fileprivate var waiting: [() -> Void] = []

    /// A smaller change is not worth counting.
    private static let grainByteCount = 4 << 10

    /// All of it.
    var byteCount: Int { untaken + unfinished + gathered + unread + results }

    /// By how much the bytes have changed since they were last counted; `nil` for too little.
    mutating func takeChange() -> Int? {
        let change = byteCount - counted
        guard abs(change) >= Self.grainByteCount || (change != 0 && byteCount == 0) else {
            return nil
        }
        counted += change
        return change
    }
}

extension GatewayConnection {
    /// Keeps a request whose call has not begun, in memory of its own.
    ///
    /// - Returns: The request; its bytes are to be released.
    /// - Throws: If the connection's requests that have not begun are too large together, or the
    ///   connection ends.
    func gather(_ request: ByteBuffer) throws(HearthError) -> ByteBuffer {
        if let refusal { throw refusal }
        let byteCount = memory.unfinished + memory.gathered + request.readableBytes
        if let refusal = refusal(ofUnfinished: byteCount) { throw refusal }
        memory.gathered += request.readableBytes
        countMemory()
        return request.compacted()
    }

    /// The gathered bytes of a request are free, or the request's call counts them from now on.
    func release(gathered byteCount: Int) {
        memory.gathered -= byteCount
        countMemory()
    }

    /// Keeps a result for as long as its call answers from the result.
    ///
    /// A client that takes nothing of its answers would otherwise have the daemon hold as many results
    /// as the client has calls. The first result is kept, however large.
    ///
    /// - Throws: If the client has left too much unread.
    func keep(result byteCount: Int) throws(HearthError) {
        let byteCountMax = settings.limits.unreadByteCountMax
        guard memory.results == 0 || memory.results + memory.unread + byteCount <= byteCountMax
        else {
            throw .unreadAnswers(byteCountMax)
        }
        memory.results += byteCount
        countMemory()
    }

    /// The result of a call is free.
    func release(result byteCount: Int) {
        guard byteCount > 0 else { return }
        memory.results -= byteCount
        countMemory()
    }

    /// Hears how many bytes the pacer has read and not handed on.
    func holds(untaken: Int) {
        guard untaken != memory.untaken else { return }
        memory.untaken = untaken
        countMemory()
    }

    /// Hears what HearthRPC holds.
    func holds(unfinished: Int, unread: Int) {
        memory.unfinished = unfinished
        memory.unread = unread
        countMemory()
        guard !memory.waiting.isEmpty, unread <= settings.limits.unreadByteCountMax / 2 else {
            return
        }
        let bodies = memory.waiting
        memory.waiting = []
        eventLoop.assumeIsolated().execute { for body in bodies { body() } }
    }

    /// Why a call must end whose bytes came last; `nil` if it may go on.
    func refusal(ofUnfinished byteCount: Int) -> HearthError? {
        if let refusal { return refusal }
        // Twice what a session may ask before it is read no more: unfinished requests must go on.
        let byteCountMax = 2 * settings.limits.memory.waitingByteCountMax
        guard byteCount > byteCountMax else { return nil }
        return HearthError(
            code: .resourceExhausted,
            message: "The requests that this connection has begun to send have \(byteCount) bytes, "
                + "and may have \(byteCountMax). Send fewer at a time, or raise "
                + "limits.uidHeldByteCountMax.")
    }

    /// Whether the client has left so many bytes unread that no call sends more for now.
    var isUnread: Bool { memory.unread > settings.limits.unreadByteCountMax }

    /// Why nothing more may be asked on behalf of the client; `nil` if the client reads its answers.
    var refusalOfAnswer: HearthError? {
        isUnread ? .unreadAnswers(settings.limits.unreadByteCountMax) : nil
    }

    /// Does something when the client has read half of the bytes that it may leave unread.
    func whenRead(_ body: @escaping () -> Void) { memory.waiting.append(body) }
}
