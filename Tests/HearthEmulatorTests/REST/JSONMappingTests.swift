import HearthModel
import HearthProtocol
import HearthRPC
import HearthTestSupport
import Testing

@testable import HearthEmulator

struct JSONMappingTests {
    private func json(_ text: String) throws -> JSONValue { try JSONReader.read(Array(text.utf8)) }

    private func roundTrip(_ text: String, as message: String) throws -> String {
        let bytes = try JSONToProto.bytes(of: try json(text), as: message)
        return String(decoding: try ProtoToJSON.json(of: bytes, as: message), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"integerValue":"9223372036854775807"}"#), (#"{"integerValue":"-5"}"#),
        (#"{"doubleValue":1.5}"#), (#"{"doubleValue":"NaN"}"#), (#"{"doubleValue":"-Infinity"}"#),
        (#"{"nullValue":null}"#), (#"{"booleanValue":false}"#),
        (#"{"stringValue":"é\"\\\n\u0001"}"#),
        (#"{"bytesValue":"AAEC/w=="}"#), (#"{"timestampValue":"2024-01-02T03:04:05Z"}"#),
        (#"{"timestampValue":"0001-01-01T00:00:00.123456789Z"}"#), (#"{"arrayValue":{}}"#),
        (#"{"mapValue":{}}"#), (#"{"geoPointValue":{"latitude":1.0,"longitude":-2.5}}"#),
        (#"{"mapValue":{"fields":{"":{"arrayValue":{"values":[{"stringValue":""}]}}}}}"#),
    ])
    func `a value comes back as it was written`(text: String) throws {
        #expect(try roundTrip(text, as: "Value") == text)
    }

    @Test(arguments: [
        (#"{"integerValue":7}"#, #"{"integerValue":"7"}"#),
        (#"{"integer_value":"7"}"#, #"{"integerValue":"7"}"#),
        (#"{"integerValue":1e3}"#, #"{"integerValue":"1000"}"#),
        (#"{"doubleValue":2}"#, #"{"doubleValue":2.0}"#),
        (#"{"doubleValue":"2.5"}"#, #"{"doubleValue":2.5}"#),
        (#"{"bytesValue":"_-8"}"#, #"{"bytesValue":"/+8="}"#),
        (#"{"nullValue":"NULL_VALUE"}"#, #"{"nullValue":null}"#),
        (#"{"stringValue":null}"#, "{}"),
        (
            #"{"timestampValue":"2024-01-02T05:04:05.100+02:00"}"#,
            #"{"timestampValue":"2024-01-02T03:04:05.100Z"}"#
        ),
    ])
    func `other spellings are understood`(text: String, same: String) throws {
        #expect(try roundTrip(text, as: "Value") == same)
    }

    @Test(arguments: [
        ("Value", #"{"integerValue":"12x"}"#), ("Value", #"{"integerValue":1.5}"#),
        ("Value", #"{"integerValue":1,"stringValue":"a"}"#), ("Value", #"{"bytesValue":"***"}"#),
        ("Value", #"{"timestampValue":"2024-01-02"}"#), ("Value", #"{"stringValue":5}"#),
        ("Value", #"{"what":5}"#), ("Value", "[]"), ("Value", #"{"arrayValue":{"values":{}}}"#),
        ("CommitRequest", #"{"writes":{}}"#), ("StructuredQuery", #"{"limit":{"value":1}}"#),
        ("StructuredQuery", #"{"offset":3000000000}"#), ("FieldFilter", #"{"op":"WRONG"}"#),
        ("FieldFilter", #"{"op":77}"#), ("Precondition", #"{"exists":"perhaps"}"#),
    ])
    func `what is no such message is refused`(message: String, text: String) throws {
        let value = try json(text)
        let error = #expect(throws: HearthError.self) {
            try JSONToProto.bytes(of: value, as: message)
        }
        #expect(error == JSONToProto.invalid)
    }

    @Test func `every message that the table speaks of is in it`() {
        // Reading the table would stop the process otherwise.
        for method in FirestoreMethod.allCases where method.shape != .bidirectional {
            for name in ["\(method.rawValue)Request", "Document", "Empty"] {
                var waiting = [name]
                var seen: Set<String> = []
                while let name = waiting.popLast() {
                    guard seen.insert(name).inserted else { continue }
                    for field in ProtoSchema.named(name).fields {
                        switch field.kind {
                        case .message(let name): waiting.append(name)
                        case .choice(let name): #expect(!ProtoSchema.choice(name).isEmpty)
                        default: break
                        }
                    }
                }
            }
        }
    }

    /// Bytes from others: garbage is refused, and never stops the process.
    @Test func `no bytes and no text make it fail`() {
        var random = SeededGenerator(seed: 7)
        let alphabet = Array(#"{}[]":,0123456789.eE+-truefalsnValuemapArrayfields\ "#.utf8)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? ProtoToJSON.json(of: bytes, as: "RunQueryResponse")
            let text = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                alphabet[Int.random(in: alphabet.indices, using: &random)]
            }
            if let value = try? JSONReader.read(text) {
                _ = try? JSONToProto.bytes(of: value, as: "CommitRequest")
            }
            _ = try? RESTRoute(
                verb: "POST", target: try #require(HTTPTarget("/v1/projects/p")), body: text)
            _ = HTTPTarget("/" + String(decoding: bytes, as: UTF8.self))
        }
    }
}
