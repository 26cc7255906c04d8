import HearthEngine
import HearthModel
import HearthProtocol
import HearthTestSupport
import Testing

@testable import HearthWire

struct InstanceCodecTests {
    private static let codec = InstanceSamples.codec

    @Test func `every request to an instance survives the way through a frame`() throws {
        for request in try InstanceSamples.requests() {
            let frame = try Self.codec.frame(of: request, number: 5)
            #expect(frame.request == 5)
            #expect(frame.kind == request.kind)
            #expect(try Self.codec.request(frame) == request)
        }
    }

    @Test func `every event about an instance survives the way through a frame`() throws {
        for event in try InstanceSamples.events() {
            let frames = try Self.codec.frames(of: event, number: 6)
            #expect(frames.map(\.request) == [6])
            #expect(frames.map(\.kind) == [event.kind])
            #expect(try frames.map(Self.codec.event) == [event])
        }
    }

    @Test func `no kind of the Realtime Database is a kind of Firestore's`() throws {
        let shared = Set(
            [.waitForPendingWrites, .waitForOwnWrites(last: .none), .withhold(isWithheld: true)]
                .map { Request.realtime($0).kind }
                + [Request.administration(.steerQueue(.retry)).kind])
        let ours = Set(try InstanceSamples.requests().map(\.kind)).subtracting(shared)
        #expect(ours == Set(32...40))
        let firestore = try Samples.requests().map(\.kind)
        #expect(ours.isDisjoint(with: firestore))
    }

    @Test func `a write that cannot be read says what is wrong with which place`() throws {
        func complaint(_ place: String, bytes: [UInt8]? = nil, json: String = "1") throws -> String
        {
            var write = ProtoWireNodeWrite()
            write.place = place
            write.json = json
            if let bytes { write.nodeBytes = bytes }
            var change = ProtoWireNodeChange()
            change.update.path = "/rooms"
            change.update.parts = [write]
            return "\(try #require(throws: CodecError.self) { try WireCodec.decode(change) })"
        }
        #expect(
            try complaint("hall", bytes: [5, 9])
                == "What is to be written at /rooms/hall is no value: "
                + "The bytes of the node end too early.")
        #expect(
            try complaint("hall", json: #"{"a.b":1}"#)
                == "What is to be written at /rooms/hall is no value: "
                + "\"a.b\" is no key: it holds one of . $ # [ ] / or a control character.")
        #expect(
            try complaint("a#b")
                == "The message is \"a#b\": \"a#b\" is no key: it holds one of . $ # [ ] / or a "
                + "control character.")
    }

    @Test func `a greeting names an instance by its address, by its name, or not at all`() throws {
        let instance = try #require(InstanceSamples.instance)
        let emulated = try #require(
            InstanceID(host: "localhost:9000", name: "demo", isSecure: false))
        for choice: Hello.Choice<InstanceID> in [
            .standard, .named("other-rtdb"), .exactly(instance), .exactly(emulated),
        ] {
            let hello = Request.session(
                .hello(Hello(client: .anonymous, program: "", database: .realtime(choice))))
            let frame = try WireCodec().frame(of: hello, number: 1)
            #expect(try WireCodec().request(frame) == hello)
        }
    }

    @Test func `an instance that cannot be is refused in the greeting`() throws {
        // Hello { version_min: 1, version_max: 1, service: REALTIME_DATABASE, instance: "a/b" }
        let body: [UInt8] = [8, 1, 16, 1, 72, 1, 82, 3] + "a/b".utf8
        let frame = Frame(
            kind: Request.session(.hello(Hello(client: .anonymous, program: ""))).kind,
            request: 1, body: body)
        #expect(throws: WireError.self) { try WireCodec().request(frame) }
    }

    @Test func `a request for the other kind of database is answered so, and not misread`() throws {
        let instance = try #require(Self.codec.key)
        let own = Set(
            [Request.realtime(.waitForPendingWrites), .realtime(.withhold(isWithheld: true))]
                .map(\.kind))
        for request in try Samples.requests() {
            guard case .firestore = request, !own.contains(request.kind) else { continue }
            let frame = try Samples.codec.frame(of: request, number: 1)
            #expect(throws: WireError.otherService(instance)) { try Self.codec.request(frame) }
        }
        for request in try InstanceSamples.requests() {
            guard case .realtime = request, !own.contains(request.kind) else { continue }
            let frame = try Self.codec.frame(of: request, number: 1)
            #expect(throws: WireError.otherService(.firestore(Samples.database))) {
                try Samples.codec.request(frame)
            }
            #expect(throws: WireError.noDatabaseYet) { try WireCodec().request(frame) }
        }
    }

    @Test func `a query of an instance is the same after the way through a frame`() throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<500 {
            let request = Request.realtime(
                .listen(ListenTarget("/a", Self.query(&random)), .observer))
            let frame = try Self.codec.frame(of: request, number: 1)
            #expect(try Self.codec.request(frame) == request)
        }
    }

    private static func query(_ random: inout SeededGenerator) -> QueryParameters {
        let indexes: [QueryIndex] = [.priority, .key, .value, .child("a"), .child("b/c")]
        let values: [LeafValue?] = [
            nil, .bool(false), .integer(.min), .double(0.25), .string("[MIN_NAME]"), .string(""),
        ]
        func bound() -> QueryParameters.Bound? {
            guard Bool.random(using: &random) else { return nil }
            let keys: [KeyBound?] = [nil, .least, .greatest, .key("k")]
            return QueryParameters.Bound(
                values.randomElement(using: &random) ?? nil,
                key: keys.randomElement(using: &random) ?? nil,
                isInclusive: Bool.random(using: &random))
        }
        return QueryParameters(
            index: indexes.randomElement(using: &random) ?? .key, start: bound(), end: bound(),
            limit: Bool.random(using: &random) ? .init(3, from: .last) : nil)
    }

    @Test(arguments: 0..<20)
    func `changed bytes of an instance's messages never crash the codec`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let requests = try InstanceSamples.requests().map {
            try Self.codec.frame(of: $0, number: 1)
        }
        let events = try InstanceSamples.events().map { try Self.codec.frame(of: $0) }
        for frame in requests + events where !frame.body.isEmpty {
            for _ in 0..<50 {
                var broken = frame
                broken.body = random.damaged(frame.body)
                Self.read(broken)
            }
        }
    }

    /// Reads a frame both ways; that it cannot be read is no fault. What is read can be written.
    private static func read(_ frame: Frame) {
        if let request = try? codec.request(frame) {
            let again = try? codec.frame(of: request, number: 1)
            #expect(again.flatMap { try? codec.request($0) } == request)
        }
        switch try? codec.event(frame) {
        case .viewNews(let part)?: _ = try? part.news(of: ListenTarget("/", .all))
        case .node(let part)?: _ = try? part.nodes.node()
        case .transaction(let part)?: _ = try? part.step()
        default: break
        }
    }
}

struct InstanceLimitsTests {
    private func refusal(_ change: RealtimeChange) throws -> StatusCode? {
        let request = Request.realtime(
            .write(.init(sequence: 1, answeredBelow: 1, change: change)))
        let frame = try InstanceSamples.codec.frame(of: request, number: 1)
        do throws(WireError) {
            _ = try InstanceSamples.codec.request(frame)
            return nil
        } catch {
            return error.hearthError.code
        }
    }

    private static let one = UnresolvedNode(Node(.integer(1)))

    private static func deep(_ count: Int) -> RealtimePath {
        RealtimePath((0..<count).map { ChildKey(unchecked: "k\($0)") })
    }

    @Test func `places that no update can name together are refused where they are read`() throws {
        let one = Self.one
        let wrong: [RealtimeChange] = [
            .update("/a", [.init("b", one), .init("b/c", one)]),
            .update("/a", [.init("b/c", one), .init("x", one), .init("b", one)]),
            .update("/a", [.init("b", one), .init("b/.priority", one)]),
            .update("/a", [.init("/", one)]), .update("/a", [.init("b", one), .init("b", one)]),
        ]
        for change in wrong {
            #expect(try refusal(change) == .invalidArgument, "\(change)")
        }
        let right: [RealtimeChange] = [
            .update("/a", [.init("b", one), .init("c/d", one), .init("/.priority", one)]),
            .update("/a", [.init("b/.priority", one), .init("b/c", one)]), .update("/a", []),
        ]
        for change in right { #expect(try refusal(change) == nil, "\(change)") }
    }

    @Test func `what is deeper than the service stores is refused where it is read`() throws {
        let most = RealtimePath.depthMax
        #expect(try refusal(.set(WritePath(Self.deep(most)), Self.one)) == nil)
        #expect(try refusal(.set(WritePath(Self.deep(most + 1)), Self.one)) == .invalidArgument)
        let nested = UnresolvedNode(Node.empty.setting(Self.deep(2), to: Node(.bool(true))))
        #expect(try refusal(.set(WritePath(Self.deep(most - 2)), nested)) == nil)
        #expect(try refusal(.set(WritePath(Self.deep(most - 1)), nested)) == .invalidArgument)
        let listen = Request.realtime(
            .listen(ListenTarget(Self.deep(most + 1), .all), .observer))
        let frame = try InstanceSamples.codec.frame(of: listen, number: 1)
        #expect(throws: WireError.self) { try InstanceSamples.codec.request(frame) }
    }

    @Test func `a priority that is none is refused where it is read`() throws {
        #expect(try refusal(.set("/a/.priority", UnresolvedNode(Node(.bool(true))))) != nil)
        let children = UnresolvedNode(try InstanceSamples.node())
        #expect(try refusal(.set("/a/.priority", children)) == .invalidArgument)
    }

    @Test func `a right is needed at every place that a request names`() throws {
        for request in try InstanceSamples.requests() {
            guard case .realtime(let asked) = request else { continue }
            let (needs, contents) = (request.traits.permission, request.traits.contents)
            switch asked {
            case .listen(let target, _), .get(let target, _):
                if target.path.isInfo {
                    #expect(needs == .anything(.read))
                } else {
                    #expect(needs == .contents)
                    #expect(contents == .subtree(target.path, [.read]))
                }
            case .write(let write):
                #expect(needs == .contents)
                #expect(contents == .change(write.change))
            case .runTransaction(let path, _):
                #expect(needs == .contents)
                #expect(contents == .subtree(path, [.read, .write]))
                #expect(!request.traits.isRepeatable)
            case .onDisconnect(.write(let change), _):
                #expect(needs == .contents)
                #expect(contents == .change(change))
            case .onDisconnect(.cancel(let path), _):
                #expect(needs == .contents)
                #expect(contents == .subtree(path, [.write]))
            case .propose:
                #expect(request.traits.numbering == .begun)
                #expect(!request.traits.isRepeatable)
            case .waitForPendingWrites, .waitForOwnWrites, .purgeOwnWrites:
                #expect(needs == .open)
            case .keep(.keep(let target)):
                #expect(needs == .contents)
                #expect(contents == .subtree(target.path, [.read]))
            case .withhold, .keep: #expect(needs == .anything(.read))
            }
        }
    }
}
