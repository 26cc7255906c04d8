import HearthModel
import HearthProtocol
import Testing

struct FirestoreCodecWatchTests {
    private static let two = WireTargetID(2)
    private static let four = WireTargetID(4)

    private static func golden() throws -> [([UInt8], WatchChange)] {
        let hall = try Samples.key("rooms/hall")
        let token = ResumeToken(Array("r2".utf8))
        return [
            (
                GoldenBytes.current,
                .target(
                    TargetWatchChange(
                        kind: .current, targets: [two, four], resumeToken: token,
                        readAt: Samples.version(9)))
            ),
            (
                GoldenBytes.refused,
                .target(
                    TargetWatchChange(
                        kind: .removed(HearthError(code: .permissionDenied, message: "no")),
                        targets: [two]))
            ),
            (
                GoldenBytes.change,
                .document(
                    DocumentWatchChange(
                        updated: [two], removed: [four], key: hall,
                        document: .found(hall, at: Samples.version(3), ["n": .integer(1)])))
            ),
            (
                GoldenBytes.deleted,
                .document(
                    DocumentWatchChange(
                        updated: [], removed: [two], key: hall,
                        document: .missing(hall, at: Samples.version(4))))
            ),
            (
                GoldenBytes.filter,
                .existenceFilter(
                    ExistenceFilter(
                        target: two, count: 1,
                        unchangedNames: BloomFilter(bitmap: [3, 0x80], padding: 3, hashCount: 5)))
            ),
        ]
    }

    @Test func `messages that Google's library wrote are read, and written the same`() throws {
        for (bytes, change) in try Self.golden() {
            let proto = try FirestoreCodec.read(ProtoListenResponse.self, from: bytes)
            #expect(try Samples.wire.decode(proto) == change)
            #expect(FirestoreCodec.bytes(of: try Samples.wire.encode(change)) == bytes)
        }
    }

    @Test func `a removal names the document and says nothing of it`() throws {
        let proto = try FirestoreCodec.read(ProtoListenResponse.self, from: GoldenBytes.removed)
        let change = WatchChange.document(
            DocumentWatchChange(
                updated: [], removed: [Self.two], key: try Samples.key("rooms/hall"),
                document: nil))
        #expect(try Samples.wire.decode(proto) == change)
        #expect(try Samples.wire.decode(try Samples.wire.encode(change)) == change)
    }

    @Test func `a message without a type is refused`() {
        #expect(throws: CodecError(.missing, at: "response_type")) {
            try Samples.wire.decode(ProtoListenResponse())
        }
    }

    @Test func `a document change needs an update time`() throws {
        var proto = try FirestoreCodec.read(ProtoListenResponse.self, from: GoldenBytes.change)
        proto.documentChange.document.clearUpdateTime()
        #expect(throws: CodecError.self) { try Samples.wire.decode(proto) }
    }

    @Test func `a Bloom filter that contradicts itself is as good as none`() throws {
        var proto = try FirestoreCodec.read(ProtoListenResponse.self, from: GoldenBytes.filter)
        proto.filter.unchangedNames.bits.padding = 9
        guard case .existenceFilter(let filter) = try Samples.wire.decode(proto) else {
            Issue.record("Not an existence filter")
            return
        }
        #expect(filter.unchangedNames == nil)
        #expect(filter.count == 1)
    }

    @Test func `a listen with token, count and label is written as Google's library does`() throws {
        var query = Query(path: try ResourcePath(parsing: "rooms"))
        query.limit = .init(2)
        let token = try #require(ResumeToken(Array("r1".utf8)))
        let request = ListenRequest(
            wireID: Self.four, target: query.target, resumePoint: .token(token), expectedCount: 3,
            purpose: .limboResolution)
        let proto = try Samples.wire.encode(request)
        #expect(FirestoreCodec.bytes(of: proto) == GoldenBytes.listen)
        #expect(try Samples.wire.decode(proto) == request)
    }

    @Test func `a listen without a label has none, and can resume by time`() throws {
        let request = ListenRequest(
            wireID: Self.two, target: Query(document: try Samples.key("a/b")).target,
            resumePoint: .readTime(Samples.version(7)))
        let proto = try Samples.wire.encode(request)
        #expect(proto.labels.isEmpty)
        #expect(try Samples.wire.decode(proto) == request)
    }

    @Test func `an unlisten names the target`() {
        let proto = Samples.wire.encodeUnlisten(Self.four)
        #expect(proto.removeTarget == 4)
        #expect(proto.database == Samples.database.name)
    }

    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a random target survives its bytes`(seed: UInt64) throws {
        var random = Seeded(seed)
        let target = random.target()
        let bytes = try Samples.local.targetBytes(target)
        #expect(try Samples.local.target(fromBytes: bytes) == target)
    }
}

extension Seeded {
    /// Comparisons only, as a target has them; several, or one OR: the forms that an SDK sends.
    mutating func target() -> Target {
        if flag() { return Query(document: key()).target }
        let comparisons: [FieldFilter.Operator] = [.lessThan, .equal, .notEqual, .isIn]
        var query =
            flag()
            ? Query(collectionGroup: segment(), below: flag() ? .root : key().path)
            : Query(path: key().path.appending(segment()))
        query.filters = many(0...2) { .field($0.field(), $0.pick(comparisons), $0.value(depth: 3)) }
        if flag() {
            query.filters = [
                .or(
                    query.filters + [
                        .field(field(), .equal, .null), .field(field(), .equal, .double(.nan)),
                    ])
            ]
        }
        query.explicitOrderBys = many(0...2) {
            OrderBy($0.field(), $0.flag() ? .ascending : .descending)
        }
        query.limit = maybe { .init($0.int(1...9), $0.flag() ? .first : .last) }
        query.startAt = maybe { $0.bound() }
        query.endAt = maybe { $0.bound() }
        return query.target
    }
}
