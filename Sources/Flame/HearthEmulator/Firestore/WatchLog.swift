import HearthBackend
import HearthModel
import Logging

/// Logs, at `debug`, how a stream's targets begin: anew or resumed, and with how many documents.
struct WatchLog {
    private let logger: Logger
    private var documentCounts: [WireTargetID: Int] = [:]

    /// A log of a stream that has no targets yet.
    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs that a client asked for a target.
    mutating func asked(_ request: WatchRequest) {
        documentCounts[request.targetID] = 0
        let isResumed: Bool
        switch request.resumePoint {
        case .start: isResumed = false
        case .token, .readTime: isResumed = true
        }
        logger.debug(
            "target asked for",
            metadata: ["target": "\(request.targetID)", "resumed": "\(isResumed)"])
    }

    /// Counts a message to the client, and logs when a target becomes current.
    mutating func told(_ message: WatchChange) {
        switch message {
        case .document(let change):
            for target in change.updated { documentCounts[target]? += 1 }
        case .target(let change) where change.kind == .current:
            for target in change.targets {
                guard let count = documentCounts.removeValue(forKey: target) else { continue }
                logger.debug(
                    "target current", metadata: ["target": "\(target)", "documents": "\(count)"])
            }
        case .target, .existenceFilter:
            break
        }
    }
}
