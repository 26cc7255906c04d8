import HearthFirestore
import HearthModel
import Logging

/// Writes down what operators should know of one database. Never a document's content.
struct Journal: Sendable {
    private let logger: Logger

    init(logger: Logger, database: DatabaseID) {
        var logger = logger
        logger[metadataKey: "database"] = "\(database)"
        self.logger = logger
    }

    func note(_ news: FirestoreEngine.Note) {
        switch news {
        case .onlineState(let state):
            logger.notice("online state changed", metadata: ["state": "\(state.rawValue)"])
        case .targetRejected(let id, let error):
            logger.warning(
                "target rejected", metadata: ["target": "\(id)", "error": "\(error)"])
        case .batchRejected(let id, let error):
            logger.error("write rejected", metadata: ["batch": "\(id)", "error": "\(error)"])
        case .storeFailed(let reason):
            logger.error("store failed", metadata: ["reason": "\(reason)"])
        case .storeRecovered:
            logger.notice("store recovered")
        case .collected(let targets, let documents):
            logger.info(
                "cache collected",
                metadata: ["targets": "\(targets)", "documents": "\(documents)"])
        }
    }
}
