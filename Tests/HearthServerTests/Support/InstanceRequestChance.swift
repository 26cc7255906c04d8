import HearthEngine
import HearthModel
import HearthRealtime
import HearthWire

// The fuzz target compiles this file together with parts of the module, see Scripts/fuzz.
#if canImport(HearthTestSupport)
    import HearthTestSupport
#endif

/// Steps by chance: requests of every kind to an instance of the Realtime Database, and what a service
/// says to them.
struct InstanceRequestChance {
    private var chance: RequestChance
    private static let codec = WireCodec(.realtime(InstanceRequestBench.instance))
    private static let paths: [RealtimePath] = [
        .root, "a", "a/b", "a/b/c", "list", "fences", .info, ".info/connected",
    ]
    private static let places = [
        "/", "/a", "/a/b", "/a/.priority", "/list/0", "/list/1", "/fences/x",
    ].compactMap { WritePath($0) }
    private static let relativePlaces = ["x", "y/z", "b", "/.priority"].compactMap { WritePath($0) }
    /// Nodes as clients and services write them. Not all of them can be read.
    private static let texts = [
        "null", "1", "-0.0", "9007199254740993", "1e400", "true", #""text""#, #""\ud83d""#, "{}",
        #"{"b":{"c":1},"é":[1,null,2]}"#, #"{".value":3,".priority":"p"}"#, #"{"0":1,"1":2}"#,
        #"{".sv":"timestamp"}"#, #"{".sv":{"increment":9223372036854775807}}"#,
        #"{"n":{".sv":{"increment":0.5}},".priority":2}"#, #"{"a":{"a":{"a":{"a":{"a":7}}}}}"#,
        #"{".priority":{"x":1}}"#, #"{"b/c":1}"#,
    ]
    private static let nodes: [UnresolvedNode] = texts.compactMap {
        try? NodeReader.read(Array($0.utf8), from: .client)
    }
    private static let queries: [QueryParameters] = [
        .all, .all, QueryParameters(index: .key), QueryParameters(index: .value),
        QueryParameters(index: .child("n"), limit: .init(2, from: .last)),
        QueryParameters(index: .key, start: .init(.string("b")), limit: .init(1, from: .first)),
        QueryParameters(start: .init(nil), end: .init(.bool(true))),
    ]

    init(seed: UInt64) {
        chance = RequestChance(seed: seed)
    }

    // MARK: Steps

    /// Changes an input: mostly one field of a step, otherwise the list of steps.
    mutating func mutate(_ steps: inout [RequestStep]) {
        for _ in 0...chance.number(below: 3) {
            let choice = chance.number(below: 12)
            if steps.isEmpty || choice < 6 {
                steps.insert(step(), at: chance.number(below: steps.count + 1))
                continue
            }
            let index = chance.number(below: steps.count)
            switch choice {
            case 6: steps.remove(at: index)
            case 7: steps.append(steps[index])
            case 8: steps[index].number = UInt8(chance.number(below: 256))
            case 9: steps.swapAt(index, chance.number(below: steps.count))
            default:
                let body = steps[index].body
                steps[index].body =
                    steps[index].kindByte < RequestStep.firstOther
                    ? ProtoMutation.mutated(body, &chance) : chance.random.damaged(body)
            }
        }
    }

    private mutating func step() -> RequestStep {
        let number = UInt8(2 + chance.number(below: 20))
        switch chance.number(below: 12) {
        case 0, 1, 2: return RequestStep(kindByte: 200, number: number, body: message())
        case 3, 4: return RequestStep(kindByte: 201, number: 0, body: [])
        case 5:
            let kind = RequestStep.firstOther + UInt8(2 + chance.number(below: 4))
            return RequestStep(kindByte: kind, number: number, body: message())
        default:
            guard let frame = try? Self.codec.frame(of: request(), number: 1) else {
                return RequestStep(kindByte: 2, number: number, body: [])
            }
            return RequestStep(kindByte: frame.kind, number: number, body: frame.body)
        }
    }

    // MARK: Requests

    private mutating func path() -> RealtimePath { chance.one(of: Self.paths) }

    private mutating func target() -> ListenTarget {
        ListenTarget(path(), chance.one(of: Self.queries))
    }

    private mutating func node() -> UnresolvedNode { chance.one(of: Self.nodes) }

    private mutating func change() -> RealtimeChange {
        guard chance.once(in: 3) else { return .set(chance.one(of: Self.places), node()) }
        let names = Self.relativePlaces
        let parts = (0..<chance.number(below: 3)).map { index in
            RealtimeChange.Part(names[(index + chance.number(below: 2)) % names.count], node())
        }
        return .update(path(), parts)
    }

    private mutating func batches() -> [BatchID] {
        (0..<chance.number(below: 3)).map { _ in BatchID(Int64(chance.number(below: 12))) }
    }

    private mutating func order() -> QueueOrder<RealtimeChange> {
        let ids = batches()
        let one = BatchID(Int64(chance.number(below: 12)))
        return switch chance.number(below: 9) {
        case 0: .hold(ids)
        case 1: .release(ids)
        case 2: .cancel(ids)
        case 3: .drop(ids)
        case 4: .edit(one, change())
        case 5: .retry
        case 6: .retryDeadLetters(ids, evenIfApplied: chance.once(in: 2))
        case 7: .editDeadLetter(one, change(), evenIfApplied: chance.once(in: 2))
        default: .dropDeadLetters(ids)
        }
    }

    private mutating func request() -> Request {
        switch chance.number(below: 22) {
        case 0, 1, 2: return .realtime(.listen(target(), chance.one(of: [.observer, .silent])))
        case 3: return .session(.unlisten)
        case 4: return .realtime(.get(target(), chance.one(of: [.any, .server, .cache])))
        case 5, 6, 7, 8:
            return .realtime(
                .write(
                    .init(
                        sequence: UInt64(chance.number(below: 9)),
                        answeredBelow: UInt64(chance.number(below: 3)), change: change())))
        case 9:
            let last = BatchID(Int64(chance.number(below: 12)))
            return .realtime(
                chance.once(in: 2) ? .waitForPendingWrites : .waitForOwnWrites(last: last))
        case 10: return .realtime(.purgeOwnWrites)
        case 11, 12, 13:
            return .realtime(.runTransaction(path(), showsEstimate: chance.once(in: 2)))
        case 14, 15:
            let round = chance.number(below: 4)
            return .realtime(.propose(chance.once(in: 5) ? nil : node(), round: round))
        case 16, 17:
            let scope = chance.one(of: OnDisconnectScope.allCases)
            return .realtime(
                .onDisconnect(chance.once(in: 4) ? .cancel(path()) : .write(change()), scope))
        case 18: return .realtime(.withhold(isWithheld: chance.once(in: 2)))
        case 19: return .realtime(.keep(chance.once(in: 2) ? .tell : .keep(target())))
        case 20: return .administration(.steerRealtimeQueue(order()))
        default:
            return chance.once(in: 4)
                ? .administration(.clearPersistence)
                : .administration(.setNetwork(isEnabled: !chance.once(in: 4)))
        }
    }

    // MARK: The service

    private mutating func message() -> [UInt8] {
        let place = chance.one(of: [
            "", "a", "/a/b", "a/b/c", "list", "x//y", "a/.priority", ".info",
        ])
        let node = chance.one(of: Self.texts)
        let tag = chance.once(in: 3) ? #","t":\#(chance.number(below: 4))"# : ""
        let status = chance.one(of: [
            "ok", "ok", "permission_denied", "datastale", "unavailable", "too_big", "failure", "?",
        ])
        let text =
            switch chance.number(below: 8) {
            case 0, 1: #"{"t":"d","d":{"a":"d","b":{"p":"\#(place)","d":\#(node)\#(tag)}}}"#
            case 2:
                #"{"t":"d","d":{"a":"m","b":{"p":"\#(place)","d":{"b":\#(node),"c/d":1}\#(tag)}}}"#
            case 3:
                #"{"t":"d","d":{"a":"rm","b":{"p":"\#(place)","d":[{"s":"a","m":\#(node)}]\#(tag)}}}"#
            case 4: #"{"t":"d","d":{"a":"c","b":{"p":"\#(place)","q":[{"l":2,"vf":"r","i":"n"}]}}}"#
            default: #"{"t":"d","d":{"r":1,"b":{"s":"\#(status)","d":\#(node)}}}"#
            }
        let bytes = Array(text.utf8)
        return chance.once(in: 6) ? chance.random.damaged(bytes) : bytes
    }
}
