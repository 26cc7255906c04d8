import HearthModel
import HearthTestSupport
import SwiftProtobuf
import Testing

@testable import HearthProtocol

/// The quick way of reading writes against the way that reads everything.
struct PlainWritesTests {
    private static let database = DatabaseID(project: "p", database: "d")

    private static func quick(_ bytes: [UInt8]) -> PlainWrites? {
        bytes.withUnsafeBytes { PlainWrites($0) }
    }

    private static func slow(_ bytes: [UInt8]) throws -> (DatabaseID, [Mutation]) {
        let request = try FirestoreCodec.read(ProtoCommitRequest.self, from: bytes)
        let reader = RequestReader(database: try NameReader.database(request.database))
        return (reader.database, try reader.writes(request.writes))
    }

    private static func entry(_ key: String, _ value: ProtoValue) -> ProtoFieldsEntry {
        var entry = ProtoFieldsEntry()
        entry.key = key
        entry.value = value
        return entry
    }

    private static func value(_ set: (inout ProtoValue) -> Void) -> ProtoValue {
        var value = ProtoValue()
        set(&value)
        return value
    }

    /// A set with every kind of value, a patch and a delete.
    private static var request: ProtoCommitRequest {
        var request = ProtoCommitRequest()
        request.database = database.name
        var set = ProtoWrite()
        set.update.name = "\(database.documentsName)/c/é"
        let inner = entry("é", value { $0.booleanValue = true })
        set.update.fields = [
            entry("z", value { $0.nullValue = .nullValue }),
            entry("b", value { $0.integerValue = -5 }), entry("c", value { $0.doubleValue = .nan }),
            entry("d", value { $0.stringValue = "ü\u{0}" }),
            entry("e", value { $0.bytesValue = ProtoBytes.makeData([0, 255]) }),
            entry("f", value { $0.referenceValue = "projects/q/databases/r/documents/x/y" }),
            entry("g", value { $0.geoPointValue.latitude = 1 }),
            entry(
                "h",
                value {
                    $0.timestampValue.seconds = -1
                    $0.timestampValue.nanos = 999_999_999
                }),
            entry(
                "i",
                value { $0.mapValue.fields = [inner, entry("", value { $0.mapValue = .init() })] }),
            entry("b", value { $0.arrayValue.values = [value { $0.stringValue = "" }] }),
        ]
        set.currentDocument.exists = false
        var patch = ProtoWrite()
        patch.update.name = "\(database.documentsName)/c/a/d/e"
        patch.update.fields = [inner]
        patch.updateMask.fieldPaths = ["a.b", "`é`"]
        patch.currentDocument.updateTime.seconds = 5
        var delete = ProtoWrite()
        delete.delete = "\(database.documentsName)/c/a"
        delete.currentDocument = .init()
        request.writes = [set, patch, delete]
        return request
    }

    @Test func `plain writes are read as the generated messages are`() throws {
        let bytes = FirestoreCodec.bytes(of: Self.request)
        let quick = try #require(Self.quick(bytes))
        let slow = try Self.slow(bytes)
        #expect(quick.database == slow.0)
        #expect(quick.mutations == slow.1)
        #expect(quick.mutations.count == 3)
    }

    /// The request without the fields that the backend would refuse, so that the fields are packed.
    private static var packable: ProtoCommitRequest {
        var request = request
        request.writes[0].update.fields.removeLast()
        request.writes[0].update.fields[7].value.timestampValue.nanos = 999_999_000
        request.writes[0].update.fields[8].value.mapValue.fields.removeLast()
        return request
    }

    @Test func `fields that keep the rules are packed, but for the values of a mask`() throws {
        let quick = try #require(Self.quick(FirestoreCodec.bytes(of: Self.packable)))
        guard case .set(let fields) = quick.mutations[0].kind,
            case .patch(let values, _) = quick.mutations[1].kind
        else {
            Issue.record("\(quick.mutations)")
            return
        }
        #expect(fields.packedFields != nil)
        #expect(values.packedFields == nil)
        #expect(quick.mutations == (try Self.slow(FirestoreCodec.bytes(of: Self.packable)).1))
    }

    @Test func `what is unusual or wrong is left to them`() {
        let changes: [(inout ProtoCommitRequest) -> Void] = [
            { $0.transaction = ProtoBytes.makeData([1]) }, { $0.database = "x" },
            { $0.writes[0] = .init() },
            { $0.writes[0].verify = $0.writes[2].delete },
            { $0.writes[0].transform.document = $0.writes[2].delete },
            { $0.writes[0].updateTransforms = [.init()] }, { $0.writes[0].update.name = "c/a" },
            { $0.writes[0].update.name = "\(Self.database.documentsName)/c" },
            { $0.writes[0].update.name = "\(Self.database.documentsName)//c/a" },
            { $0.writes[0].update.name = "\(Self.database.documentsName)/c/a/" },
            { $0.writes[0].update.fields[0].value = .init() },
            { $0.writes[1].updateMask.fieldPaths = ["1a"] }, { $0.writes[2].updateMask = .init() },
            { $0.writes[0].update.fields[7].value.timestampValue.nanos = -1 },
            { $0.writes[0].update.fields[5].value.referenceValue = "x" },
            { $0.writes[0].update.createTime = .init() },
        ]
        for (index, change) in changes.enumerated() {
            var request = Self.request
            change(&request)
            let bytes = FirestoreCodec.bytes(of: request)
            #expect(Self.quick(bytes) == nil, "change \(index)")
        }
        var deep = Self.value { $0.booleanValue = true }
        for _ in 0..<21 {
            let inner = deep
            deep = Self.value { $0.mapValue.fields = [Self.entry("m", inner)] }
        }
        var request = Self.request
        request.writes[0].update.fields[0].value = deep
        #expect(Self.quick(FirestoreCodec.bytes(of: request)) == nil)
    }

    /// Bytes from others: the reader stops, and takes only bytes that the generated messages take,
    /// with the same meaning.
    @Test(arguments: [false, true])
    func `no bytes are read otherwise than by the generated messages`(isPackable: Bool) throws {
        let whole = FirestoreCodec.bytes(of: isPackable ? Self.packable : Self.request)
        var random = SeededGenerator(seed: 0xBEEF)
        var taken = 0
        for _ in 0..<30_000 {
            let bytes = random.damaged(whole)
            guard let quick = Self.quick(bytes) else { continue }
            taken += 1
            let slow = try Self.slow(bytes)
            #expect(quick.database == slow.0)
            #expect(quick.mutations == slow.1)
        }
        #expect(taken > 400)
    }
}
