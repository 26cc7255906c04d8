import HearthModel
import HearthProtocol
import HearthTestSupport
import HearthWire
import Testing

struct NodePartsTests {
    private static let codec = InstanceSamples.codec

    /// Reads all frames of `parts`, and joins what they carry.
    private static func joined<Part>(
        _ parts: NodeParts, _ part: (Event) -> Part?, _ join: (inout Part, Part) -> Void
    ) throws -> (part: Part?, frameCount: Int) {
        var parts = parts
        var sum: Part?
        var count = 0
        while let frame = try parts.next() {
            count += 1
            guard let next = part(try codec.event(frame)) else { return (nil, count) }
            guard var whole = sum else {
                sum = next
                continue
            }
            join(&whole, next)
            sum = whole
        }
        return (sum, count)
    }

    private static func news(
        _ news: ViewNews, _ partByteCountMax: Int
    ) throws -> (ViewNews?, frameCount: Int) {
        let found = try joined(
            NodeParts(of: news, partByteCountMax: partByteCountMax),
            { if case .viewNews(let part) = $0 { part } else { nil } },
            { $0.nodes.append($1.nodes) })
        return (try found.part?.news(of: news.target), found.frameCount)
    }

    @Test(arguments: [1, 7, 100, 1_000_000])
    func `news comes in parts that add up to it, wherever they are cut`(
        partByteCountMax: Int
    ) throws {
        for whole in try InstanceSamples.news() {
            #expect(try Self.news(whole, partByteCountMax).0 == whole)
        }
        var random = SeededGenerator(seed: UInt64(partByteCountMax))
        for _ in 0..<30 {
            let node = InstanceSamples.node(&random)
            let whole = ViewNews(
                ListenTarget("/a", .all), .whole(node), isComplete: true, isValueTold: true)
            #expect(try Self.news(whole, partByteCountMax).0 == whole)
        }
    }

    @Test func `an answer and a step of a transaction come in parts in the same way`() throws {
        let node = try InstanceSamples.node()
        let answer = try Self.joined(
            NodeParts(of: node, isFromCache: true, partByteCountMax: 10),
            { if case .node(let part) = $0 { part } else { nil } },
            { $0.nodes.append($1.nodes) })
        #expect(answer.frameCount > 3)
        #expect(answer.part?.isFromCache == true)
        #expect(try answer.part?.nodes.node() == node)
        for step in try InstanceSamples.steps() {
            let found = try Self.joined(
                NodeParts(of: step, partByteCountMax: 10),
                { if case .transaction(let part) = $0 { part } else { nil } },
                { $0.nodes.append($1.nodes) })
            #expect(try found.part?.step() == step)
        }
    }

    @Test func `a text that is longer than a part is cut too, and no frame is too long`() throws {
        let text = String(repeating: "x", count: LeafValue.stringByteCountMax)
        let node = Node(children: [(key: ChildKey(unchecked: "a"), node: Node(.string(text)))])
        var parts = NodeParts(of: node, isFromCache: false)
        var longest = 0
        while let frame = try parts.next() { longest = max(longest, frame.body.count) }
        #expect(longest < WireLimits.snapshotPartByteCountMax + 100)
    }

    @Test func `ten thousand children are one frame, and are read as they were`() throws {
        let children = (0..<10_000).map { number in
            (
                key: ChildKey(unchecked: "-N\(1_000_000 + number)"),
                node: Node(children: [
                    (key: ChildKey(unchecked: "on"), node: Node(.bool(number % 2 == 0)))
                ])
            )
        }
        let news = ViewNews(
            ListenTarget("/lamps", .all), .whole(Node(children: children)), isComplete: true,
            isValueTold: true)
        let found = try Self.news(news, WireLimits.snapshotPartByteCountMax)
        #expect(found.frameCount == 1)
        #expect(found.0 == news)
    }
}
