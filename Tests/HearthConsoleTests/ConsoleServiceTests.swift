import HearthModel
import HearthRPC
import HearthTestSupport
import Testing

@testable import HearthConsole

@Suite(.timeLimit(.minutes(1)))
struct ConsoleServiceTests {
    /// A source that answers nothing, whoever cancels its work.
    private struct DeafSource: ConsoleSource {
        let work: StubbornWork
        let kind = "daemon"
        let sections: [ConsoleSection] = []
        let place = "nowhere"

        func answer(
            _ route: ConsoleRoute, _ question: ConsoleQuestion
        ) async throws -> JSONValue {
            await work.run()
            return .null
        }

        func run(
            _ stream: ConsoleStream, _ question: ConsoleQuestion, _ outlet: EventOutlet
        ) async throws {}

        func told(_ error: any Error) -> HearthError {
            HearthError(code: .unknown, message: "\(error)")
        }
    }

    @Test func `a page is told when its question had no answer in time`() async throws {
        let work = StubbornWork()
        defer { work.end() }
        let service = ConsoleService(DeafSource(work: work), answerTimeout: .milliseconds(10))
        let target = try #require(HTTPTarget("/api/overview"))
        let reply = await service.answer(.overview, target, [])
        #expect(reply.status == 504)
        #expect(String(decoding: reply.body, as: UTF8.self).contains("No answer has come within"))
    }
}
