import HearthEngine
import HearthModel
import Testing

@testable import HearthRealtime

/// What a client tells its programs about itself.
struct InfoTreeTests {
    private static let connected = ListenTarget(".info/connected", .all)
    private static let offset = ListenTarget(".info/serverTimeOffset", .all)
    private let first = ListenerID(session: 1, number: 1)
    private let second = ListenerID(session: 2, number: 1)

    @Test func `a listener hears at once that there is no connection, then that there is`() {
        var info = InfoTree()
        let start = info.listen(Self.connected, first)
        #expect(start?.news.content == .whole(Node(false)) && start?.news.isValueTold == true)
        #expect(start?.listeners == [first])
        let opened = info.linkOpened(serverTimeOffset: 7)
        #expect(opened.map(\.news.content) == [.whole(Node(true))])
        let closed = info.linkClosed()
        #expect(closed.map(\.news.content) == [.whole(Node(false))])
        let closedAgain = info.linkClosed()
        #expect(closedAgain.isEmpty)
    }

    @Test func `the clock's offset is told once it is known, and when it changes`() {
        var info = InfoTree()
        let start = info.listen(Self.offset, first)
        #expect(start?.news.isValueTold == false && start?.news.isComplete == false)
        let told = info.linkOpened(serverTimeOffset: -40)
        #expect(told.map(\.news.content) == [.whole(Node(-40))])
        #expect(told.map(\.news.isValueTold) == [true])
        let closed = info.linkClosed()
        #expect(closed.isEmpty)
        let sameOffset = info.linkOpened(serverTimeOffset: -40)
        #expect(sameOffset.isEmpty)
        let otherOffset = info.linkOpened(serverTimeOffset: 3)
        #expect(otherOffset.count == 1)
    }

    @Test func `equal listens are told together, and an ended one no more`() {
        var info = InfoTree()
        _ = info.listen(Self.connected, first)
        _ = info.listen(Self.connected, second)
        let opened = info.linkOpened(serverTimeOffset: 0)
        #expect(opened.map(\.listeners) == [[first, second]])
        let (isEnded, isEndedAgain) = (info.unlisten(first), info.unlisten(first))
        #expect(isEnded && !isEndedAgain)
        let closed = info.linkClosed()
        #expect(closed.map(\.listeners) == [[second]])
    }

    @Test func `a listener above sees both, and one elsewhere nothing`() {
        var info = InfoTree()
        _ = info.listen(ListenTarget(".info", .all), first)
        let unknown = info.listen(ListenTarget(".info/nothing", .all), second)
        #expect(unknown?.news.isValueTold == false)
        let told = info.linkOpened(serverTimeOffset: 5)
        #expect(told.map(\.listeners) == [[first]])
        guard case .whole(let node)? = told.first?.news.content else { return }
        #expect(node.description == #"{"connected":true,"serverTimeOffset":5}"#)
    }
}
