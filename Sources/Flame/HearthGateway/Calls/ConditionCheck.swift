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
    private let order: WriteOrder
    private var patience: Scheduled<Void>?
    private var isTold = false

    private init(_ order: WriteOrder) {
        self.order = order
    }

    /// Asks the backend; while the backend cannot be reached, refuses at once.
    ///
    /// - Parameter order: Checks of conditions, which the program may make. They are taken when
    ///   nothing waits any more.
    static func begin(_ order: WriteOrder) -> ConditionCheck {
        let check = ConditionCheck(order)
        if let refusal = order.session.offlineRefusal(of: what, as: order.terms.offlineStatus) {
            check.finish(.failure(WriteRefusal(refusal)))
        } else {
            check.waitForOwnWrites()
        }
        return check
    }

    var progress: WriteProgress { .nothing }

    func abandon() {
        guard !isTold else { return }
        end()
    }

    func answered() {}  // Nothing was queued.

    private static let what = "A request that only checks conditions"

    // MARK: One after the other

    /// What the program wrote before must count, as it would in the queue.
    private func waitForOwnWrites() {
        if let time = order.terms.patience {
            patience = order.session.connection.eventLoop.assumeIsolated().scheduleTask(in: time) {
                [self] in finish(.failure(WriteRefusal(HearthError.ownWritesWait)))
            }
        }
        order.session.ask({ .waitForPendingWrites($0, .own(last: .none)) }) { [self] delivery in
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
        let mutations = order.mutations
        guard mutations.contains(where: { $0.namedTime != nil }) else { return judge(mutations) }
        order.session.ask({ .translate($0, mutations) }) { [self] delivery in
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
        order.session.ask({ .commitTransaction($0, translated) }) { [self] delivery in
            switch delivery {
            case .result(_, .committed(let version, _)):
                finish(.success(WriteReceipt(checked: order.mutations, at: version)))
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
        guard order.session.isOffline(after: error) else { return WriteRefusal(error) }
        return WriteRefusal(
            GatewayError.offline(Self.what, as: order.terms.offlineStatus, because: error))
    }

    private func finish(_ result: Result<WriteReceipt, WriteRefusal>) {
        guard !isTold else { return }
        end()
        order.tell(result)
    }

    private func end() {
        isTold = true
        patience?.cancel()
        order.whenTaken()
    }
}
