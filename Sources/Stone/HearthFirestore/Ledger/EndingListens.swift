import HashTreeCollections
import HearthEngine
import HearthModel

/// The listens that the backend was asked to end and may not have ended yet.
///
/// The backend bills what it sends for a listen until it takes up the request to end the listen, and
/// confirms the end in the stream's order.
struct EndingListens: Sendable {
    /// Listens that are remembered at once; a backend that confirms no end has no more of the memory.
    static let countMax = 1_024

    private var targets: TreeDictionary<WireTargetID, (id: TargetID, target: Target)> = [:]

    /// The backend is asked to end a listen. What lies beyond the bound is not remembered.
    ///
    /// - Returns: Whether the listen is remembered.
    mutating func asked(_ wire: WireTargetID, _ id: TargetID, _ target: Target) -> Bool {
        guard targets.count < Self.countMax else { return false }
        targets[wire] = (id, target)
        return true
    }

    /// The backend has ended a listen.
    ///
    /// - Returns: The listen's target, if the listen was remembered.
    mutating func ended(_ wire: WireTargetID) -> TargetID? {
        targets.isEmpty ? nil : targets.removeValue(forKey: wire)?.id
    }

    /// The target of a listen whose end is not confirmed.
    func target(of wire: WireTargetID) -> (id: TargetID, target: Target)? { targets[wire] }

    /// The listens that are remembered, the earliest first.
    var wires: [WireTargetID] { targets.keys.sorted() }
}
