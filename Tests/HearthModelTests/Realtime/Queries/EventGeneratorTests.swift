import HearthModel
import Testing

struct EventGeneratorTests {
    private static func text(_ event: RealtimeEvent) -> String {
        "\(event.kind) \(event.key?.text ?? "-") \(event.previousKey?.text ?? "-") \(event.node)"
    }

    private func events(_ old: String, _ new: String, by index: QueryIndex) throws -> [String] {
        let filter = NodeFilter(QueryParameters(index: index))
        var view = IndexedNode(try Node(json: old), by: index)
        var changes = ChangeAccumulator()
        filter.update(
            &view, to: IndexedNode(try Node(json: new), by: index), noting: &changes)
        return EventGenerator(index: index).events(of: changes.changes, in: view, isValueTold: true)
            .map(Self.text)
    }

    @Test func `one batch tells removed, added, moved, changed and the value, each by the order`()
        throws
    {
        let told = try events(
            #"{"a":1,"b":2,"c":3,"d":4}"#, #"{"e":0,"f":9,"c":5,"b":7,"d":4}"#, by: .value)
        #expect(
            told == [
                "childRemoved a - 1", "childAdded e - 0", "childAdded f b 9",
                "childMoved c d 5", "childMoved b c 7", "childChanged c d 5", "childChanged b c 7",
                #"value - - {"b":7,"c":5,"d":4,"e":0,"f":9}"#,
            ])
    }

    @Test func `by key nothing moves`() throws {
        let told = try events(#"{"a":1,"b":2}"#, #"{"a":3,"b":2}"#, by: .key)
        #expect(told == ["childChanged a - 3", #"value - - {"a":3,"b":2}"#])
    }

    @Test func `a child whose sort value changed moves, though it stays where it is`() throws {
        let told = try events(
            #"{"a":{"n":1},"b":{"n":5}}"#, #"{"a":{"n":2},"b":{"n":5,"m":1}}"#, by: .child("/n"))
        #expect(
            told.dropLast() == [
                #"childMoved a - {"n":2}"#, #"childChanged a - {"n":2}"#,
                #"childChanged b a {"m":1,"n":5}"#,
            ])
    }

    @Test func `a new listener hears of all children in order, then of the value`() throws {
        let view = IndexedNode(try Node(json: #"{"a":2,"b":1}"#), by: .value)
        let generator = EventGenerator(index: .value)
        #expect(
            generator.initialEvents(of: view, isComplete: true).map(Self.text) == [
                "childAdded b - 1", "childAdded a b 2", #"value - - {"a":2,"b":1}"#,
            ])
        #expect(generator.initialEvents(of: view, isComplete: false).count == 2)
    }

    @Test func `what became of a child in one batch is one change`() {
        func joined(_ steps: [(Node, Node)]) -> [ChildChange] {
            var changes = ChangeAccumulator()
            for (old, new) in steps { changes.note("k", from: old, to: new) }
            return changes.changes
        }
        let none = Node.empty
        #expect(joined([(none, none)]).isEmpty)
        #expect(
            joined([(Node(1), none), (none, Node(2))])
                == [ChildChange(.changed(from: Node(1)), key: "k", node: Node(2))])
        #expect(joined([(none, Node(1)), (Node(1), none)]).isEmpty)
        #expect(
            joined([(none, Node(1)), (Node(1), Node(2))]) == [
                ChildChange(.added, key: "k", node: Node(2))
            ])
        #expect(
            joined([(Node(1), Node(2)), (Node(2), none)])
                == [ChildChange(.removed, key: "k", node: Node(1))])
        #expect(
            joined([(Node(1), Node(2)), (Node(2), Node(3))])
                == [ChildChange(.changed(from: Node(1)), key: "k", node: Node(3))])
    }
}
