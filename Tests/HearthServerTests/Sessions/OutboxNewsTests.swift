import HearthEngine
import HearthModel
import HearthServer
import HearthWire
import Testing

/// News of the Realtime Database on the way to a client that reads now and then.
struct OutboxNewsTests {
    private static let target = ListenTarget("a", QueryParameters())
    private static let codec = WireCodec()

    private func news(_ content: ViewNews.Content) -> SharedNodes {
        SharedNodes(ViewNews(Self.target, content, isComplete: true, isValueTold: true))
    }

    private func change(_ number: Int64) -> SharedNodes {
        news(.changes([.init(WritePath("b"), Node(.integer(number)))]))
    }

    private func whole(_ value: LeafValue) -> SharedNodes { news(.whole(Node(value))) }

    /// All that waits, by the numbers of the frames, with what the news says.
    private func drain(_ outbox: inout Outbox) throws -> [(UInt64, ViewNews?)] {
        var read: [(UInt64, ViewNews?)] = []
        while let frame = outbox.next(Self.codec) {
            guard case .viewNews(let part) = try WireCodec(try instance()).event(frame) else {
                read.append((frame.request, nil))
                continue
            }
            read.append((frame.request, try part.news(of: Self.target)))
        }
        return read
    }

    private func instance() throws -> EngineKey {
        .realtime(try #require(InstanceID(project: "demo")))
    }

    @Test func `news keeps its order`() throws {
        var outbox = Outbox()
        outbox.append(news: whole(0), to: 3)
        for number: Int64 in 1...3 { outbox.append(news: change(number), to: 3) }
        let contents = try drain(&outbox).map(\.1?.content)
        #expect(
            contents == [
                .whole(Node(0)), .changes([.init(WritePath("b"), Node(1))]),
                .changes([.init(WritePath("b"), Node(2))]),
                .changes([.init(WritePath("b"), Node(3))]),
            ])
        #expect(outbox.byteCount == 0)
    }

    @Test func `a listener that does not read loses its news and is named when it reads again`()
        throws
    {
        var outbox = Outbox()
        outbox.append(news: whole(1), to: 4)
        for number in 0...Int64(Outbox.newsCountMax) + 10 {
            outbox.append(news: change(number), to: 3)
        }
        #expect(outbox.byteCount <= whole(1).byteCount)
        #expect(outbox.takeBehind().isEmpty)
        #expect(try drain(&outbox).map(\.0) == [4])
        #expect(outbox.takeBehind() == [3])
        #expect(outbox.takeBehind().isEmpty)
        outbox.append(news: whole(2), to: 3)
        #expect(try drain(&outbox).map(\.0) == [3])
    }

    @Test func `large changes are dropped by their bytes, and one of any size may wait`() throws {
        let text = String(repeating: "x", count: Outbox.newsByteCountMax)
        let large = news(.changes([.init(WritePath("b"), Node(.string(text)))]))
        var outbox = Outbox()
        outbox.append(news: large, to: 3)
        #expect(outbox.byteCount > Outbox.newsByteCountMax)
        outbox.append(news: change(1), to: 3)
        #expect(outbox.byteCount == 0)
        #expect(try drain(&outbox).isEmpty)
        #expect(outbox.takeBehind() == [3])
    }

    @Test func `the whole replaces what waits, and nobody is behind any more`() throws {
        var outbox = Outbox()
        outbox.append(news: change(1), to: 3)
        outbox.append(news: whole(2), to: 3)
        #expect(try drain(&outbox).map(\.1?.content) == [.whole(Node(2))])
        for number in 0...Int64(Outbox.newsCountMax) { outbox.append(news: change(number), to: 3) }
        outbox.append(news: whole(3), to: 3)
        #expect(try drain(&outbox).map(\.1?.content) == [.whole(Node(3))])
        #expect(outbox.takeBehind().isEmpty)
        #expect(outbox.byteCount == 0)
    }

    @Test func `nothing is held of news that a newer whole has replaced`() throws {
        var outbox = Outbox()
        weak var replaced: SharedNodes?
        do {
            let old = whole(1)
            replaced = old
            outbox.append(news: old, to: 3)
        }
        outbox.append(news: whole(2), to: 3)
        #expect(replaced == nil)
        #expect(try drain(&outbox).map(\.1?.content) == [.whole(Node(2))])
    }

    @Test func `a listener that ended is neither told nor named`() throws {
        var outbox = Outbox()
        outbox.append(news: change(1), to: 3)
        outbox.removeNews(of: 3)
        for number in 0...Int64(Outbox.newsCountMax) { outbox.append(news: change(number), to: 5) }
        outbox.removeNews(of: 5)
        #expect(try drain(&outbox).isEmpty)
        #expect(outbox.takeBehind().isEmpty)
        #expect(outbox.byteCount == 0)
    }

    /// A node of three frames.
    private var largeNode: Node {
        let text = String(repeating: "x", count: 1_000)
        return (0..<3_000).reduce(Node.empty) {
            $0.settingChild(ChildKey(unchecked: "key\($1)"), to: Node(.string("\($1)\(text)")))
        }
    }

    @Test func `a large node goes in several frames, encoded once for all`() throws {
        let shared = news(.whole(largeNode))
        var (one, other) = (Outbox(), Outbox())
        one.append(news: shared, to: 3)
        other.append(news: shared, to: 8)
        var count = 0
        while let frame = one.next(Self.codec) {
            let copy = other.next(Self.codec)
            let same = try #require(copy)
            #expect(frame.request == 3 && same.request == 8)
            #expect(frame.body == same.body)
            count += 1
        }
        #expect(count == 3)
        let rest = other.next(Self.codec)
        #expect(rest == nil)
    }

    @Test func `frames that stay for other readers count until the last frame has left`() throws {
        let shared = news(.whole(largeNode))
        var outbox = Outbox()
        outbox.append(news: shared, to: 3)
        for index in 0..<3 {
            let frame = outbox.next(Self.codec)
            #expect(frame?.request == 3)
            #expect(outbox.byteCount == (index < 2 ? shared.byteCount : 0))
        }
        let rest = outbox.next(Self.codec)
        #expect(rest == nil)
        #expect(shared.keptFrameCount == 3)
    }

    @Test func `the frames of a slow answer are held by nobody once they have left`() throws {
        let answer = SharedNodes(largeNode, isFromCache: true)
        var outbox = Outbox()
        let isTaken = outbox.append(nodes: answer, to: 3)
        #expect(isTaken)
        var before = outbox.byteCount
        for _ in 0..<3 {
            let frame = outbox.next(Self.codec)
            #expect(frame?.request == 3)
            #expect(answer.keptFrameCount == 0)
            #expect(outbox.byteCount < before)
            before = outbox.byteCount
        }
        let rest = outbox.next(Self.codec)
        #expect(rest == nil)
    }

    @Test func `an answer waits only as long as there is room, a step always`() {
        var limits = SessionLimits()
        limits.unreadByteCountMax = 65_536
        var outbox = Outbox(limits: limits)
        let large = SharedNodes(
            Node(.string(String(repeating: "x", count: 60_000))), isFromCache: true)
        let fits = [2, 3].map { outbox.append(nodes: large, to: $0) }
        #expect(fits == [true, false])
        outbox.append(step: SharedNodes(.committed(Node(1))), to: 4)
        #expect(outbox.byteCount > 60_000)
    }
}
