import HearthEngine
import HearthModel

/// What is asked of no engine, since no tree has it.
extension RealtimeEngine.Input {
    /// How many keys the deepest place has that a session names; 0 for inputs without a place.
    ///
    /// Trees of places are as deep as the places in them, so a place is checked before all else.
    var placeDepth: Int {
        switch self {
        case .listen(_, let target, _), .get(_, let target, _): target.path.depth
        case .runTransaction(_, let path, _, _): path.depth
        case .onDisconnect(_, .cancel(let path), _, _): path.depth
        case .onDisconnect(_, .write(let change), _, _): change.placeDepth
        case .denyOrders(_, let places, _): places.reduce(0) { max($0, $1.path.depth) }
        case .write(let request): request.change.placeDepth
        case .steerQueue(_, .edit(_, let change), _): change.placeDepth
        case .steerQueue(_, .editDeadLetter(_, let change, _), _): change.placeDepth
        case .start, .unlisten, .waitForPendingWrites, .purge, .propose, .denyTransaction,
            .disconnected, .clearPersistence, .withhold, .setKept, .steerQueue, .setQueueLimits,
            .setNetwork,
            .networkReturned, .changeUser, .upstream, .timerFired, .shutdown:
            0
        }
    }
}

extension RealtimeChange {
    /// How many keys the deepest place has that the change names.
    fileprivate var placeDepth: Int {
        switch self {
        case .set(let place, _): place.path.depth
        case .update(let path, let parts):
            parts.reduce(path.depth) { max($0, path.depth + $1.place.path.depth) }
        }
    }
}

extension HearthError {
    /// A place deeper than the service allows.
    static func tooDeep(_ depth: Int) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "The path has \(depth) keys, and the service allows "
                + "\(RealtimePath.depthMax). Nothing can be there.")
    }
}
