public import Foundation
import HearthModel
import Testing

@testable public import Hearth

// Outside of this package Swift wants `@retroactive` here.
extension InputStream: ByteStream {}

/// Values of Foundation's classes, which the library does not link.
struct FoundationScalarTests {
    private func value(_ any: Any) throws -> Value { try UserData.encodeOperand(any) }

    @Test func `an NSNumber is what it was made of`() throws {
        #expect(try value(NSNumber(value: 3)) == .integer(3))
        #expect(try value(NSNumber(value: 1)) == .integer(1))
        #expect(try value(NSNumber(value: Int8(0))) == .integer(0))
        #expect(try value(NSNumber(value: Int64.min)) == .integer(.min))
        #expect(try value(NSNumber(value: true)) == .boolean(true))
        #expect(try value(NSNumber(value: false)) == .boolean(false))
        #expect(try value(NSNumber(value: 1.0)) == .double(1))
        #expect(try value(NSNumber(value: -2.5)) == .double(-2.5))
        #expect(try value(NSNumber(value: 1e300)) == .double(1e300))
        #expect(try value(NSNumber(value: Double.infinity)) == .double(.infinity))
        #expect(try value(NSNumber(value: Double.nan)) == .double(.nan))
    }

    @Test func `an NSNumber beyond Firestore's integers is refused`() {
        #expect {
            try value(NSNumber(value: UInt64.max))
        } throws: { ($0 as? FirestoreError)?.code == .invalidArgument }
    }

    @Test func `what JSONSerialization reads is written as the JSON says`() throws {
        let json = #"{"n":1,"f":1.5,"t":true,"z":null,"l":[0,{"x":false}],"s":"x"}"#
        let any = try JSONSerialization.jsonObject(with: Data(json.utf8))
        let data = try #require(any as? [String: Any])
        let expected: MapValue = [
            "n": .integer(1), "f": .double(1.5), "t": .boolean(true), "z": .null,
            "l": .array([.integer(0), .map(["x": .boolean(false)])]), "s": .string("x"),
        ]
        let key = try DocumentKey(parsing: "rooms/hall")
        #expect(try UserData.set(data, at: key).kind == .set(expected))
    }

    @Test func `a stream that Foundation could not make is refused, not opened`() throws {
        let url = try #require(URL(string: "http://127.0.0.1:1/bundle"))
        let stream = try #require(InputStream(url: url))
        #expect {
            try stream.bytes()
        } throws: { error in
            let error = error as? FirestoreError
            return error?.code == .invalidArgument
                && error?.message.contains("URLSession.data(from:)") == true
        }
        #expect(try InputStream(data: Data([1, 2])).bytes() == [1, 2])
    }
}
