import HearthTestSupport
import Testing

@testable import HearthEmulator

struct WebChannelFormTests {
    private func form(_ text: String) throws(WebChannelForm.Fault) -> WebChannelForm {
        try WebChannelForm(Array(text.utf8))
    }

    @Test func `maps come in the order of their numbers`() throws {
        let form = try form("count=2&ofs=7&req1___data__=%7B%22b%22%3A1%7D&req0___data__=a+b%26%3D")
        #expect(form.offset == 7)
        #expect(form.maps == ["a b&=", #"{"b":1}"#])
        #expect(form.headers.isEmpty)
    }

    @Test func `headers come as lines, and a name counts in whatever letters`() throws {
        let form = try form(
            "headers=X-A%3A1%0D%0Aauthorization%3A+Bearer+owner%0D%0A&count=0")
        #expect(WebChannelForm.header("Authorization", in: form.headers) == "Bearer owner")
        #expect(WebChannelForm.header("x-a", in: form.headers) == "1")
        #expect(WebChannelForm.header("x-b", in: form.headers) == nil)
    }

    @Test func `a body without anything has no maps and no offset`() throws {
        let form = try form("")
        #expect(form.maps.isEmpty)
        #expect(form.offset == nil)
    }

    @Test(arguments: [
        "count=2&req0___data__=a", "count=1", "count=1&req1___data__=a",
        "req0___data__=a&req2___data__=b", "count=1&req0___data__=a&req00___data__=b",
    ])
    func `maps that are missing or too many are refused`(body: String) {
        #expect(throws: WebChannelForm.Fault.self) { try form(body) }
    }

    @Test(arguments: ["count=x", "count=-1", "ofs=1.5", "ofs=99999999999999999999"])
    func `a number that is none is refused`(body: String) {
        #expect(throws: WebChannelForm.Fault.self) { try form(body) }
    }

    @Test(arguments: ["req0___data__=%", "req0___data__=%4", "%zz=1", "req0___data__=%FF"])
    func `what cannot be decoded is refused`(body: String) {
        #expect(throws: WebChannelForm.Fault.unreadable) { try form(body) }
    }

    @Test func `whatever is posted is a form or is refused, and what was a form stays one`() throws
    {
        var random = SeededGenerator(seed: 20_260_801)
        let pieces = [
            "count", "ofs", "headers", "req", "___data__", "0", "1", "2", "=", "&", "%", "%7B",
            "%e2%82",
            "%ac", "+", "é", "\0", "99999999999999999999", "-1",
        ]
        var formCount = 0
        for _ in 0..<20_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                text += pieces.randomElement(using: &random) ?? ""
            }
            guard let form = try? form(text) else { continue }
            formCount += 1
            let again = try self.form(Self.text(of: form))
            #expect(again.maps == form.maps)
            #expect(again.offset == form.offset)
            #expect(again.headers == form.headers)
        }
        #expect(formCount > 1_000)
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<64, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
            _ = try? WebChannelForm(bytes)
        }
    }

    /// A form as a browser writes it.
    private static func text(of form: WebChannelForm) -> String {
        var parts = ["headers=\(percent(form.headers))", "count=\(form.maps.count)"]
        if let offset = form.offset { parts.append("ofs=\(offset)") }
        for (index, map) in form.maps.enumerated() {
            parts.append("req\(index)___data__=\(percent(map))")
        }
        return parts.joined(separator: "&")
    }

    private static func percent(_ text: String) -> String {
        text.utf8.reduce(into: "") { $0 += "%" + String(UInt16($1) + 0x100, radix: 16).dropFirst() }
    }
}
