import Testing

@testable import HearthEmulator

struct WebChannelSessionTests {
    private typealias Action = WebChannelSession.Action

    private let first = WebChannelSession.LineID(number: 1)
    private let second = WebChannelSession.LineID(number: 2)
    private let patience = Duration.seconds(30)

    private func attach(
        _ session: inout WebChannelSession, _ line: WebChannelSession.LineID,
        acknowledging id: Int = 0, isLongPoll: Bool = false
    ) -> [Action] {
        session.attached(line, acknowledged: id, isLongPoll: isLongPoll, patience: patience)
    }

    /// What is written, as text.
    private func written(_ actions: [Action]) -> [String] {
        actions.compactMap { action in
            guard case .write(_, let bytes) = action else { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private func send(_ session: inout WebChannelSession, _ text: String) {
        session.sent(Array(#"["\#(text)"]"#.utf8))
    }

    @Test func `a length counts the units of UTF-16`() {
        var chunk = WebChannelChunk()
        chunk.append(Array(#"["é😀日"]"#.utf8), id: 3)
        #expect(String(decoding: chunk.take(), as: UTF8.self) == "14\n[[3,[\"é😀日\"]]]")
        #expect(WebChannelChunk.utf16Count(Array("é😀日".utf8)) == "é😀日".utf16.count)
    }

    @Test func `what waits leaves with the back channel, and a sign of life behind it`() {
        var session = WebChannelSession()
        send(&session, "a")
        send(&session, "b")
        #expect(session.flush() == [])
        let actions = attach(&session, first)
        #expect(written(actions) == ["21\n[[1,[\"a\"]],[2,[\"b\"]]]", "14\n[[3,[\"noop\"]]]"])
        #expect(actions.first == .cancel(.abandonment))
        #expect(!actions.contains(.end(first)))
        send(&session, "c")
        #expect(written(session.flush()) == ["11\n[[4,[\"c\"]]]"])
        #expect(session.flush() == [])
    }

    @Test func `a long poll ends with its first arrays`() {
        var session = WebChannelSession()
        #expect(written(attach(&session, first, isLongPoll: true)) == [])
        send(&session, "a")
        let actions = session.flush()
        #expect(
            actions == [
                .write(first, Array("11\n[[1,[\"a\"]]]".utf8)), .end(first), .cancel(.keepalive),
                .schedule(.abandonment, WebChannelLimits.abandonment),
            ])
    }

    @Test func `what a lost line had is sent again unless it was acknowledged`() {
        var session = WebChannelSession()
        for text in ["a", "b", "c"] { send(&session, text) }
        _ = attach(&session, first)
        #expect(
            session.lost(first) == [
                .cancel(.keepalive), .schedule(.abandonment, WebChannelLimits.abandonment),
            ])
        let again = written(attach(&session, second, acknowledging: 2, isLongPoll: true))
        #expect(again == ["24\n[[3,[\"c\"]],[4,[\"noop\"]]]"])
        #expect(session.lost(first) == [])
    }

    @Test func `a new back channel takes the place of the one before`() {
        var session = WebChannelSession()
        _ = attach(&session, first)
        let actions = attach(&session, second, acknowledging: 1)
        #expect(actions.first == .end(first))
        #expect(session.lost(first) == [])
        send(&session, "a")
        #expect(session.flush().contains(.write(second, Array("11\n[[3,[\"a\"]]]".utf8))))
    }

    @Test func `each map is delivered once and in order, however they come`() throws {
        var session = WebChannelSession()
        _ = attach(&session, first)
        #expect(try session.received(["0"], offset: 0, acknowledged: 0) == [.deliver("0")])
        #expect(try session.received(["0", "1"], offset: 0, acknowledged: 0) == [.deliver("1")])
        #expect(try session.received(["4", "5"], offset: 4, acknowledged: 0) == [])
        #expect(try session.received(["3", "4"], offset: 3, acknowledged: 0) == [])
        #expect(
            try session.received(["2"], offset: 2, acknowledged: 0) == [
                .deliver("2"), .deliver("3"), .deliver("4"), .deliver("5"),
            ])
        #expect(try session.received(["6"], offset: nil, acknowledged: 0) == [.deliver("6")])
    }

    @Test func `maps too far ahead are refused, and those that fill the gap still come`() throws {
        var session = WebChannelSession()
        let many = (0...WebChannelLimits.earlyMapCountMax).map { "\($0)" }
        #expect(throws: WebChannelSession.Fault.tooFarAhead) {
            try session.received(many, offset: 1, acknowledged: 0)
        }
        #expect(throws: WebChannelSession.Fault.tooFarAhead) {
            try session.received(["a", "b"], offset: .max, acknowledged: 0)
        }
        let actions = try session.received(["x"], offset: 0, acknowledged: 0)
        #expect(actions.count == WebChannelLimits.earlyMapCountMax + 2)  // And a timer.
    }

    @Test func `an answer ends when much is unacknowledged, and the stream waits when more is`() {
        var session = WebChannelSession()
        _ = attach(&session, first)
        let half = [UInt8](repeating: 0x20, count: WebChannelLimits.answerByteCountMax / 2)
        session.sent(half)
        #expect(!session.flush().contains(.end(first)))
        session.sent(half)
        #expect(session.flush().contains(.end(first)))
        #expect(session.isWritable)
        while session.isWritable { session.sent(half) }
        #expect(session.flush() == [])
        // 1 was the sign of life; the first two were received.
        let actions = attach(&session, second, acknowledging: 3)
        #expect(actions.contains(.resume))
        #expect(written(actions).count >= 6)
        #expect(actions.contains(.end(second)))
    }

    @Test func `a silent back channel gets a sign of life, and an abandoned session ends`() {
        var session = WebChannelSession()
        #expect(session.opened() == [.schedule(.abandonment, WebChannelLimits.abandonment)])
        #expect(attach(&session, first).contains(.schedule(.keepalive, patience)))
        #expect(session.elapsed(.abandonment) == [])
        #expect(
            session.elapsed(.keepalive) == [
                .write(first, Array("14\n[[2,[\"noop\"]]]".utf8)), .schedule(.keepalive, patience),
            ])
        _ = session.lost(first)
        #expect(session.elapsed(.keepalive) == [])
        #expect(
            session.elapsed(.abandonment) == [
                .cancel(.keepalive), .cancel(.abandonment), .close,
            ])
        #expect(session.isOver)
        #expect(attach(&session, second) == [.end(second)])
    }

    @Test func `a post without a back channel keeps the session`() throws {
        var session = WebChannelSession()
        let actions = try session.received(["0"], offset: 0, acknowledged: 0)
        #expect(
            actions == [
                .schedule(.abandonment, WebChannelLimits.abandonment), .deliver("0"),
            ])
        #expect(String(decoding: session.answerToPost, as: UTF8.self) == "7\n[0,0,0]")
        send(&session, "a")
        let bytes = 5 + WebChannelLimits.arrayByteCount
        #expect(String(decoding: session.answerToPost, as: UTF8.self) == "8\n[0,1,\(bytes)]")
    }

    @Test func `what a finished stream has said is fetched, and then the session is over`() throws {
        var session = WebChannelSession()
        send(&session, "a")
        #expect(session.finished(Array(#"["why"]"#.utf8)) == [])
        send(&session, "late")
        #expect(!session.isWritable)
        let actions = attach(&session, first)
        #expect(written(actions) == ["23\n[[1,[\"a\"]],[2,[\"why\"]]]"])
        #expect(actions.contains(.end(first)))
        #expect(
            try session.received(["0"], offset: 0, acknowledged: 1).contains(.deliver("0")) == false
        )
        #expect(!session.isOver)
        #expect(attach(&session, second, acknowledging: 2).contains(.close))
        #expect(session.isOver)
    }

    @Test func `who ends a session ends its back channel`() throws {
        var session = WebChannelSession()
        _ = attach(&session, first)
        #expect(session.finished().isEmpty == false)
        var other = WebChannelSession()
        _ = attach(&other, second)
        #expect(
            other.terminated() == [
                .end(second), .cancel(.keepalive), .cancel(.abandonment), .close,
            ])
        #expect(other.terminated() == [])
        #expect(try other.received(["0"], offset: 0, acknowledged: 0) == [])
        #expect(other.elapsed(.keepalive) == [])
    }
}
