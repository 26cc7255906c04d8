import HearthModel
import HearthWire
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@testable import Hearth

struct FirestoreCodableTests {
    private enum Mood: String, Codable { case bright, dim }

    private struct Lamp: Codable, Equatable {
        var watts: Double
        var colours: [String]
    }

    private struct Room: Codable, Equatable {
        @DocumentID var id: String? = nil
        var name: String
        var lights: Int
        var small: UInt8 = 7
        var mood = Mood.dim
        var lamp: Lamp?
        var lamps: [String: Lamp] = [:]
        var note: String?
        @ExplicitNull var owner: String? = nil
        @ServerTimestamp var changed: Hearth.Timestamp? = nil
        var place = Hearth.GeoPoint(latitude: 1, longitude: -2)
        var shape = VectorValue([1, 2])
        var key: [UInt8] = [1, 255]
        var data = Data([3, 4])
        var built = Date(timeIntervalSince1970: 5)
        var next: DocumentReference?
    }

    private let firestore = Firestore(
        settings: FirestoreSettings(socketPath: "/nowhere", projectID: "p"))

    private struct Way: Codable, Equatable {
        var name: String
        var next: [DocumentReference]
    }

    @Test func `fields of no document are read, with the references among them`() throws {
        let hall = firestore.document("rooms/hall")
        let way = try Firestore.Decoder().decode(
            Way.self, from: ["name": "out", "next": [hall] as [Any]])
        #expect(way == Way(name: "out", next: [hall]))
        let plain = try Firestore.Decoder().decode(
            Lamp.self, from: ["watts": 3, "colours": ["red"]])
        #expect(plain == Lamp(watts: 3, colours: ["red"]))
        #expect(throws: DecodingError.self) {
            try Firestore.Decoder().decode(Room.self, from: ["name": "hall", "lights": 1])
        }
    }

    private func snapshot(_ fields: MapValue?) throws -> DocumentSnapshot {
        let key = try DocumentKey(parsing: "rooms/hall")
        let document = fields.map { fields in
            Document.found(
                key, at: SnapshotVersion(HearthModel.Timestamp(seconds: 1, nanoseconds: 0)),
                fields)
        }
        return DocumentSnapshot(
            reference: DocumentReference(firestore: firestore, key: key), document: document,
            isFromCache: false)
    }

    private func fields(_ data: [String: Any]) throws -> MapValue {
        guard case .set(let fields) = try UserData.set(data, at: DocumentKey(parsing: "a/b")).kind
        else { return .empty }
        return fields
    }

    private var room: Room {
        var room = Room(name: "Hall", lights: 3)
        room.lamp = Lamp(watts: 4.5, colours: ["red", "é"])
        room.lamps = ["left.right": Lamp(watts: 1, colours: [])]
        room.next = firestore.document("rooms/attic")
        return room
    }

    @Test func `a value becomes fields, and the fields the value again`() throws {
        let data = try Firestore.Encoder().encode(room)
        let mutation = try UserData.set(data, at: DocumentKey(parsing: "rooms/hall"))
        #expect(mutation.transforms.map(\.field) == [HearthModel.FieldPath(["changed"])])
        guard case .set(var written) = mutation.kind else { return }
        func value(_ name: String) -> Value? { written[HearthModel.FieldPath([name])] }
        #expect(value("id") == nil)
        #expect(value("note") == nil)
        #expect(value("owner") == .null)
        #expect(value("key") == .bytes([1, 255]))
        #expect(value("data") == .bytes([3, 4]))
        #expect(value("mood") == .string("dim"))
        #expect(value("small") == .integer(7))
        #expect(
            value("built")
                == .timestamp(HearthModel.Timestamp(seconds: 5, nanoseconds: 0)))
        #expect(value("shape") == .vector([1, 2]))
        let now = HearthModel.Timestamp(seconds: 9, nanoseconds: 1_000)
        written.set(HearthModel.FieldPath(["changed"]), to: .timestamp(now))
        let read = try snapshot(written).data(as: Room.self)
        var expected = room
        expected.id = "hall"
        expected.changed = Hearth.Timestamp(seconds: 9, nanoseconds: 1_000)
        #expect(read == expected)
    }

    @Test func `what is missing or null reads as nil where it may`() throws {
        struct Some: Codable, Equatable {
            @ExplicitNull var owner: String? = nil
            @ServerTimestamp var changed: Hearth.Timestamp? = nil
            var note: String?
        }
        #expect(try snapshot([:]).data(as: Some.self).owner == nil)
        let pending = Value.serverTimestamp(
            PendingServerTimestamp(
                localWriteTime: HearthModel.Timestamp(seconds: 4, nanoseconds: 0),
                previousValue: nil))
        let fields: MapValue = ["owner": .null, "note": .null, "changed": pending]
        #expect(try snapshot(fields).data(as: Some.self).changed == nil)
        #expect(
            try snapshot(fields).data(as: Some.self, with: .estimate).changed
                == Hearth.Timestamp(seconds: 4, nanoseconds: 0))
        #expect(try snapshot(nil).data(as: Some?.self) == nil)
        #expect(throws: FirestoreError.self) { try snapshot(nil).data(as: Some.self) }
    }

    @Test func `a field of another type is told with its place`() throws {
        let wrong: MapValue = ["watts": .string("x"), "colours": .array([])]
        do {
            _ = try snapshot(["lamp": .map(wrong), "name": .string("")])
                .data(as: [String: Lamp].self)
            Issue.record("It was read")
        } catch let DecodingError.typeMismatch(_, context) {
            #expect(context.codingPath.map(\.stringValue).first == "lamp")
        }
    }

    @Test func `a decoding error names document and field`() throws {
        func described(_ lamp: MapValue) throws -> String {
            do {
                _ = try snapshot(["lamp": .map(lamp)]).data(as: [String: Lamp].self)
                return "It was read"
            } catch let error as DecodingError {
                switch error {
                case .typeMismatch(_, let context), .keyNotFound(_, let context),
                    .valueNotFound(_, let context), .dataCorrupted(let context):
                    return context.debugDescription
                @unknown default:
                    return "\(error)"
                }
            }
        }
        let mismatch = try described(["watts": .string("x"), "colours": .array([])])
        #expect(mismatch.hasPrefix("rooms/hall, field lamp.watts: "))
        let element = try described(["watts": .integer(1), "colours": .array([.integer(1)])])
        #expect(element.hasPrefix("rooms/hall, field lamp.colours."))
        let missing = try described(["watts": .integer(1)])
        #expect(missing.hasPrefix("rooms/hall, field lamp.colours: "))
        let null = try described(["watts": .null, "colours": .array([])])
        #expect(null.hasPrefix("rooms/hall, field lamp.watts: "))
    }

    @Test func `numbers fit or are refused, never cut`() throws {
        struct Numbers: Codable { var n: Int8 }
        #expect(try snapshot(["n": .double(3)]).data(as: Numbers.self).n == 3)
        for value in [Value.integer(200), .double(3.5), .double(.nan), .boolean(true)] {
            #expect(throws: DecodingError.self) {
                try snapshot(["n": value]).data(as: Numbers.self)
            }
        }
    }

    @Test func `a single value is no document`() {
        #expect(throws: FirestoreError.self) { try Firestore.Encoder().encode(3) }
        #expect(throws: FirestoreError.self) { try Firestore.Encoder().encode([1, 2]) }
    }
}
