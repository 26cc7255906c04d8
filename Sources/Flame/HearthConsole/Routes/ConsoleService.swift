import Hearth
import HearthModel
import HearthRPC

/// Answers the questions of the page from one source, in time, with errors that the page understands.
package final class ConsoleService: Sendable {
    /// The version of the console's requests.
    private static let apiVersion = "1.1"

    private let source: any ConsoleSource
    private let answerTimeout: Duration

    /// A service for a source.
    ///
    /// - Parameter answerTimeout: How long the source may take to answer a question.
    package init(
        _ source: any ConsoleSource, answerTimeout: Duration = ConsoleLimits.answerTimeout
    ) {
        self.source = source
        self.answerTimeout = answerTimeout
    }

    /// Answers one question.
    func answer(_ route: ConsoleRoute, _ target: HTTPTarget, _ body: [UInt8]) async -> HTTPReply {
        do {
            let json = route.isPost ? try JSONReader.read(body) : nil
            let question = ConsoleQuestion(target, body: json)
            if route == .session { return .value(session) }
            return .value(
                try await inTime { [source] in try await source.answer(route, question) })
        } catch {
            return .failure(told(error))
        }
    }

    /// Runs a stream until it ends.
    func run(_ stream: ConsoleStream, _ target: HTTPTarget, _ outlet: EventOutlet) async {
        do {
            try await source.run(stream, ConsoleQuestion(target), outlet)
        } catch is CancellationError {
            // The page has gone.
        } catch {
            await outlet.send("failed", JSONWriter.bytes(of: .failure(told(error))))
        }
    }

    private func told(_ error: any Error) -> HearthError {
        switch error {
        case let error as HearthError: error
        case let error as JSONError: .argument("\(error)")
        default: source.told(error)
        }
    }

    /// Does something within `answerTimeout`.
    private func inTime(
        _ work: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        do {
            return try await TimeLimit.keep(answerTimeout, work)
        } catch is TimeLimit.Passed {
            throw HearthError(
                code: .deadlineExceeded,
                message: "No answer has come within \(answerTimeout). A write may still happen.")
        }
    }

    private var session: JSONValue {
        .members([
            "version": .string(Self.apiVersion),
            "kind": .string(source.kind), "sections": .texts(source.sections.map(\.rawValue)),
            "place": .string(source.place),
            "user": .members([
                "uid": .integer(Int64(UserNames.own)),
                "name": .text(UserNames.name(of: UserNames.own)),
            ]),
            "limits": .members([
                "pageSizeMax": .count(ConsoleLimits.pageSizeMax),
                "bodyByteCountMax": .count(ConsoleLimits.bodyByteCountMax),
                "streamCountMax": .count(ConsoleLimits.streamCountMax),
                "requestCountMax": .count(ConsoleLimits.requestCountMax),
                "previewCountMax": .count(ConsoleLimits.previewCountMax),
            ]),
        ])
    }
}
