import HearthModel
import HearthTestSupport
import Synchronization
import Testing

@testable import Hearth

struct ObserverTableTests {
    private static let rooms = ListenTarget("rooms", .all)
    private static let operation = ClientMachine.OperationID(rawValue: 1)
    private let told = Told()

    /// What observers were told, in order.
    private final class Told: Sendable {
        private let lines = Mutex<[String]>([])

        func note(_ line: String) { lines.withLock { $0.append(line) } }

        func take() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
    }

    private func observer(
        _ name: String, _ kind: DataEventType, isSingle: Bool = false
    ) -> ObserverTable.Observer {
        let told = told
        return ObserverTable.Observer(
            handle: UInt(name.utf8.first ?? 0), kind: kind, isSingle: isSingle,
            tell: { event, _ in
                let key = event.key.map { "\($0)" } ?? "-"
                let previous = event.previousKey.map { " after \($0)" } ?? ""
                told.note("\(name) \(event.kind) \(key) \(event.node)\(previous)")
            }, cancel: { told.note("\(name) \($0)") })
    }

    private func news(
        _ json: String, isComplete: Bool = true, of target: ListenTarget = rooms
    ) throws -> ViewNews {
        ViewNews(
            target, .whole(try Node(json: json)), isComplete: isComplete, isValueTold: isComplete)
    }

    private func changes(
        _ places: [(String, String)], isValueTold: Bool = true
    ) throws -> ViewNews {
        ViewNews(
            Self.rooms,
            .changes(
                try places.map {
                    .init(try #require(WritePath($0.0)), try Node(json: $0.1))
                }),
            isComplete: true, isValueTold: isValueTold)
    }

    /// Takes news in, and wakes the loops.
    private func receive(_ news: ViewNews, _ table: inout ObserverTable) -> Bool {
        let (isDue, wakes) = table.received(news, for: Self.rooms, Self.operation)
        for wake in wakes { wake() }
        return isDue
    }

    /// The kinds of the events that the loop 1 takes.
    private func kinds(_ table: inout ObserverTable) throws -> [RealtimeEvent.Kind] {
        try table.read(1)?.events.map(\.kind) ?? []
    }

    /// Makes the calls that are due.
    private func deliver(_ table: inout ObserverTable) -> [String] {
        for call in table.deliver(Self.rooms) where table.begin(call).isThere {
            call.observer.tell(call.event, call.view)
        }
        return told.take()
    }

    private func add(_ observer: ObserverTable.Observer, _ table: inout ObserverTable) -> Bool {
        table.add(observer, to: Self.rooms, operation: Self.operation).mustListen
    }

    @Test func `what counts only as the first news is nothing after other news`() throws {
        var table = ObserverTable()
        _ = table.add(observer("v", .value), to: Self.rooms, operation: Self.operation)
        let isFirstDue = table.received(
            try news("false"), for: Self.rooms, Self.operation, asFirst: true
        ).isDue
        #expect(isFirstDue)
        _ = table.received(try news("true"), for: Self.rooms, Self.operation)
        // The thread that began the listen may have been held up for so long.
        _ = table.received(try news("false"), for: Self.rooms, Self.operation, asFirst: true)
        for call in table.deliver(Self.rooms) { call.observer.tell(call.event, call.view) }
        #expect(told.take() == ["v value - true"])
    }

    @Test func `observers of one query share one listen and hear in the order they came`() throws {
        var table = ObserverTable()
        #expect(add(observer("a", .value), &table))
        #expect(!add(observer("b", .childAdded), &table))
        #expect(!add(observer("c", .value), &table))
        #expect(receive(try news(#"{"x":1,"y":2}"#), &table))
        #expect(
            deliver(&table) == [
                "b childAdded x 1", "b childAdded y 2 after x",
                #"a value - {"x":1,"y":2}"#, #"c value - {"x":1,"y":2}"#,
            ])
    }

    @Test func `a batch is told in the SDK's order`() throws {
        var table = ObserverTable()
        let kinds: [(String, DataEventType)] = [
            ("v", .value), ("c", .childChanged), ("m", .childMoved), ("a", .childAdded),
            ("r", .childRemoved),
        ]
        for (name, kind) in kinds { _ = add(observer(name, kind), &table) }
        _ = receive(try news(#"{"x":{".value":1,".priority":1},"y":2,"z":3}"#), &table)
        _ = deliver(&table)
        let news = try changes([
            ("y", "null"), ("w", "4"), ("x", #"{".value":1,".priority":2}"#), ("z", "5"),
        ])
        #expect(receive(news, &table))
        #expect(
            deliver(&table).map { $0.split(separator: " ").prefix(3).joined(separator: " ") } == [
                "r childRemoved y", "a childAdded w", "m childMoved x", "c childChanged z",
                "c childChanged x", "v value -",
            ])
    }

    @Test func `a new observer hears what is there, and the others hear nothing again`() throws {
        var table = ObserverTable()
        _ = add(observer("a", .value), &table)
        _ = receive(try news(#"{"x":1}"#), &table)
        _ = deliver(&table)
        let (mustListen, isDue) = table.add(
            observer("b", .childAdded), to: Self.rooms, operation: Self.operation)
        #expect(!mustListen && isDue)
        #expect(deliver(&table) == ["b childAdded x 1"])
    }

    @Test func `children that are known come before the value is`() throws {
        var table = ObserverTable()
        _ = add(observer("a", .value), &table)
        _ = add(observer("b", .childAdded), &table)
        _ = receive(try news("null", isComplete: false), &table)
        #expect(deliver(&table).isEmpty)
        _ = receive(try news(#"{"x":1}"#, isComplete: false), &table)
        #expect(deliver(&table) == ["b childAdded x 1"])
        _ = receive(try news(#"{"x":1,"y":2}"#), &table)
        #expect(
            deliver(&table) == ["b childAdded y 2 after x", #"a value - {"x":1,"y":2}"#])
    }

    @Test func `the first children of a large view come at once, and its value with the rest`()
        throws
    {
        var table = ObserverTable()
        _ = add(observer("a", .value), &table)
        _ = add(observer("b", .childAdded), &table)
        let begun = table.received(
            try news(#"{"x":1}"#, isComplete: false), for: Self.rooms, Self.operation,
            asFirst: true)
        #expect(begun.isDue)
        #expect(deliver(&table) == ["b childAdded x 1"])
        _ = receive(try news(#"{"x":1,"y":2}"#), &table)
        #expect(
            deliver(&table) == ["b childAdded y 2 after x", #"a value - {"x":1,"y":2}"#])
    }

    @Test func `children behind those that were told are told as one by one, whatever follows`()
        throws
    {
        var table = ObserverTable()
        _ = add(observer("b", .childAdded), &table)
        _ = add(observer("c", .childChanged), &table)
        _ = add(observer("r", .childRemoved), &table)
        _ = receive(try news(#"{"x":1}"#, isComplete: false), &table)
        #expect(deliver(&table) == ["b childAdded x 1"])
        _ = receive(try news(#"{"x":1,"y":2,"z":3}"#), &table)
        _ = receive(try changes([("/x", "5"), ("/y", "null"), ("/z", "4")]), &table)
        #expect(deliver(&table) == ["b childAdded z 4 after x", "c childChanged x 5"])
        // Others come in front of what was told, or change it: then all is compared.
        _ = receive(try news(#"{"a":1,"x":5,"z":4}"#), &table)
        #expect(deliver(&table) == ["b childAdded a 1"])
        _ = receive(try news(#"{"a":1,"x":6,"z":4,"zz":0}"#), &table)
        #expect(deliver(&table) == ["b childAdded zz 0 after z", "c childChanged x 6 after a"])
        _ = receive(try news(#"{"a":1,"x":6,"z":4,"zz":0,"zzz":1}"#), &table)
        _ = receive(try news(#"{"a":1,"x":6,"z":4,"zz":0,"zzz":1,"zzzz":2}"#), &table)
        #expect(
            deliver(&table) == ["b childAdded zzz 1 after zz", "b childAdded zzzz 2 after zzz"])
    }

    @Test func `what is not there is told as nothing, once it is known`() throws {
        var table = ObserverTable()
        _ = add(observer("a", .value), &table)
        _ = receive(try news("null"), &table)
        #expect(deliver(&table) == ["a value - null"])
        #expect(!receive(try news("null"), &table))
    }

    @Test func `after a lost connection only what is different is told`() throws {
        var table = ObserverTable()
        for (name, kind) in [("a", DataEventType.value), ("b", .childAdded), ("c", .childChanged)] {
            _ = add(observer(name, kind), &table)
        }
        _ = receive(try news(#"{"x":1,"y":2}"#), &table)
        _ = deliver(&table)
        #expect(!receive(try news(#"{"x":1,"y":2}"#), &table))
        #expect(receive(try news(#"{"x":7,"y":2}"#), &table))
        #expect(deliver(&table) == ["c childChanged x 7", #"a value - {"x":7,"y":2}"#])
    }

    @Test func `slow observers hear one change of each child, and the newest value`() throws {
        var table = ObserverTable()
        let kinds: [(String, DataEventType)] = [
            ("a", .childAdded), ("c", .childChanged), ("r", .childRemoved), ("v", .value),
        ]
        for (name, kind) in kinds { _ = add(observer(name, kind), &table) }
        _ = receive(try news(#"{"x":1,"y":2}"#), &table)
        _ = deliver(&table)
        #expect(receive(try changes([("x", "2"), ("new", "1")]), &table))
        for number in 3...50 { #expect(!receive(try changes([("x", "\(number)")]), &table)) }
        _ = receive(try changes([("new", "null"), ("y", "null")]), &table)
        #expect(
            deliver(&table) == [
                "r childRemoved y 2", "c childChanged x 50", #"v value - {"x":50}"#,
            ])
    }

    @Test func `what only a removed observer would have heard is forgotten`() throws {
        var table = ObserverTable()
        _ = add(observer("v", .value), &table)
        _ = add(observer("d", .childAdded), &table)
        _ = receive(try news(#"{"x":1}"#), &table)
        _ = deliver(&table)
        _ = receive(try changes([("a", "1")]), &table)
        _ = table.remove(DatabaseHandle(UInt8(ascii: "d")), at: Self.rooms)
        _ = receive(try changes([("a", "null")]), &table)
        _ = add(observer("c", .childAdded), &table)
        _ = receive(try changes([("a", "2")]), &table)
        #expect(
            deliver(&table) == [
                #"v value - {"a":2,"x":1}"#, "c childAdded a 2", "c childAdded x 1 after a",
            ])
    }

    @Test func `children that all went and came again have changed`() throws {
        var table = ObserverTable()
        for (name, kind) in [("a", DataEventType.childAdded), ("c", .childChanged)] {
            _ = add(observer(name, kind), &table)
        }
        _ = receive(try news(#"{"x":1}"#), &table)
        _ = deliver(&table)
        _ = receive(try news("null"), &table)
        _ = receive(try news(#"{"x":2,"y":3}"#), &table)
        #expect(deliver(&table) == ["a childAdded y 3 after x", "c childChanged x 2"])
    }

    @Test func `a place deep in a child, a priority and the whole are changes too`() throws {
        var table = ObserverTable()
        _ = add(observer("c", .childChanged), &table)
        _ = add(observer("v", .value), &table)
        _ = receive(try news(#"{"x":{"n":1}}"#), &table)
        _ = deliver(&table)
        _ = receive(try changes([("x/n", "2"), (".priority", "5")]), &table)
        #expect(
            deliver(&table) == [
                #"c childChanged x {"n":2}"#, #"v value - {".priority":5,"x":{"n":2}}"#,
            ])
        _ = receive(try changes([("", #"{"x":{"n":3}}"#)]), &table)
        #expect(deliver(&table) == [#"c childChanged x {"n":3}"#, #"v value - {"x":{"n":3}}"#])
    }

    @Test func `a single observer hears once, and its listen ends with it`() throws {
        var table = ObserverTable()
        _ = add(observer("a", .childAdded, isSingle: true), &table)
        _ = receive(try news(#"{"x":1,"y":2}"#), &table)
        #expect(deliver(&table) == ["a childAdded x 1"])
        #expect(table.targets.isEmpty)
    }

    @Test func `a removed observer hears no more, even what is on its way`() throws {
        var table = ObserverTable()
        _ = add(observer("a", .value), &table)
        _ = add(observer("b", .value), &table)
        _ = receive(try news("1"), &table)
        let calls = table.deliver(Self.rooms)
        #expect(table.remove(UInt(UInt8(ascii: "a")), at: Self.rooms).ended.isEmpty)
        #expect(calls.map { table.begin($0).isThere } == [false, true])
        #expect(table.remove(UInt(UInt8(ascii: "b")), at: Self.rooms).ended == [Self.operation])
    }

    @Test func `the place itself looks through all its queries, a query through its own`() {
        var table = ObserverTable()
        let first = ListenTarget(
            "rooms", QueryParameters(limit: QueryParameters.Limit(1, from: .first)))
        let other = ClientMachine.OperationID(rawValue: 2)
        _ = add(observer("a", .value), &table)
        _ = table.add(observer("b", .value), to: first, operation: other)
        #expect(table.remove(UInt(UInt8(ascii: "a")), at: first).ended.isEmpty)
        #expect(table.remove(UInt(UInt8(ascii: "b")), at: Self.rooms).ended == [other])
        _ = table.add(observer("b", .value), to: first, operation: other)
        #expect(table.remove(nil, at: Self.rooms).ended.count == 2)
        #expect(table.targets.isEmpty)
    }

    @Test func `whoever goes from a place leaves the observers below`() {
        var table = ObserverTable()
        let hall = ListenTarget("rooms/hall", .all)
        _ = add(observer("a", .value), &table)
        _ = table.add(
            observer("b", .value), to: hall, operation: ClientMachine.OperationID(rawValue: 2))
        #expect(table.remove(nil, at: Self.rooms).ended == [Self.operation])
        #expect(table.targets == [hall])
    }

    @Test func `a failed listen tells its observers why, and is forgotten`() throws {
        var table = ObserverTable()
        _ = add(observer("a", .value), &table)
        let error = DatabaseError(.permissionDenied, "No.")
        let (observers, _) = table.failed(error, for: Self.rooms, Self.operation)
        observers.forEach { $0.cancel?(error) }
        #expect(told.take() == ["a PERMISSION_DENIED: No."])
        #expect(table.targets.isEmpty)
        #expect(!receive(try news("1"), &table))
    }

    @Test func `a loop takes its own events, whatever others have taken`() throws {
        var table = ObserverTable()
        let woken = Told()
        _ = add(observer("a", .childAdded), &table)
        let mustListen = table.add(
            1, to: Self.rooms, operation: Self.operation, wantsChildren: true
        ) { woken.note("woken") }
        #expect(!mustListen)
        _ = receive(try news(#"{"x":1}"#), &table)
        _ = deliver(&table)
        #expect(woken.take() == ["woken"])
        #expect(try kinds(&table) == [.childAdded, .value])
        #expect(try kinds(&table).isEmpty)
        _ = receive(try changes([("y", "2")]), &table)
        _ = receive(try changes([("y", "3"), ("x", "null")]), &table)
        #expect(try kinds(&table) == [.childRemoved, .childAdded, .value])
        #expect(table.remove(1) == nil)
        #expect(table.remove(UInt(UInt8(ascii: "a")), at: Self.rooms).ended == [Self.operation])
    }
}
