import HearthModel
import HearthProtocol
import HearthServer
import HearthThreads

/// What clients are told of one snapshot, computed once for all who were shown the snapshot before.
///
/// Their targets differ in two things alone, so a snapshot has four tellings at most. Each telling
/// is written once and read without a lock: the clients of all event loops ask at the same moment.
final class SharedTellings: Sendable {
    /// In which two things the targets differ.
    struct Case: Sendable {
        /// Whether the client was told that the backend may know better.
        let toldFromCache: Bool
        /// Whether writes that wait are held back.
        let isSettling: Bool

        fileprivate var place: Int { (toldFromCache ? 2 : 0) + (isSettling ? 1 : 0) }
    }

    private let known: InlineArray<4, WrittenOnce> = .init { _ in WrittenOnce() }

    /// The telling of a case; `nil` if nobody has computed it.
    func find(_ one: Case) -> GatewayTarget.Telling? {
        known[one.place].object(GatewayTarget.Telling.self)
    }

    /// Keeps the telling of a case, unless another event loop has kept the same.
    func insert(_ telling: GatewayTarget.Telling, of one: Case) {
        _ = known[one.place].write(telling)
    }
}

extension SharedSnapshot {
    /// What the gateway's clients are told of the snapshot.
    var tellings: SharedTellings {
        companion { SharedTellings() }
    }
}
