import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import NIOCore

/// Has the backend judge a request that checks conditions and writes nothing.
///
///     waiting for own writes --settled--> judging --> told
///       \--patience over, offline--> told
///
/// Such a request is never queued. The caller wants to know what holds now; and in the queue the
/// request would be a change that changes nothing, and later perhaps a dead letter that nobody can
/// mend. For the event loop of the connection.
final class ConditionCheck: WriteUnderWay {
    private let session: GatewaySession
    private let mutations: [Mutation]
    private let terms: WriteTerms
    private let whenTaken: () -> Void
    private let tell: (Result<WriteReceipt, WriteRefusal>) -> Void
    private var patience: Scheduled<Void>?
    private var isTold = false

    private init(
        _ mutations: [Mutation], by session: GatewaySession, _ terms: WriteTerms,
        whenTaken: @escaping () -> Void,
        then tell: @escaping (Result<WriteReceipt, WriteRefusal>) -> Void
    ) {
        self.session = session
        self.mutations = mutations
        self.terms = terms
        self.whenTaken = whenTaken
        self.tell = tell
    }

    /// Asks the backend; while the backend cannot be reached, refuses at once.
    ///
    /// - Parameters:
    ///   - mutations: Checks of conditions, which the program may make.
    ///   - whenTaken: Is called once, when nothing waits any more; also for a caller that has gone.
    ///   - tell: Is called once, unless the check is abandoned first.
    static func begin(
        _ mutations: [Mutation], by session: GatewaySession, _ terms: WriteTerms,
        whenTaken: @escaping () -> Void,
        then tell: @escaping (Result<WriteReceipt, WriteRefusal>) -> Void
    ) -> ConditionCheck {
        let check = ConditionCheck(
            mutations, by: session, terms, whenTaken: whenTaken, then: tell)
        if let refusal = session.offlineRefusal(of: what, as: terms.offlineStatus) {
            check.finish(.failure(WriteRefusal(refusal)))
        } else {
            check.waitForOwnWrites()
        }
        return check
    }

    func abandon() {
        guard !isTold else { return }
        end()
    }

    private static let what = "A request that only checks conditions"

    // MARK: One after the other

    /// What the program wrote before must count, as it would in the queue.
    private func waitForOwnWrites() {
        if let time = terms.patience {
            patience = session.connection.eventLoop.assumeIsolated().scheduleTask(in: time) {
                [self] in finish(.failure(WriteRefusal(HearthError.ownWritesWait)))
            }
        }
        session.ask({ .waitForPendingWrites($0, .own(last: .none)) }) { [self] delivery in
            if isTold { return false }
            switch delivery {
            case .complete: translate()
            case .refuse(_, let error): finish(.failure(WriteRefusal(error)))
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .loaded, .found, .explained,
                .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }

    /// The backend knows no promises.
    private func translate() {
        patience?.cancel()
        guard mutations.contains(where: { $0.namedTime != nil }) else { return judge(mutations) }
        session.ask({ .translate($0, mutations) }) { [self] delivery in
            if isTold { return false }
            switch delivery {
            case .result(_, .translated(let translated)): judge(translated)
            case .refuse(_, let error): finish(.failure(WriteRefusal(error)))
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }

    private func judge(_ translated: [Mutation]) {
        session.ask({ .commitTransaction($0, translated) }) { [self] delivery in
            switch delivery {
            case .result(_, .committed(let version, _)):
                finish(.success(WriteReceipt(checked: mutations, at: version)))
            case .result(_, .commitFailed(let error, _)), .refuse(_, let error):
                finish(.failure(refusal(after: error)))
            case .snapshot, .fail, .inSync, .answer, .accept, .settle, .complete, .loaded, .found,
                .explained, .indexes, .result:
                preconditionFailure("The answer to another question: \(delivery)")
            }
            return false
        }
    }

    /// What the backend said stays as the backend said it.
    private func refusal(after error: HearthError) -> WriteRefusal {
        guard session.isOffline(after: error) else { return WriteRefusal(error) }
        return WriteRefusal(
            GatewayError.offline(Self.what, as: terms.offlineStatus, because: error))
    }

    private func finish(_ result: Result<WriteReceipt, WriteRefusal>) {
        guard !isTold else { return }
        end()
        tell(result)
    }

    private func end() {
        isTold = true
        patience?.cancel()
        whenTaken()
    }
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
        if mutations.contains(where: \.isChange) {
            return QueuedWrite.begin(mutations, by: self, terms, whenTaken: whenTaken, then: tell)
        }
        return ConditionCheck.begin(mutations, by: self, terms, whenTaken: whenTaken, then: tell)
    }
}
