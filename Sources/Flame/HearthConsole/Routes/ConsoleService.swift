import Hearth
import HearthModel
import HearthRPC

/// Answers the questions of the page, as a client of the daemon with the rights of who started the console.
package final class ConsoleService: Sendable {
    /// The databases of the daemon.
    let daemon: ConsoleDaemon
    /// The daemon's figures while pages show them.
    let figures: FigureSource
    private let startedAt = Hearth.Timestamp()

    /// A service for a daemon.
    ///
    /// - Parameter socketPath: Where the daemon listens.
    package init(socketPath: String) {
        daemon = ConsoleDaemon(socketPath: socketPath)
        figures = FigureSource(daemon)
    }

    /// Answers one question.
    func answer(_ route: ConsoleRoute, _ target: HTTPTarget, _ body: [UInt8]) async -> HTTPReply {
        do {
            let json = route.isPost ? try JSONReader.read(body) : nil
            let question = ConsoleQuestion(target, body: json)
            return .value(try await Self.inTime { try await self.answer(route, question) })
        } catch {
            return .failure(Self.told(error))
        }
    }

    /// Does something within `ConsoleLimits.answerTimeout`.
    private static func inTime(
        _ work: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        try await withThrowingTaskGroup(of: JSONValue?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: ConsoleLimits.answerTimeout)
                return nil
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() ?? nil else {
                throw HearthError(
                    code: .deadlineExceeded,
                    message: "The daemon has not answered in time. A write may still happen.")
            }
            return answer
        }
    }

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

    private func answer(
        _ route: ConsoleRoute, _ question: ConsoleQuestion
    ) async throws -> JSONValue {
        switch route {
        case .session: session
        case .overview: try await figures.overview()
        case .history: await figures.history()
        case .collections: try await collections(question)
        case .documents: try await documents(question)
        case .document: try await document(question)
        case .write: try await write(question)
        case .query: try await query(question)
        case .compare: try await compare(question)
        case .node: try await node(question)
        case .nodeValue: try await nodeValue(question)
        case .nodeWrite: try await writeNodes(question)
        case .queue: try await queue(question)
        case .batch: try await batch(question)
        case .deadLetters: try await deadLetters(question)
        case .letter: try await letter(question)
        case .causes: try await causes(question)
        case .steer: try await steer(question)
        case .programs: try await programs()
        case .ledger: try await ledger(question)
        case .network: try await setNetwork(question)
        }
    }

    private var session: JSONValue {
        .members([
            "version": .string(ConsoleDaemon.apiVersion),
            "user": .members([
                "uid": .integer(Int64(UserNames.own)),
                "name": .text(UserNames.name(of: UserNames.own)),
            ]),
            "socket": .string(daemon.socketPath), "startedAt": .string(startedAt.description),
            "limits": .members([
                "pageSizeMax": .count(ConsoleLimits.pageSizeMax),
                "bodyByteCountMax": .count(ConsoleLimits.bodyByteCountMax),
                "streamCountMax": .count(ConsoleLimits.streamCountMax),
                "requestCountMax": .count(ConsoleLimits.requestCountMax),
                "previewCountMax": .count(ConsoleLimits.previewCountMax),
            ]),
        ])
    }

    private func setNetwork(_ question: ConsoleQuestion) async throws -> JSONValue {
        guard let isEnabled = question.body?["isEnabled"]?.boolean else {
            throw HearthError.argument("\"isEnabled\" is true or false.")
        }
        try await daemon.database(question).setDaemonNetwork(isEnabled: isEnabled)
        return .object([])
    }

    /// Runs a stream until it ends.
    func run(_ stream: ConsoleStream, _ target: HTTPTarget, _ outlet: EventOutlet) async {
        let question = ConsoleQuestion(target)
        do {
            switch stream {
            case .overview: await figures.run(outlet)
            case .documents: try await runDocuments(question, outlet)
            case .document: try await runDocument(question, outlet)
            case .node: try await runNode(question, outlet)
            }
        } catch is CancellationError {
            // The page has gone.
        } catch {
            await outlet.send("failed", JSONWriter.bytes(of: .failure(Self.told(error))))
        }
    }
}
