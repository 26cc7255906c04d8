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
    mutating func asked(_ wire: WireTargetID, _ id: TargetID, _ target: Target) {
        if targets.count < Self.countMax { targets[wire] = (id, target) }
    }

    /// The backend has ended listens.
    mutating func ended(_ wires: [WireTargetID]) {
        if targets.isEmpty { return }
        for wire in wires { targets[wire] = nil }
    }

    /// The target of a listen whose end is not confirmed.
    func target(of wire: WireTargetID) -> (id: TargetID, target: Target)? { targets[wire] }
}
