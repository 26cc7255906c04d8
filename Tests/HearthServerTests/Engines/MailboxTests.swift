import HearthServer
import Testing

struct MailboxTests {
    @Test func `sources are served in turn, each in its own order`() {
        var mailbox = Mailbox<String>(quota: 10)
        for text in ["a1", "a2", "a3"] { _ = mailbox.append(text, from: .session(1)) }
        _ = mailbox.append("b1", from: .session(2))
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
}
