import HearthEngine
import HearthModel
import HearthRealtime
import Logging

/// What operators should know of one instance of the Realtime Database.
extension Journal {
    func note(_ news: RealtimeEngine.Note) {
        switch news {
        case .onlineState, .connectionFailed, .connectionRecovered:
            break  // Told as part of the sync state.
        case .writeCommitted: break  // Counted.
        case .syncState(let state, let previous): note(state, after: previous)
        case .listenRejected(let target, let error):
            logger.warning(
                "listen rejected",
                metadata: [
                    JournalField.path.rawValue: "\(target.path)",
                    JournalField.grpcCode.rawValue: "\(error.code)",
                    JournalField.reason.rawValue: "\(error.message)",
                ])
        case .indexMissing(let target):
            logger.record(.indexMissing, [.path: "\(target.path)", .reason: target.words])
        case .writeRejected(let id, let error):
            logger.record(
                .writeRejected,
                [.mutationID: "\(id)", .grpcCode: "\(error.code)", .reason: error.message])
        case .writeInDoubt(let id, let error):
            logger.record(.writeInDoubt, [.mutationID: "\(id)", .reason: error.message])
        case .fenceDenied(let error):
            logger.record(.fenceDenied, [.grpcCode: "\(error.code)", .reason: error.message])
        case .fenceLost(let count): logger.record(.fenceLost, [.targets: "\(count)"])
        case .fenceAllowed: break  // The status tells.
        case .queueSteered(let order, let batches, let uid):
            noteSteered(order, batches, by: uid)
        case .queueFull(let error): logger.record(.queueFull, [.reason: error.message])
        case .storeFailed(let reason): logger.record(.storeFailed, [.reason: reason])
        case .storeRecovered: logger.record(.storeRecovered)
        case .collected(let queries): logger.record(.collected, [.targets: "\(queries)"])
        }
    }
}
