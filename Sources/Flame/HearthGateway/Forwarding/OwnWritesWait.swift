import HearthFirestore
import HearthModel
import HearthServer
import NIOCore

/// Waits until the backend has answered what a session has written, but not for ever.
final class OwnWritesWait {
    private let call: GatewayCall
    private let fallback: CacheFallback?
    private let body: () -> Void
    private var timer: Scheduled<Void>?
    private var isOver = false

    /// Waits on behalf of a call.
    ///
    /// - Parameters:
    ///   - fallback: Lets the cache answer if the wait takes too long; `nil` if the call then fails.
    ///   - body: What is done when nothing of the session's waits any more.
    init(_ call: GatewayCall, or fallback: CacheFallback? = nil, then body: @escaping () -> Void) {
        self.call = call
        self.fallback = fallback
        self.body = body
    }

    /// Begins to count the time.
    func begin() {
        guard !isOver else { return }
        timer = call.session.connection.eventLoop.assumeIsolated().scheduleTask(
            in: TimeAmount(call.mode.patience)
        ) { [self] in
            end { [fallback] call in
                let refuse = { call.fail(.ownWritesWait) }
                if let fallback { fallback.failed(refuse) } else { refuse() }
            }
        }
        call.stream.whenGone { [self] in end { _ in } }
    }

    /// The engine has answered.
    func heard(_ delivery: FirestoreDelivery) {
        switch delivery {
        case .complete: end { [body] _ in body() }
        case .refuse(_, let error):
            end { [fallback] call in
                if let fallback, fallback.isOver { return }
                fallback?.end()
                call.fail(error)
            }
        case .snapshot, .fail, .inSync, .answer, .accept, .settle, .loaded, .found, .explained,
            .indexes, .result:
            preconditionFailure("The answer to another question: \(delivery)")
        }
    }

    private func end(_ act: (GatewayCall) -> Void) {
        guard !isOver else { return }
        isOver = true
        timer?.cancel()
        act(call)
    }
}

extension HearthError {
    /// Writes of the program wait longer than a read that must see the writes can wait. The clients try
    /// again.
    static let ownWritesWait = HearthError(
        code: .unavailable,
        message: "Writes of this program still wait for the backend, and a transaction would not "
            + "see them. Begin it again when they have been committed.")
}
