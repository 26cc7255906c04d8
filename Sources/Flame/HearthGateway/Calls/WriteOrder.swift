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
    /// Whether the outcome waits for the outcomes of other writes, and the caller hears of all at once;
    /// then `WriteUnderWay.answered` says when.
    let isPart: Bool
    /// Is called once, unless the writes are abandoned first. If the outcome is no part, the answer is
    /// handed to the connection before this returns.
    let tell: (Result<WriteReceipt, WriteRefusal>) -> Void
}

/// What a program has asked to be written, while the program waits for the answer.
protocol WriteUnderWay: AnyObject {
    /// How far the writes have come.
    var progress: WriteProgress { get }

    /// Nobody waits any more. A write goes on.
    func abandon()

    /// The answer that tells the outcomes of several writes was handed to the connection.
    func answered()
}

extension GatewaySession {
    /// Has writes done that stand or fall together and have been checked.
    ///
    /// - Parameters:
    ///   - isPart: Whether the caller hears of the outcome together with other outcomes.
    ///   - whenTaken: Is called once, when the bytes of the writes wait no more; also for a caller
    ///     that has gone.
    ///   - tell: Is called once, unless the writes are abandoned first; perhaps before this returns.
    func write(
        _ mutations: [Mutation], _ terms: WriteTerms, isPart: Bool = false,
        whenTaken: @escaping () -> Void,
        then tell: @escaping (Result<WriteReceipt, WriteRefusal>) -> Void
    ) -> any WriteUnderWay {
        writeCount += 1
        let order = WriteOrder(
            session: self, mutations: mutations, terms: terms, whenTaken: whenTaken, isPart: isPart,
            tell: tell)
        return mutations.contains(where: \.isChange)
            ? QueuedWrite.begin(order) : ConditionCheck.begin(order)
    }
}
