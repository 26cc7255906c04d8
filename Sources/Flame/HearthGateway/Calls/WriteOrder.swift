import HearthFirestore
import HearthModel

/// What a program has asked to be written, all or nothing, and who wants to know what became of it.
///
/// For the event loop of the connection.
struct WriteOrder {
    /// The session whose program asks.
    let session: GatewaySession
    /// The writes, which have been checked.
    let mutations: [Mutation]
    /// How long the caller waits, and under which conditions the writes count.
    let terms: WriteTerms
    /// Is called once, when the bytes of the writes wait no more; also for a caller that has gone.
    let whenTaken: () -> Void
    /// Is called once, unless the writes are abandoned first.
    let tell: (Result<WriteReceipt, WriteRefusal>) -> Void
}

/// What a program has asked to be written, while the program waits for the answer.
protocol WriteUnderWay: AnyObject {
    /// Nobody waits any more. A write goes on.
    func abandon()
}

extension GatewaySession {
    /// Has writes done that stand or fall together and have been checked.
    ///
    /// - Parameters:
    ///   - whenTaken: Is called once, when the bytes of the writes wait no more; also for a caller
    ///     that has gone.
    ///   - tell: Is called once, unless the writes are abandoned first; perhaps before this returns.
    func write(
        _ mutations: [Mutation], _ terms: WriteTerms, whenTaken: @escaping () -> Void,
        then tell: @escaping (Result<WriteReceipt, WriteRefusal>) -> Void
    ) -> any WriteUnderWay {
        writeCount += 1
        let order = WriteOrder(
            session: self, mutations: mutations, terms: terms, whenTaken: whenTaken, tell: tell)
        return mutations.contains(where: \.isChange)
            ? QueuedWrite.begin(order) : ConditionCheck.begin(order)
    }
}
