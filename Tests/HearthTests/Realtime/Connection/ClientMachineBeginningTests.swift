import HearthEngine
import HearthModel
import HearthWire
import Testing

@testable import Hearth

/// What a listener hears of a large view whose parts are still coming.
struct ClientMachineBeginningTests: InstanceMachineSuite {
    var machine = newInstanceMachine

    @Test mutating func `a new listener hears the first children, and the view when all has come`()
        throws
    {
        let id = machine.nextOperation()
        #expect(machine.observe(id, Self.rooms, .observer, at: .zero) == [.waitForConnection(id)])
        let asked = try #require(try open().last)
        #expect(asked.request == .realtime(.listen(Self.rooms, .observer)))
        let children = (100..<200).map {
            (key: ChildKey(unchecked: "k\($0)"), node: Node(.string("v")))
        }
        let news = ViewNews(
            Self.rooms, .whole(Node(children: children)), isComplete: true, isValueTold: true)
        let events = parts(news, 100)
        #expect(events.count > 2)
        let first = try #require(events.first)
        guard case .begin(id, let begun)? = machine.received(first, number: asked.number).first,
            case .whole(let node) = begun.content
        else {
            Issue.record("The first children were not told")
            return
        }
        #expect(!begun.isComplete && !begun.isValueTold && node.childCount > 5)
        #expect(
            node.children.map(\.key) == children.prefix(node.childCount).map(\.key))
        for event in events.dropFirst().dropLast() {
            #expect(machine.received(event, number: asked.number).isEmpty)
        }
        let last = try #require(events.last)
        #expect(machine.received(last, number: asked.number) == [.tell(id, news)])
        // Whoever has heard something hears no beginnings.
        for event in events.dropLast() {
            #expect(machine.received(event, number: asked.number).isEmpty)
        }
        #expect(machine.received(last, number: asked.number) == [.tell(id, news)])
    }

    private func news(_ numbers: Range<Int>, isBeginning: Bool = false) -> ViewNews {
        let children = numbers.map {
            (key: ChildKey(unchecked: "k\($0)"), node: Node(.string("v")))
        }
        return ViewNews(
            Self.rooms, .whole(Node(children: children)), isComplete: !isBeginning,
            isValueTold: !isBeginning, isBeginning: isBeginning)
    }

    /// What an observer of children's comings and goings and an observer of the value are told.
    private mutating func told(
        _ news: [ViewNews], partByteCountMax: Int, asked number: UInt64,
        _ table: inout ObserverTable
    ) -> [String] {
        var told: [String] = []
        for event in news.flatMap({ parts($0, partByteCountMax) }) {
            for action in machine.received(event, number: number) {
                switch action {
                case .tell(let id, let news): _ = table.received(news, for: Self.rooms, id)
                case .begin(let id, let news):
                    _ = table.received(news, for: Self.rooms, id, asFirst: true)
                default: Issue.record("Not news: \(action)")
                }
                told += table.deliver(Self.rooms).map { call in
                    "\(call.event.kind) \(call.event.key.map { "\($0)" } ?? "-")"
                }
            }
        }
        return told
    }

    private mutating func observed() throws -> (ObserverTable, number: UInt64) {
        let id = machine.nextOperation()
        _ = machine.observe(id, Self.rooms, .observer, at: .zero)
        let number = try #require(try open().last).number
        var table = ObserverTable()
        let kinds: [DataEventType] = [.value, .childAdded, .childRemoved, .childChanged]
        for (handle, kind) in kinds.enumerated() {
            let observer = ObserverTable.Observer(
                handle: UInt(handle), kind: kind, tell: { _, _ in }, cancel: nil)
            _ = table.add(observer, to: Self.rooms, operation: id)
        }
        return (table, number)
    }

    @Test(arguments: [100, 1_000_000])
    mutating func `a listener that holds the view takes no beginning for the whole`(
        partByteCountMax: Int
    ) throws {
        var (table, number) = try observed()
        let first = told(
            [news(100..<200)], partByteCountMax: partByteCountMax, asked: number, &table)
        #expect(first.count == 101)
        let again = told(
            [news(100..<150, isBeginning: true), news(100..<200)],
            partByteCountMax: partByteCountMax, asked: number, &table)
        #expect(again.isEmpty)
        let changed = told(
            [news(100..<150, isBeginning: true), news(101..<200)],
            partByteCountMax: partByteCountMax, asked: number, &table)
        #expect(changed == ["childRemoved k100", "value -"])
    }

    @Test(arguments: [100, 1_000_000])
    mutating func `a new listener hears each child of a beginning and of the rest once`(
        partByteCountMax: Int
    ) throws {
        var (table, number) = try observed()
        let begun = told(
            [news(100..<150, isBeginning: true)], partByteCountMax: partByteCountMax,
            asked: number, &table)
        #expect(!begun.isEmpty && begun.count <= 50)
        let rest = told(
            [news(100..<200)], partByteCountMax: partByteCountMax, asked: number, &table)
        #expect(begun + rest == (100..<200).map { "childAdded k\($0)" } + ["value -"])
    }

    @Test(arguments: [QueryIndex.value, .child("name")])
    mutating func `children that others may precede are told with all`(index: QueryIndex) throws {
        let target = ListenTarget("rooms", QueryParameters(index: index))
        let id = machine.nextOperation()
        _ = machine.observe(id, target, .observer, at: .zero)
        let asked = try #require(try open().last)
        let children = (100..<200).map {
            (key: ChildKey(unchecked: "k\($0)"), node: Node(.integer(Int64($0))))
        }
        let news = ViewNews(
            target, .whole(Node(children: children)), isComplete: true, isValueTold: true)
        let events = parts(news, 100)
        for event in events.dropLast() {
            #expect(machine.received(event, number: asked.number).isEmpty)
        }
        let last = try #require(events.last)
        #expect(machine.received(last, number: asked.number) == [.tell(id, news)])
    }

    @Test mutating func `a text whose second half reads like children is a text`() throws {
        let id = machine.nextOperation()
        _ = machine.observe(id, Self.rooms, .observer, at: .zero)
        let asked = try #require(try open().last)
        // The text goes on with the bytes of a node: one child `b`, which is true.
        let forged = EncodedNodes(Node.empty.settingChild("b", to: Node(.bool(true)))).bytes
        let text = "text" + String(decoding: forged, as: UTF8.self)
        let node = Node.empty.settingChild("a", to: Node(.string(text)))
        let bytes = EncodedNodes(node).bytes
        let cut = bytes.count - forged.count
        #expect(Array(bytes[cut...]) == forged)
        for (begin, end) in [(0, cut), (cut, bytes.count)] {
            let part = Event.ViewPart(
                isWhole: true, isComplete: true, isValueTold: true,
                nodes: EncodedNodes(Array(bytes[begin..<end]), hasMore: true))
            #expect(machine.received(.viewNews(part), number: asked.number).isEmpty)
        }
        let last = Event.ViewPart(
            isWhole: true, isComplete: true, isValueTold: true, nodes: EncodedNodes([]))
        let news = ViewNews(Self.rooms, .whole(node), isComplete: true, isValueTold: true)
        #expect(machine.received(.viewNews(last), number: asked.number) == [.tell(id, news)])
    }
}
