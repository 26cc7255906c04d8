import CSQLite
import Glibc
import HearthEngine
import HearthFirestore
import HearthModel
import HearthProtocol
import HearthRealtime
import HearthSQLite
import HearthStore

/// The Realtime Database's writes and views, beside Firestore's in the same run.
extension StoreBenchmark {
    private static let queuedCount = 100_000
    private static let childCount = 10_000
    private static let groupCount = 64

    func realtime() throws {
        // First, so that both find no memory that others have left.
        let kept = try keptChildren()
        try withExtendedLifetime(kept) { try queuedNumbers() }
        let path = path + "-realtime"
        defer { for suffix in StoreFiles.suffixes + ["-lock"] { unlink(path + suffix) } }
        let instance = try InstanceBench(path: path)
        try setsAlone(instance)
        try setsInGroups(instance)
        try drain(instance)
        try changesUnderValue(instance)
    }

    /// What waiting sets hold that have no more than a number.
    private func queuedNumbers() throws {
        let path = path + "-numbers"
        defer { for suffix in StoreFiles.suffixes + ["-lock"] { unlink(path + suffix) } }
        let instance = try InstanceBench(path: path)
        func fill(to count: Int) throws {
            while instance.queuedCount < count {
                let first = instance.queuedCount
                try instance.take(
                    (first..<first + Self.groupCount).map {
                        instance.set(Self.place($0), Node(.integer(Int64($0))))
                    })
            }
        }
        try fill(to: Self.queuedCount / 10)
        let before = (bytes: Self.engineByteCount, count: instance.queuedCount)
        try fill(to: Self.queuedCount)
        Self.reportGrowth("a queued set of a number", since: before, in: instance, goal: 250)
    }

    /// What a program keeps of many small children, and what reading them from the daemon's news costs.
    ///
    /// - Returns: All that was made, so that nobody else gets the memory.
    private func keptChildren() throws -> [Node] {
        let children = Node(
            children: (0..<Self.childCount).map { number in
                (key: ChildKey(unchecked: "k\(number)"), node: Self.child(Int64(number)))
            })
        let bytes = NodeBytes.bytes(of: children)
        var nodes = [children]
        for packs in [true, false] {
            let before = Self.engineByteCount
            let cost = try Meter.cost {
                nodes.append(try NodeBytes.read(bytes, packs: packs))
            }
            let name = "children read \(packs ? "as a program does" : "unpacked")"
            Meter.report("a child of 10000 \(name)", cost, per: Self.childCount)
            let growth = Self.engineByteCount - before
            print("10000 \(name) hold \(growth / 1_000) kB")
        }
        return nodes
    }

    private static func reportGrowth(
        _ name: String, since before: (bytes: Int, count: Int), in instance: InstanceBench,
        goal: Int? = nil
    ) {
        let each = (engineByteCount - before.bytes) / max(1, instance.queuedCount - before.count)
        let verdict = goal.map { each <= $0 ? ", within \($0)" : ", OVER \($0)" } ?? ""
        print("\(name) holds \(each) bytes beside SQLite's pages\(verdict)")
    }

    /// Sets and documents accepted alone by turns, so that what else the machine does makes both dearer
    /// alike.
    private func setsAlone(_ instance: InstanceBench) throws {
        let path = path + "-firestore"
        defer { for suffix in StoreFiles.suffixes + ["-lock"] { unlink(path + suffix) } }
        let firestore = try Bench(path: path)
        try firestore.take([.setNetwork(isEnabled: false)])
        var (documents, sets) = (Cost.zero, Cost.zero)
        let (rounds, size) = (100, 50)
        for round in 0..<rounds {
            let numbers = round * size..<(round + 1) * size
            let writes = numbers.map {
                firestore.write($0, samples.fields($0), id: SampleDocuments.key(1 << 40 + $0))
            }
            let cost = try Meter.cost { for write in writes { try firestore.take([write]) } }
            documents = documents + cost
            let changes = numbers.map { set($0, in: instance) }
            let other = try Meter.cost { for change in changes { try instance.take([change]) } }
            sets = sets + other
        }
        Meter.report("a document accepted alone", documents, per: rounds * size)
        Meter.report(
            "a set accepted alone, by turns with it", sets, per: rounds * size,
            goal: documents.cpu / Double(rounds * size) * 1.1)
    }

    /// Fills the queue in groups; what the last of them cost, and what all of them hold.
    private func setsInGroups(_ instance: InstanceBench) throws {
        let before = (bytes: Self.engineByteCount, count: instance.queuedCount)
        let count = Self.queuedCount - instance.queuedCount
        let few = 6_400
        func fill(_ count: Int, from number: Int) throws -> Cost {
            try Meter.cost(of: 0..<(count / Self.groupCount)) { group in
                (0..<Self.groupCount).map {
                    set(number + group * Self.groupCount + $0, in: instance)
                }
            } _: { (inputs: [RealtimeEngine.Input]) in
                try instance.take(inputs)
            }
        }
        let first = try fill(few, from: 1 << 20)
        Meter.report("sets in groups of 64, few queued", first, per: few, goal: 25)
        let most = try fill(count - few, from: 1 << 21)
        Meter.report("sets in groups of 64, to 100000 queued", most, per: count - few, goal: 25)
        Self.reportGrowth("a queued set of a document's fields", since: before, in: instance)
        let last = try fill(few, from: 1 << 22)
        Meter.report(
            "sets in groups of 64, 100000 queued", last, per: few,
            goal: first.cpu / Double(few) * 1.3)
    }

    private func drain(_ instance: InstanceBench) throws {
        try instance.connect()
        let count = instance.queuedCount
        let cost = try Meter.cost {
            while instance.queuedCount > 0 {
                guard try instance.answer(10) > 0 else {
                    throw Bench.Failure(reason: "\(instance.queuedCount) sets are not sent")
                }
            }
        }
        Meter.report("sets answered in tens, 100000 queued", cost, per: count, goal: 60)
        // So few that the cache notes each place.
        let (rounds, few) = (20, 640)
        let noted = try Meter.cost(of: 0..<rounds) { round in
            let first = 1 << 23 + round * few
            for group in stride(from: first, to: first + few, by: Self.groupCount) {
                try instance.take(
                    (group..<group + Self.groupCount).map { set($0, in: instance) })
            }
        } _: { (_: Void) in
            while try instance.answer(10) > 0 {}
        }
        Meter.report("sets answered in tens, 640 queued", noted, per: rounds * few, goal: 60)
    }

    private func changesUnderValue(_ instance: InstanceBench) throws {
        let keys = (0..<Self.childCount).map { ChildKey(unchecked: "k\($0)") }
        let node = Node(children: keys.map { (key: $0, node: Self.child(0)) })
        try instance.listen(to: "children", of: node)
        func place(_ number: Int) -> RealtimePath {
            RealtimePath(["children", keys[number * 37 % keys.count], "number"])
        }
        let count = 100
        let pushed = try Meter.cost(of: 0..<count) { group in
            try (0..<Self.groupCount).map {
                let number = group * Self.groupCount + $0
                return try instance.push(
                    WritePath(place(number)), Node(.integer(Int64(number + 1))))
            }
        } _: { (inputs: [RealtimeEngine.Input]) in
            try instance.take(inputs)
        }
        Meter.report(
            "told changes under a value of 10000", pushed, per: count * Self.groupCount, goal: 60)
        let set = try Meter.cost(of: 0..<count) { group in
            (0..<Self.groupCount).map {
                let number = group * Self.groupCount + $0
                return instance.set(place(number), Node(.integer(Int64(-number))))
            }
        } _: { (inputs: [RealtimeEngine.Input]) in
            try instance.take(inputs)
            while try instance.answer(Self.groupCount, telling: true) > 0 {}
        }
        Meter.report(
            "sets under a value of 10000, with answers", set, per: count * Self.groupCount,
            goal: 60)
    }

    /// A set of a place that nobody knows, of about as much as a document holds.
    private func set(_ number: Int, in instance: InstanceBench) -> RealtimeEngine.Input {
        instance.set(Self.place(number), samples.node(number))
    }

    private static func place(_ number: Int) -> RealtimePath {
        RealtimePath(["items", ChildKey(unchecked: SampleDocuments.key(number).path.last)])
    }

    private static func child(_ number: Int64) -> Node {
        Node(ofFields: [
            "number": Node(.integer(number)), "name": Node(.string("Room number \(number)")),
            "isOpen": Node(.bool(number.isMultiple(of: 2))),
        ])
    }

    /// Memory that the process holds, without the pages that SQLite keeps of its files.
    private static var engineByteCount: Int {
        Meter.residentByteCount - Int(sqlite3_memory_used())
    }
}

extension SampleDocuments {
    /// The fields of a document as a node, the time as a number.
    fileprivate func node(_ number: Int) -> Node {
        let name = "A document with number \(number), which has a name of some length"
        return Node(ofFields: [
            "city": Node(.string(city(number))),
            "count": Node(.integer(Int64((number &* 48_271) % 1_000_003))),
            "name": Node(.string(name)),
            "note": Node(.string("revision 0: the quick brown fox jumps over the lazy dog")),
            "price": Node(.double(Double(number) / 7)),
            "seen": Node(.integer(1_700_000_000_000 + Int64(number))),
            "size": Node(.integer(Int64(number % 97))),
            "where": Node(ofFields: [
                "lat": Node(.double(Double(number % 180))),
                "lon": Node(.double(Double(number % 360))),
                "zone": Node(.string("zone-\(number % 12)")),
            ]),
        ])
    }
}

extension Node {
    fileprivate init(ofFields fields: KeyValuePairs<ChildKey, Node>) {
        self.init(children: fields.map { (key: $0.key, node: $0.value) })
    }
}
