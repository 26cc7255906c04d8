import Hearth
import HearthTestSupport
import Testing

@testable import HearthCLI

struct ValueWriterTests {
    @Test(arguments: [
        (ValueLiteral.double(1), "1.0", "1.0"),
        (.double(.nan), "NaN", "{\"$double\":\"NaN\"}"),
        (.integer(1), "1", "1"),
        (
            .string("a\"\u{1B}[1m\u{202E}"), "\"a\\\"\\u001b[1m\\u202e\"",
            "\"a\\\"\\u001b[1m\\u202e\""
        ),
        (.bytes([1, 2]), "bytes(AQI=)", "{\"$bytes\":\"AQI=\"}"),
        (.reference("a/b"), "ref(a/b)", "{\"$ref\":\"a/b\"}"),
        (.reference("a/b)"), "ref(\"a/b)\")", "{\"$ref\":\"a/b)\"}"),
        (.vector([1]), "vector(1.0)", "{\"$vector\":[1.0]}"),
        (
            .map([.init(name: "$a", value: .null)]), "{\"$map\": {\"$a\": null}}",
            "{\"$map\":{\"$a\":null}}"
        ),
        (.array([.integer(1), .null]), "[1, null]", "[1,null]"),
        (.order(.serverTimestamp), "serverTimestamp()", "{\"$serverTimestamp\":true}"),
        (.order(.increment(.double(2))), "increment(2.0)", "{\"$increment\":2.0}"),
    ])
    func `a value is printed for people and for programs`(
        value: ValueLiteral, text: String, json: String
    ) {
        #expect(ValueWriter.write(value, as: .text) == text)
        #expect(ValueWriter.write(value, as: .json) == json)
    }

    @Test(arguments: 0..<40)
    func `what is printed is read back the same`(seed: UInt64) throws {
        var values = RandomValues(seed: seed)
        for _ in 0..<50 {
            let value = values.next()
            for style in [ValueWriter.Style.text, .json] {
                let text = ValueWriter.write(value, as: style)
                let back = try ValueReader.read(text)
                // As text, since NaN equals nothing.
                #expect(ValueWriter.write(back, as: style) == text, "seed \(seed)")
                if !text.contains("NaN") { #expect(back == value, "seed \(seed)") }
            }
        }
    }

    @Test(arguments: 0..<40)
    func `a damaged text is refused or read, and never stops the program`(seed: UInt64) throws {
        var values = RandomValues(seed: seed)
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let text = ValueWriter.write(values.next(), as: .text)
            let bytes = random.damaged(Array(text.utf8))
            do throws(ValueSyntaxError) {
                let value = try ValueReader.read(bytes)
                _ = ValueWriter.write(value, as: .json)
            } catch {
                #expect(error.column >= 1)
            }
            _ = try? Assignment(parsing: String(decoding: bytes, as: UTF8.self))
            _ = try? Condition(parsing: String(decoding: bytes, as: UTF8.self))
            _ = try? Derivation(parsing: String(decoding: bytes, as: UTF8.self))
        }
    }
}
