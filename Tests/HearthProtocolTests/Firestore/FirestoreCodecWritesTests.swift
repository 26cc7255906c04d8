import HearthModel
import HearthProtocol
import Testing

struct FirestoreCodecWritesTests {
    @Test(arguments: 0..<300 as Range<UInt64>)
    func `a random write survives its bytes`(seed: UInt64) throws {
        var random = Seeded(seed)
        let mutation = random.mutation()
        let bytes = try Samples.wire.mutationBytes(mutation)
        #expect(try Samples.wire.mutation(fromBytes: bytes) == mutation)
        // The slow road leads to the same place.
        #expect(bytes == FirestoreCodec.bytes(of: try Samples.wire.encode(mutation)))
        let proto = try FirestoreCodec.read(ProtoWrite.self, from: bytes)
        #expect(try Samples.wire.decode(proto) == mutation)
    }

    @Test func `writes survive one after the other`() throws {
        var random = Seeded(1)
        let mutations = (0..<20).map { _ in random.mutation() }
        let bytes = try Samples.wire.mutationBytes(mutations)
        let read = try bytes.withUnsafeBytes { try Samples.wire.mutations(fromBytes: $0) }
        #expect(read == mutations)
    }

    @Test func `a write that Google's library wrote is read, and written the same`() throws {
        let mutation = Mutation(
            key: try Samples.key("rooms/hall"),
            kind: .patch(
                ["n": .integer(1)], FieldMask([FieldPath(["n"]), FieldPath(["o", "p"])])),
            precondition: .exists(true),
            transforms: [
                FieldTransform(field: FieldPath(["t"]), operation: .serverTimestamp),
                FieldTransform(field: FieldPath(["i"]), operation: .increment(.double(0.5))),
                FieldTransform(field: FieldPath(["u"]), operation: .arrayUnion([.boolean(false)])),
            ])
        #expect(try Samples.wire.mutation(fromBytes: GoldenBytes.write) == mutation)
        #expect(try Samples.wire.mutationBytes(mutation) == GoldenBytes.write)
    }

    @Test func `a deletion that Google's library wrote is read, and written the same`() throws {
        let mutation = Mutation(
            key: try Samples.key("rooms/hall"), kind: .delete,
            precondition: .updateTime(Samples.version(5, 7)))
        #expect(try Samples.wire.mutation(fromBytes: GoldenBytes.delete) == mutation)
        #expect(try Samples.wire.mutationBytes(mutation) == GoldenBytes.delete)
    }

    /// A path's names make maps, so one of a hundred thousand would take as many steps down to apply.
    @Test(arguments: [32, 100_000])
    func `a transform that reaches deeper than values may lie is refused`(count: Int) throws {
        let operations: [FieldTransform.Operation] = [
            .serverTimestamp, .increment(.integer(1)), .arrayUnion([.map(["m": .null])]),
        ]
        for operation in operations {
            func write(_ count: Int) throws -> [UInt8] {
                let path = FieldPath([String](repeating: "x", count: count))
                return try Samples.wire.mutationBytes(
                    Mutation(
                        key: try Samples.key("a/b"), kind: .patch(.empty, .empty),
                        transforms: [FieldTransform(field: path, operation: operation)]))
            }
            _ = try Samples.wire.mutation(fromBytes: write(FirestoreCodec.nestingMax - 1))
            let bytes = try write(count)
            let proto = try FirestoreCodec.read(ProtoWrite.self, from: bytes)
            #expect(throws: CodecError.self) { try Samples.wire.mutation(fromBytes: bytes) }
            #expect(throws: CodecError.self) { try Samples.wire.decode(proto) }
        }
    }

    @Test func `a transform by itself is a patch of no field`() throws {
        var proto = ProtoWrite()
        proto.transform.document = Samples.wire.name(of: try Samples.key("a/b"))
        proto.transform.fieldTransforms = [.init()]
        proto.transform.fieldTransforms[0].fieldPath = "n"
        proto.transform.fieldTransforms[0].increment.integerValue = 1
        let mutation = try Samples.wire.decode(proto)
        #expect(mutation.kind == .patch(.empty, .empty))
        #expect(mutation.transforms.map(\.operation) == [.increment(.integer(1))])
        #expect(try Samples.wire.mutation(fromBytes: FirestoreCodec.bytes(of: proto)) == mutation)
    }

    @Test func `an empty mask is not the absence of a mask`() throws {
        let key = try Samples.key("a/b")
        for kind in [Mutation.Kind.set(.empty), .patch(.empty, .empty)] {
            let bytes = try Samples.wire.mutationBytes(Mutation(key: key, kind: kind))
            #expect(try Samples.wire.mutation(fromBytes: bytes).kind == kind)
        }
    }

    @Test func `a write without an operation is refused`() {
        #expect(throws: CodecError(.missing, at: "operation")) {
            try Samples.wire.decode(ProtoWrite())
        }
    }

    @Test func `only numbers can be added, and only the request's time is a server value`() throws {
        var proto = ProtoDocumentTransform.FieldTransform()
        proto.fieldPath = "n"
        proto.increment.stringValue = "1"
        #expect(throws: CodecError.self) { try Samples.wire.decode(proto) }
        proto.setToServerValue = .unspecified
        #expect(throws: CodecError.self) { try Samples.wire.decode(proto) }
        proto.transformType = nil
        #expect(throws: CodecError(.missing, at: "transform_type")) {
            try Samples.wire.decode(proto)
        }
    }

    @Test func `a result without a time happened when the commit did`() throws {
        let proto = try FirestoreCodec.read(ProtoWriteResponse.self, from: GoldenBytes.answer)
        let (committedAt, results) = try Samples.wire.decode(proto)
        #expect(committedAt == Samples.version(8))
        #expect(
            results == [
                Mutation.Result(version: Samples.version(6), transformResults: [.integer(2)]),
                Mutation.Result(version: Samples.version(8)),
            ])
    }

    @Test func `a result survives the wire`() throws {
        let result = Mutation.Result(
            version: Samples.version(3, 4), transformResults: [.null, .integer(5)])
        let proto = try Samples.wire.encode(result)
        #expect(try Samples.wire.decode(proto, committedAt: .zero) == result)
    }
}

extension Seeded {
    mutating func transform() -> FieldTransform {
        let operation: FieldTransform.Operation =
            switch int(0...5) {
            case 0: .serverTimestamp
            case 1: .increment(number())
            case 2: .maximum(number())
            case 3: .minimum(number())
            case 4: .arrayUnion(many(0...3) { $0.value(depth: 3) })
            default: .arrayRemove(many(0...3) { $0.value(depth: 3) })
            }
        return FieldTransform(field: field(), operation: operation)
    }

    mutating func mutation() -> Mutation {
        let kind: Mutation.Kind =
            switch int(0...3) {
            case 0: .set(fields())
            case 1: .patch(fields(), FieldMask(many(0...3) { $0.field() }))
            case 2: .delete
            default: .verify
            }
        return Mutation(
            key: key(), kind: kind,
            precondition: pick([.none, .exists(flag()), .updateTime(version())]),
            transforms: many(0...3) { $0.transform() })
    }
}
