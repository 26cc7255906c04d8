package import HearthModel

/// Whatever a console shows: a daemon or an emulator.
///
/// Routes, the guard, the page and the forms of values are the same for every source. What an answer
/// says of a value is the source's own: only a daemon knows who wrote what waits, and only an emulator
/// knows what the rules said.
package protocol ConsoleSource: Sendable {
    /// What it is, in the words of `session`: `daemon` or `emulator`.
    var kind: String { get }
    /// The sections of the page that the source fills, in their order.
    var sections: [ConsoleSection] { get }
    /// Where it is, as the page tells it.
    var place: String { get }

    /// Answers a question or carries out an order; `session` is the service's.
    ///
    /// - Throws: Any error; `told` makes the page's error of it.
    func answer(_ route: ConsoleRoute, _ question: ConsoleQuestion) async throws -> JSONValue

    /// Feeds a stream until it ends, or the task is cancelled.
    ///
    /// - Parameters:
    ///   - stream: What is shown.
    ///   - question: What the page asks for.
    ///   - outlet: Takes the events for the page.
    /// - Throws: As `answer` does.
    func run(
        _ stream: ConsoleStream, _ question: ConsoleQuestion, _ outlet: EventOutlet
    ) async throws

    /// An error of this source as the page is told it.
    func told(_ error: any Error) -> HearthError
}

/// The parts of the page, by the names of their places in its address.
package enum ConsoleSection: String, CaseIterable, Sendable {
    case overview
    case data
    case requests
    case rules
    case queue
    case deadLetters = "dead-letters"
    case programs
}
