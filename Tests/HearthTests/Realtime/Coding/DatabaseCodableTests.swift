import Foundation
import HearthModel
import Testing

@testable import Hearth

struct DatabaseCodableTests {
    private struct Room: Codable, Equatable {
        var name: String
        var lights: Int?
        var size: Double
        var tags: [String]
        var doors: [String: Bool]
    }

    private struct Stamped: Codable {
        @Hearth.ServerTimestamp var at: Date?
        @Hearth.ServerTimestamp var exact: Hearth.Timestamp?
        var born: Date
        var bytes: Data
    }

    private let ref = Database(settings: DatabaseSettings(socketPath: "/nowhere"))
        .reference(withPath: "rooms/hall")

    private func json(
        _ value: some Encodable, by encoder: Database.Encoder = Database.Encoder()
    ) throws -> String {
        let node = try UserNode.read(try encoder.encode(value), at: .root)
        return String(decoding: node.exportJSON, as: UTF8.self)
    }

    private func snapshot(_ json: String) throws -> DataSnapshot {
        DataSnapshot(ref, try Node(json: json))
    }

    @Test func `a value of a type is written and read back`() throws {
        let room = Room(name: "Hall", lights: nil, size: 2, tags: ["a", "b"], doors: ["1": true])
        let text = try json(room)
        #expect(text == #"{"doors":{"1":true},"name":"Hall","size":2,"tags":{"0":"a","1":"b"}}"#)
        #expect(try snapshot(text).data(as: Room.self) == room)
        #expect(
            try Database.Decoder().decode(Room.self, from: Database.Encoder().encode(room)) == room)
        #expect(try snapshot("3").data(as: Int.self) == 3)
        #expect(try snapshot("3").data(as: Double.self) == 3)
    }

    @Test func `children with numbers for keys are an array or a dictionary, as the type wants`()
        throws
    {
        let snapshot = try snapshot(#"{"0":"a","1":"b"}"#)
        #expect(try snapshot.data(as: [String].self) == ["a", "b"])
        #expect(try snapshot.data(as: [String: String].self) == ["0": "a", "1": "b"])
        let sparse = try self.snapshot(#"{"0":"a","2":"c"}"#)
        #expect(try sparse.data(as: [String?].self) == ["a", nil, "c"])
        #expect(try sparse.data(as: [String: String].self) == ["0": "a", "2": "c"])
    }

    @Test func `the server's times are milliseconds, and are left to the server if they are nil`()
        throws
    {
        let born = Date(timeIntervalSinceReferenceDate: 5)
        let open = Stamped(at: nil, exact: nil, born: born, bytes: Data([1]))
        #expect(
            try json(open)
                == #"{"at":{".sv":"timestamp"},"born":5,"bytes":"AQ==","exact":{".sv":"timestamp"}}"#
        )
        let time = Date(timeIntervalSince1970: 1.5)
        let set = Stamped(at: time, exact: Hearth.Timestamp(date: time), born: born, bytes: Data())
        let text = try json(set)
        #expect(text == #"{"at":1500,"born":5,"bytes":"","exact":1500}"#)
        let read = try snapshot(text).data(as: Stamped.self)
        #expect(read.at == time && read.exact?.dateValue() == time && read.born == born)
        #expect(try snapshot(#"{"born":5,"bytes":""}"#).data(as: Stamped.self).at == nil)
    }

    @Test func `dates and keys follow the strategies`() throws {
        struct Visit: Codable, Equatable { var lastSeen: Date }
        let encoder = Database.Encoder()
        encoder.dateEncodingStrategy = .timestamp
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let visit = Visit(lastSeen: Date(timeIntervalSince1970: 2))
        #expect(try json(visit, by: encoder) == #"{"last_seen":2000}"#)
        let decoder = Database.Decoder()
        decoder.dateDecodingStrategy = .timestamp
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        #expect(
            try snapshot(#"{"last_seen":2000}"#).data(as: Visit.self, decoder: decoder) == visit)
        #expect(throws: EncodingError.self) { try json([Double.nan]) }
    }

    @Test func `what does not fit the type is an error that names the place`() throws {
        let error = #expect(throws: DecodingError.self) {
            try snapshot(#"{"name":1}"#).data(as: Room.self)
        }
        guard case .typeMismatch(_, let context)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(context.debugDescription.hasPrefix("/rooms/hall, field name: "))
        #expect(try snapshot("null").data(as: Room?.self) == nil)
        let missing = #expect(throws: DatabaseError.self) {
            try snapshot("null").data(as: Room.self)
        }
        #expect(missing?.code == .notFound)
    }

    @Test func `values of types are written by every form`() async throws {
        let server = try TreeDaemon()
        let ref = server.daemon.realtime().reference()
        try await ref.child("a").setValue(from: ["n": 1])
        let (told, continuation) = AsyncStream.makeStream(of: Bool.self)
        try ref.child("b").setValue(from: [2]) { continuation.yield($0 == nil) }
        var iterator = told.makeAsyncIterator()
        #expect(await iterator.next() == true)
        #expect(server.tree == (try Node(json: #"{"a":{"n":1},"b":{"0":2}}"#)))
    }
}
