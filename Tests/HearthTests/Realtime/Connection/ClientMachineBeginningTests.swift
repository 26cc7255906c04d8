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
