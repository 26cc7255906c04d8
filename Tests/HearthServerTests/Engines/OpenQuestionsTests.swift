import HearthModel
import Testing

@testable import HearthServer

struct OpenQuestionsTests {
    @Test func `a user asks a few questions at once, and others ask meanwhile`() throws {
        let questions = OpenQuestions()
        for _ in 0..<OpenQuestions.uidCountMax { try questions.begin(for: 1_000) }
        let error = try #require(throws: HearthError.self) { try questions.begin(for: 1_000) }
        #expect(error.code == .resourceExhausted)
        try questions.begin(for: 1_001)
        questions.end(for: 1_000)
        try questions.begin(for: 1_000)
        #expect(throws: HearthError.self) { try questions.begin(for: 1_000) }
    }
}
