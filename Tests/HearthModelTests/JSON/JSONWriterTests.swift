import HearthModel
import Testing

struct JSONWriterTests {
    @Test(arguments: [
        ("", #""""#), ("plain", #""plain""#), ("\"", #""\"""#), ("\\", #""\\""#),
        ("\n", #""\u000a""#), ("\"a\\", #""\"a\\""#), ("a\u{0}\u{1F}b", #""a\u0000\u001fb""#),
        ("กข😀/\u{7F}", "\"กข😀/\u{7F}\""), ("é\"é\"", #""é\"é\"""#),
        (
            String(repeating: "long ", count: 20) + "\t",
            #""\#(String(repeating: "long ", count: 20))\u0009""#
        ),
    ])
    func `a text is written as it is, but for quotes, backslashes and control characters`(
        text: String, json: String
    ) throws {
        #expect(String(decoding: JSONWriter.bytes(of: .string(text)), as: UTF8.self) == json)
        #expect(try JSONReader.read(Array(json.utf8)) == .string(text))
    }
}
