/// The questions and orders of the page, by their names behind `/api/`.
package enum ConsoleRoute: String, CaseIterable, Sendable {
    case session
    case overview
    case history
    case collections
    case documents
    case document
    case write
    case query
    case compare
    case node
    case nodeKeys = "node/keys"
    case nodeValue = "node/value"
    case nodeWrite = "node/write"
    case queue
    case batch = "queue/batch"
    case waitingCauses = "queue/causes"
    case deadLetters = "dead-letters"
    case letter = "dead-letters/letter"
    case causes = "dead-letters/causes"
    case steer
    case programs
    case ledger
    case network
    case rules
    case ruleTrial = "rules/try"
    case rulePublication = "rules/publish"

    /// Whether the route takes a body, and so needs the origin of the page.
    var isPost: Bool {
        switch self {
        case .write, .query, .compare, .nodeWrite, .steer, .network, .ruleTrial, .rulePublication:
            true
        case .session, .overview, .history, .collections, .documents, .document, .node, .nodeKeys,
            .nodeValue, .queue, .batch, .waitingCauses, .deadLetters, .letter, .causes, .programs,
            .ledger, .rules:
            false
        }
    }
}

/// The streams of events, by their names behind `/api/`.
package enum ConsoleStream: String, CaseIterable, Sendable {
    case overview = "stream/overview"
    case documents = "stream/documents"
    case document = "stream/document"
    case node = "stream/node"
    case requests = "stream/requests"
}
