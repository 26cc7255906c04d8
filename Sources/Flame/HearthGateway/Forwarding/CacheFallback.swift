import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import NIOCore

/// Lets the cache answer a forwarded read that the backend does not answer.
///
///     waiting --no message in time--> asking the cache --known--> answered
///        |  ^                           |          |
///        |  +--unknown, call goes on----+          +--unknown, call has failed--> refused
///        +--the call failed--> asking the cache
///
/// A backend that is only slow is waited for if the cache does not know the answer. For the event
/// loop of the call's connection.
final class CacheFallback {
    /// How the cache answers a call.
    struct Way {
        /// What the cache may not know, at the head of a sentence.
        let what: String
        /// Asks the cache; then `claim` and an answer must follow, or `isUnknown`.
        let ask: (CacheFallback) -> Void
    }

    /// How long a call waits for the backend's first message: as long as any read that the cache may
    /// answer.
    private static let patience = BackendSilence.patience
    /// The same while the engine's own streams cannot reach the backend, or hear nothing of it.
    private static let patienceInDoubt = Duration.seconds(1)

    private let call: GatewayCall
    private let way: Way
    private var timer: Scheduled<Void>?
    private var exchange: DoorExchange?
    private var isAsking = false
    /// What is said if the cache does not know the answer; `nil` while the backend may give it.
    private var refusal: (() -> Void)?
    /// Whether somebody has answered, so that nobody else may.
    private(set) var isOver = false

    /// A fallback of a call that nobody has answered.
    init(_ call: GatewayCall, _ way: Way) {
        self.call = call
        self.way = way
    }

    /// Whether the backend will not answer any more.
    var hasFailed: Bool { refusal != nil }

    /// Begins to count the time.
    func begin() {
        let isInDoubt = call.session.engineState == .offline
        let time = TimeAmount(isInDoubt ? Self.patienceInDoubt : Self.patience)
        timer = call.session.connection.eventLoop.assumeIsolated().scheduleTask(in: time) {
            [self] in
            askCache()
        }
        call.stream.whenGone { [self] in end() }
    }

    /// The call is on its way to the backend.
    func sent(_ exchange: DoorExchange) { self.exchange = exchange }

    /// The backend answers, or the call was refused: the cache is not needed.
    func end() {
        isOver = true
        timer?.cancel()
        exchange = nil
    }

    /// The backend does not answer.
    ///
    /// - Parameter refusal: Refuses the call, if the cache does not know the answer either; `nil` to
    ///   say just that.
    func failed(_ refusal: (() -> Void)? = nil) {
        guard !isOver else { return }
        exchange = nil
        self.refusal =
            refusal ?? { [call, way] in
                call.fail(.notCached(way.what, as: call.mode.offlineStatus))
            }
        askCache()
    }

    /// The cache knows the answer.
    ///
    /// - Returns: Whether the cache may answer; if not, somebody else has answered.
    func claim() -> Bool {
        if isOver { return false }
        let exchange = exchange
        end()
        exchange?.abandon()
        return true
    }

    /// The cache does not know the answer.
    func isUnknown() {
        isAsking = false
        guard !isOver, let refusal else { return }
        end()
        refusal()
    }

    private func askCache() {
        guard !isOver, !isAsking else { return }
        isAsking = true
        way.ask(self)
    }
}
