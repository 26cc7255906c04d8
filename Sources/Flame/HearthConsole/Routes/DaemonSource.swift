import Hearth
package import HearthModel
import Synchronization

/// A daemon as a console shows it, with the rights of who started the console.
package final class DaemonSource: ConsoleSource {
    /// A daemon, in the words of `session`.
    package let kind = "daemon"
    /// All sections but the emulator's.
    package let sections = [
        ConsoleSection.overview, .data, .queue, .deadLetters, .programs,
    ]
    /// The databases of the daemon.
    let daemon: ConsoleDaemon
    /// The daemon's figures while pages show them.
    let figures: FigureSource
    /// The causes of dead letters that were found last.
    let knownCauses = Mutex(KnownCauses())

    /// A source that connects when something is asked.
    ///
    /// - Parameter socketPath: Where the daemon listens.
    package init(socketPath: String) {
        daemon = ConsoleDaemon(socketPath: socketPath)
        figures = FigureSource(daemon)
    }

    package var place: String { daemon.socketPath }

    package func told(_ error: any Error) -> HearthError { Self.told(error) }

    /// Any error as the page is told it.
    static func told(_ error: any Error) -> HearthError {
        switch error {
        case let error as HearthError: error
        case let error as JSONError: .argument("\(error)")
        case let error as FirestoreError: told(error.code, error.message)
        case let error as DatabaseError: told(error.code, error.message)
        default: HearthError(code: .unknown, message: "\(error)")
        }
    }

    /// The same for an error of a write or a connection.
    static func told(_ code: FirestoreErrorCode, _ message: String) -> HearthError {
        HearthError(code: StatusCode(rawValue: Int32(code.rawValue)) ?? .unknown, message: message)
    }

    package func answer(
        _ route: ConsoleRoute, _ question: ConsoleQuestion
    ) async throws -> JSONValue {
        switch route {
        case .overview: try await figures.overview()
        case .history: await figures.history()
        case .collections: try await collections(question)
        case .documents: try await documents(question)
        case .document: try await document(question)
        case .write: try await write(question)
        case .query: try await query(question)
        case .compare: try await compare(question)
        case .node: try await node(question)
        case .nodeKeys: try await nodeKeys(question)
        case .nodeValue: try await nodeValue(question)
        case .nodeWrite: try await writeNodes(question)
        case .queue: try await queue(question)
        case .batch: try await batch(question)
        case .waitingCauses: try await waitingCauses(question)
        case .deadLetters: try await deadLetters(question)
        case .letter: try await letter(question)
        case .causes: try await causes(question)
        case .steer: try await steer(question)
        case .programs: try await programs()
        case .ledger: try await ledger(question)
        case .network: try await setNetwork(question)
        case .session, .rules, .ruleTrial, .rulePublication:
            throw HearthError.unknown(route.rawValue)
        }
    }

    private func setNetwork(_ question: ConsoleQuestion) async throws -> JSONValue {
        guard let isEnabled = question.body?["isEnabled"]?.boolean else {
            throw HearthError.argument("\"isEnabled\" is true or false.")
        }
        try await daemon.database(question).setDaemonNetwork(isEnabled: isEnabled)
        return .object([])
    }

    package func run(
        _ stream: ConsoleStream, _ question: ConsoleQuestion, _ outlet: EventOutlet
    ) async throws {
        switch stream {
        case .overview: await figures.run(outlet)
        case .documents: try await runDocuments(question, outlet)
        case .document: try await runDocument(question, outlet)
        case .node: try await runNode(question, outlet)
        case .requests: throw HearthError.unknown(stream.rawValue)
        }
    }
}
