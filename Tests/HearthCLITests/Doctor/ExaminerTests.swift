import ArgumentParser
import HearthTestSupport
import Testing

@testable import HearthCLI

@Suite(.timeLimit(.minutes(1)))
struct ExaminerTests {
    @Test func `a crowded socket is looked at for as long as is said, and told as silent`()
        async throws
    {
        let socket = try DeafSocket()
        let options = try OperatorOptions.parse(["--socket", socket.path])
        let begun = ContinuousClock.now
        let examination = await Examiner(options: options, patience: .milliseconds(50)).examine()
        #expect(ContinuousClock.now - begun < Session.placePatience)
        #expect(examination.socket == .answers)
        #expect(examination.isSilent)
    }

    @Test func `a wait for a place at the socket is part of the time that the daemon has`()
        async throws
    {
        let socket = try DeafSocket()
        let options = try OperatorOptions.parse(["--socket", socket.path])
        let patience = Duration.seconds(2)
        let begun = ContinuousClock.now
        let examination = await Examiner(options: options, patience: patience).examine()
        #expect(ContinuousClock.now - begun < patience * 2)
        #expect(examination.isSilent)
    }
}
