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
        case .onlineState(let state):
            note(state)
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

    private func note(_ state: OnlineState) {
        let fields: [JournalField: String] = [.syncState: state.journalName]
        switch state {
        case .offline: logger.record(.wentOffline, fields)
        case .unknown, .online: logger.record(.syncStateChanged, fields)
        }
    }
}

extension OnlineState {
    /// The state as operators look for it.
    fileprivate var journalName: String {
        switch self {
        case .unknown: "connecting"
        case .online: "online"
        case .offline: "offline"
        }
    }
}
