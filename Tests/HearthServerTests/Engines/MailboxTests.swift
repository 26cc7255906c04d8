import HearthServer
import Testing

struct MailboxTests {
    @Test func `sources are served in turn, each in its own order`() {
        var mailbox = Mailbox<String>(quota: 10)
        for text in ["a1", "a2", "a3"] { _ = mailbox.append(text, from: .session(1)) }
        _ = mailbox.append("b1", from: .session(2, of: 2))
        _ = mailbox.append("t1", from: .timers)
        #expect(mailbox.take(atMost: 10).elements == ["a1", "b1", "t1", "a2", "a3"])
        #expect(mailbox.isEmpty)
    }

    @Test func `a busy source goes on where it was, after the others`() {
        var mailbox = Mailbox<String>(quota: 10)
        for text in ["a1", "a2", "a3"] { _ = mailbox.append(text, from: .session(1)) }
        #expect(mailbox.take(atMost: 2).elements == ["a1", "a2"])
        _ = mailbox.append("b1", from: .session(2))
        #expect(mailbox.take(atMost: 2).elements == ["a3", "b1"])
    }

    @Test func `a source is stopped at its quota and resumed at half of it`() {
        var mailbox = Mailbox<Int>(quota: 4)
        #expect((1...3).map { mailbox.append($0, from: .upstream) } == [true, true, true])
        #expect(mailbox.append(4, from: .upstream) == false)
        #expect(mailbox.isStopped(.upstream))
        #expect(mailbox.take(atMost: 1).resumed == [])
        #expect(mailbox.take(atMost: 1).resumed == [.upstream])
        #expect(!mailbox.isStopped(.upstream))
        #expect(mailbox.count == 2)
    }

    @Test func `a stopped source does not stop another`() {
        var mailbox = Mailbox<Int>(quota: 1)
        #expect(mailbox.append(1, from: .session(1)) == false)
        #expect(mailbox.append(2, from: .session(1)) == false)
        #expect(mailbox.append(3, from: .session(2)) == false)
        let (elements, resumed) = mailbox.take(atMost: 3)
        #expect(elements == [1, 3, 2])
        #expect(Set(resumed) == [.session(1), .session(2)])
    }

    /// Takes elements, and charges each element with the work that `work` gives for its source.
    private func take(
        _ count: Int, of mailbox: inout Mailbox<String>, _ work: (MailboxSource) -> Duration
    ) -> [String] {
        (0..<count).compactMap { _ in
            guard let taken = mailbox.next() else { return nil }
            mailbox.charge(work(taken.source), to: taken.source)
            return taken.element
        }
    }

    @Test func `a user with many sessions has as many turns as one with one`() {
        var mailbox = Mailbox<String>(quota: 10)
        for session in UInt64(1)...8 { _ = mailbox.append("a", from: .session(session, of: 1)) }
        for _ in 1...3 { _ = mailbox.append("b", from: .session(9, of: 2)) }
        #expect(
            mailbox.take(atMost: 8).elements == ["a", "b", "a", "b", "a", "b", "a", "a"])
    }

    @Test func `who asks for costly work waits for himself alone`() {
        var mailbox = Mailbox<String>(quota: 100)
        for number in UInt64(1)...20 { _ = mailbox.append("a", from: .session(number, of: 1)) }
        for _ in 1...20 { _ = mailbox.append("b", from: .session(50, of: 2)) }
        let served = take(22, of: &mailbox) { source in
            if case .session(_, of: 1) = source { .milliseconds(200) } else { .milliseconds(1) }
        }
        #expect(served.first == "a")
        #expect(served.filter { $0 == "b" }.count == 20)
        #expect(served.suffix(1) == ["a"])
    }

    @Test func `who worked alone for long is kept back no longer than another's second`() {
        var mailbox = Mailbox<String>(quota: 100)
        for _ in 1...20 { _ = mailbox.append("a", from: .session(1, of: 1)) }
        _ = take(10, of: &mailbox) { _ in .seconds(60) }
        for _ in 1...20 { _ = mailbox.append("b", from: .session(2, of: 2)) }
        let served = take(8, of: &mailbox) { _ in .milliseconds(500) }
        #expect(served.filter { $0 == "a" }.count >= 2)
    }

    @Test func `who pauses saves nothing up`() {
        var mailbox = Mailbox<String>(quota: 100)
        for _ in 1...40 { _ = mailbox.append("a", from: .session(1, of: 1)) }
        _ = mailbox.append("b", from: .session(2, of: 2))
        _ = take(20, of: &mailbox) { _ in .milliseconds(100) }
        for _ in 1...10 { _ = mailbox.append("b", from: .session(2, of: 2)) }
        let served = take(6, of: &mailbox) { _ in .milliseconds(100) }
        #expect(served.filter { $0 == "a" }.count >= 2)
    }
}
