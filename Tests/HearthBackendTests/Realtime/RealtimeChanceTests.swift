import HearthModel
import Testing

@testable import HearthBackend

/// After any writes in any order, each client holds the data that its listens would find.
struct RealtimeChanceTests {
    @Test(arguments: 0..<40) func `clients that follow what they are told hold what is there`(
        seed: UInt64
    ) {
        var world = RealtimeWorld(seed: seed)
        for step in 0..<250 {
            world.step()
            let fault = world.fault()
            #expect(fault == nil, "seed \(seed), step \(step): \(fault ?? "")")
            if fault != nil { return }
        }
        #expect(world.heardCount > 100, "seed \(seed): hardly anything was told")
    }
}

/// A backend, some clients that believe the backend's messages, and a plain tree that is always
/// right.
struct RealtimeWorld {
    private struct ListenKey: Hashable {
        let connection: Int
        let path: RealtimePath
        let query: QueryParameters
        let tag: Int?
    }

    private static let clientCount = 4
    private var spec: RealtimeSpec
    private var chance: Lottery
    private var truth = FlatTree()
    private var saved = FlatTree()
    private var held: [ListenKey: FlatTree] = [:]
    private var left: [Int: [(RealtimePath?, [(WritePath, String)])]] = [:]
    private var connections: [Int]
    private var lastConnection = clientCount
    private var lastTag = 0
    private(set) var heardCount = 0

    init(seed: UInt64) {
        chance = Lottery(seed: seed &* 7_919 &+ 1)
        spec = RealtimeSpec(connections: Self.clientCount)
        connections = Array(1...Self.clientCount)
    }

    mutating func step() {
        let client = chance.pick(connections)
        switch chance.number(below: 20) {
        case 0...3: listen(client)
        case 4: unlisten()
        case 5: leave(client)
        case 6: disconnect(client)
        case 7...11: merge(client)
        default: put(client)
        }
    }

    /// What is not as it should be.
    func fault() -> String? {
        let tree = FlatTree(spec.backend.root(of: RealtimeSpec.namespace))
        if tree != truth { return "the tree is \(tree), and should be \(truth)" }
        if saved != truth { return "what was saved is \(saved), and should be \(truth)" }
        for (key, mirror) in held {
            let part = truth.part(at: key.path)
            let right = key.tag == nil ? part : part.found(by: key.query)
            if mirror != right { return "\(key) holds \(mirror), and should hold \(right)" }
        }
        return nil
    }

    private mutating func listen(_ client: Int) {
        let path = self.path(depthMax: 2)
        var key = ListenKey(connection: client, path: path, query: .all, tag: nil)
        if chance.number(below: 3) > 0 {
            lastTag += 1
            key = ListenKey(connection: client, path: path, query: query(), tag: lastTag)
        }
        held[key] = held[key] ?? FlatTree()
        take(.listen(RealtimeListen(path, key.query, tag: key.tag, hash: "")), client)
    }

    private mutating func unlisten() {
        let known = held.keys.sorted { ($0.connection, $0.tag ?? 0) < ($1.connection, $1.tag ?? 0) }
        guard !known.isEmpty else { return }
        let key = chance.pick(known)
        held[key] = nil
        take(.unlisten(key.path, key.query, tag: key.tag), key.connection)
    }

    private mutating func put(_ client: Int) {
        let place = self.place()
        let json = self.json(isPriority: place.isPriority)
        truth.put(place, node(json))
        take(.put(place, written(json), hash: nil), client)
    }

    private mutating func merge(_ client: Int) {
        let (base, parts) = update()
        write(parts, below: base)
        take(.merge(base, parts.map { .init($0.0, written($0.1)) }), client)
    }

    /// Priorities come last, when what they belong to is there.
    private mutating func write(_ parts: [(WritePath, String)], below base: RealtimePath) {
        for (place, json) in parts where !place.isPriority {
            truth.put(place.below(base), node(json))
        }
        for (place, json) in parts where place.isPriority {
            truth.put(place.below(base), node(json))
        }
    }

    private mutating func leave(_ client: Int) {
        if chance.number(below: 2) == 0 {
            let place = self.place()
            let json = self.json(isPriority: place.isPriority)
            left[client, default: []].append((nil, [(place, json)]))
            take(.onDisconnectPut(place, written(json)), client)
        } else {
            let (base, parts) = update()
            left[client, default: []].append((base, parts))
            take(.onDisconnectMerge(base, parts.map { .init($0.0, written($0.1)) }), client)
        }
    }

    private mutating func disconnect(_ client: Int) {
        held = held.filter { $0.key.connection != client }
        connections.removeAll { $0 == client }
        lastConnection += 1
        connections.append(lastConnection)
        for (base, parts) in left.removeValue(forKey: client) ?? [] {
            write(parts, below: base ?? .root)
        }
        spec.backend.disconnect(.init(UInt64(client)), at: spec.now)
        follow()
        spec.backend.connect(.init(UInt64(lastConnection)), to: RealtimeSpec.namespace)
    }

    private mutating func take(_ request: RealtimeAction, _ client: Int) {
        _ = spec.backend.take(request, from: .init(UInt64(client)), at: spec.now)
        follow()
    }

    private mutating func follow() {
        for effect in spec.backend.takeEffects() {
            switch effect {
            case .save(_, .node(let place, let node)): saved.put(place, node)
            case .push(let change, let listeners):
                for listener in listeners { hear(change, listener) }
            case .save, .revoke: break
            }
        }
    }

    private mutating func hear(_ change: PushedChange, _ listener: RealtimeListener) {
        heardCount += 1
        let client = Int(listener.connection.rawValue)
        let parts: [(WritePath, Node)] =
            switch change {
            case .overwrite(let place, let node): [(place, node)]
            case .merge(let path, let children): children.map { ($0.place.below(path), $0.node) }
            case .ranges: []
            }
        for key in held.keys where key.connection == client && key.tag == listener.tag {
            for (place, node) in parts {
                if key.path.contains(place.path) {
                    held[key]?.put(place.dropFirst(key.path.depth), node)
                } else if !place.isPriority, let below = place.path.relative(key.path) {
                    held[key]?.put(WritePath(.root), node.node(at: below))
                }
            }
        }
    }
}

/// What chance asks for.
extension RealtimeWorld {
    private mutating func path(depthMax: Int) -> RealtimePath {
        let depth = chance.number(below: depthMax + 1)
        return RealtimePath(
            (0..<depth).map { _ in ChildKey(unchecked: chance.pick(["a", "b", "c", "d", "e"])) })
    }

    private mutating func place() -> WritePath {
        WritePath(path(depthMax: 4), isPriority: chance.number(below: 8) == 0)
    }

    private mutating func update() -> (RealtimePath, [(WritePath, String)]) {
        let base = path(depthMax: 2)
        var parts: [(WritePath, String)] = []
        for _ in 0..<chance.number(below: 5) {
            let place = WritePath(
                path(depthMax: 1).appending(
                    ChildKey(unchecked: chance.pick(["a", "b", "c", "d"]))),
                isPriority: chance.number(below: 8) == 0)
            if parts.contains(where: { $0.0.covers(place) || place.covers($0.0) }) { continue }
            parts.append((place, json(isPriority: place.isPriority)))
        }
        return (base, parts)
    }

    private mutating func json(isPriority: Bool) -> String {
        let leaf = "\(chance.number(below: 6))"
        if isPriority { return chance.pick([leaf, leaf, "null"]) }
        switch chance.number(below: 6) {
        case 0: return "null"
        case 1: return leaf
        case 2: return #"{".value":\#(leaf),".priority":\#(chance.number(below: 4))}"#
        case 3: return #"{"n":\#(leaf),".priority":\#(chance.number(below: 4))}"#
        case 4: return #"{"a":{"n":\#(leaf)},"b":\#(leaf),"e":{"n":3,"c":1}}"#
        default: return #"{"n":\#(leaf)}"#
        }
    }

    private mutating func query() -> QueryParameters {
        var query = QueryParameters(
            index: chance.pick([.key, .priority, .value, .child("n"), .child("n")]))
        let isByKey = query.index == .key
        func bound(_ number: Int) -> LeafValue {
            isByKey ? .string(["a", "b", "c", "d", "n", "z"][number]) : .integer(Int64(number))
        }
        if chance.number(below: 3) == 0 {
            query.start = .init(
                bound(chance.number(below: 6)), isInclusive: chance.number(below: 2) == 0)
        }
        if chance.number(below: 3) == 0 {
            query.end = .init(
                bound(chance.number(below: 6)), isInclusive: chance.number(below: 2) == 0)
        }
        if query.isComplete || chance.number(below: 2) == 0 {
            query.limit = .init(1 + chance.number(below: 3), from: chance.pick([.first, .last]))
        }
        return query
    }
}
