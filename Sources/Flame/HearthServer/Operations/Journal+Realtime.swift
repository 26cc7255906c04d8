import HearthEngine
import HearthModel
import HearthRealtime
import Logging

/// What operators should know of one instance of the Realtime Database.
extension Journal {
    func note(_ news: RealtimeEngine.Note) {
        guard admits(news.line) else { return }
        switch news {
        case .onlineState, .connectionFailed, .connectionRecovered:
            break  // Told as part of the sync state.
        case .writeCommitted: break  // Counted.
        case .syncState(let state, let previous): note(state, after: previous)
        case .listenRejected(let target, let error):
            logger.warning(
                RealtimeEngine.Note.listenRejection,
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
        case .fenceAwaited:
            logger.record(.fenceAwaited, [.reason: HearthError.endAwaited.message])
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

extension RealtimeEngine.Note {
    fileprivate static let listenRejection: Logger.Message = "listen rejected"

    /// The message of a line that programs can cause at will; `nil` for other lines.
    fileprivate var line: Logger.Message? {
        switch self {
        case .listenRejected: Self.listenRejection
        case .indexMissing: JournalEvent.indexMissing.message
        case .writeRejected: JournalEvent.writeRejected.message
        case .queueFull: JournalEvent.queueFull.message
        case .onlineState, .syncState, .writeCommitted, .connectionFailed, .connectionRecovered,
            .writeInDoubt, .fenceDenied, .fenceAwaited, .fenceLost, .fenceAllowed, .queueSteered,
            .storeFailed, .storeRecovered, .collected:
            nil
        }
    }
}
