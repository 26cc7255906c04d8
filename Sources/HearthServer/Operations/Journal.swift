import HearthFirestore
import HearthModel
import Logging

/// Writes down what operators should know of one database. Never a document's content.
struct Journal: Sendable {
    private let logger: Logger

    init(logger: Logger, database: DatabaseID) {
        var logger = logger
        logger[metadataKey: JournalField.project.rawValue] = "\(database.project)"
        logger[metadataKey: JournalField.database.rawValue] = "\(database.database)"
        self.logger = logger
    }

    func note(_ news: FirestoreEngine.Note) {
        switch news {
        case .onlineState: break  // Told as part of the sync state.
        case .syncState(let state, let previous): note(state, after: previous)
        case .targetRejected(let id, let error):
            logger.warning(
                "target rejected",
                metadata: [
                    JournalField.targetID.rawValue: "\(id)",
                    JournalField.grpcCode.rawValue: "\(error.code)",
                    JournalField.reason.rawValue: "\(error.message)",
                ])
        case .batchRejected(let id, let error):
            logger.record(
                .writeRejected,
                [
                    .mutationID: "\(id)", .grpcCode: "\(error.code)", .reason: error.message,
                ])
        case .storeFailed(let reason):
            logger.record(.storeFailed, [.reason: reason])
        case .storeRecovered:
            logger.notice("store recovered")
        case .collected(let targets, let documents):
            logger.record(
                .collected, [.targets: "\(targets)", .documents: "\(documents)"])
        }
    }

    /// Going offline and coming back concern an operator; that nobody wants anything does not.
    private func note(_ state: SyncState, after previous: SyncState) {
        let fields: [JournalField: String] = [
            .syncState: state.rawValue, .prevState: previous.rawValue,
        ]
        switch state {
        case .offline: logger.record(.wentOffline, fields)
        case .live: logger.record(.live, fields)
        case .catchingUp: logger.record(.syncStateChanged, fields)
        case .idle, .connecting: logger.record(.syncStateChanged, fields, level: .debug)
        }
    }
}
