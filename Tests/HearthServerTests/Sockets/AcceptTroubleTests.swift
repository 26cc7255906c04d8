import Testing

@testable import HearthServer

/// What operators are told of a socket that accepts nobody.
struct AcceptTroubleTests {
    private typealias News = AcceptTrouble.News

    private let minute = AcceptTrouble.period

    @Test func `of a socket that accepts, nothing is told`() {
        var trouble = AcceptTrouble()
        for second in 0..<300 { #expect(trouble.tried(nil, at: .seconds(second)) == nil) }
        #expect(trouble.patience == nil)
    }

    @Test func `a failure that lasts is told at once, and then once a minute`() {
        var trouble = AcceptTrouble()
        var told: [Duration] = []
        for tenth in 0..<2_400 {
            let now = Duration.milliseconds(100 * tenth)
            guard let news = trouble.tried(.noDescriptor, at: now) else { continue }
            #expect(news == .failing(.noDescriptor))
            told.append(now)
        }
        #expect(told == [.zero, minute, minute * 2, minute * 3])
    }

    @Test func `what is told is the failure of the moment`() {
        var trouble = AcceptTrouble()
        #expect(trouble.tried(.noDescriptor, at: .zero) == .failing(.noDescriptor))
        #expect(trouble.tried(.noFile, at: .seconds(1)) == nil)
        #expect(trouble.tried(.noFile, at: minute) == .failing(.noFile))
    }

    @Test func `the end is told once, when no attempt has failed for a minute`() {
        var trouble = AcceptTrouble()
        _ = trouble.tried(.noMemory, at: .zero)
        _ = trouble.tried(.noMemory, at: .seconds(5))
        #expect(trouble.tried(nil, at: .seconds(6)) == nil)
        #expect(trouble.tried(nil, at: .seconds(5) + minute - .nanoseconds(1)) == nil)
        #expect(trouble.tried(nil, at: .seconds(5) + minute) == .over)
        #expect(trouble.tried(nil, at: .seconds(6) + minute) == nil)
        #expect(trouble.tried(.noMemory, at: .seconds(7) + minute) == .failing(.noMemory))
    }

    @Test func `the end is found out though nobody connects any more`() {
        var trouble = AcceptTrouble()
        _ = trouble.tried(.noDescriptor, at: .seconds(100))
        #expect(trouble.tried(nil, at: .seconds(101)) == nil)
        #expect(trouble.patience == minute)
        #expect(trouble.tried(nil, at: .seconds(101) + minute) == .over)
        #expect(trouble.patience == nil)
    }

    @Test func `clients that come and go at the limit of descriptors cause a line a minute`() {
        var trouble = AcceptTrouble()
        var told: [News] = []
        for tenth in 0..<1_200 {
            let failure: AcceptFailure? = tenth % 2 == 0 ? .noDescriptor : nil
            if let news = trouble.tried(failure, at: .milliseconds(100 * tenth)) {
                told.append(news)
            }
        }
        #expect(told == [.failing(.noDescriptor), .failing(.noDescriptor)])
    }
}
