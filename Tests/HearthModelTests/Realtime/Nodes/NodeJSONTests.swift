import HearthModel
import Testing

struct NodeJSONTests {
    private static func text(_ node: Node, _ form: NodeWriter.Form) -> String {
        String(decoding: node.json(form), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"a":1,"b":{"c":"x","d":[true,false]}}"#, #"{"a":1,"b":{"c":"x","d":[true,false]}}"#),
        (#"{"b":1,"a":2,"10":3,"9":4}"#, #"{"9":4,"10":3,"a":2,"b":1}"#),
        (#"{"a":{".value":1,".priority":2}}"#, #"{"a":1}"#),
        (#" [ 1 , null , "x" ] "#, #"[1,null,"x"]"#),
        (#"{"0":"x"}"#, #"["x"]"#), (#"{"1":"x"}"#, #"[null,"x"]"#), (#"{"2":"x"}"#, #"{"2":"x"}"#),
        (#"{"0":1,"03":1}"#, #"{"0":1,"03":1}"#), (#"{"0":1,"-1":1}"#, #"{"-1":1,"0":1}"#),
        (#"{"0":1,"a":1}"#, #"{"0":1,"a":1}"#), (#"{"2":1,"3":1}"#, #"[null,null,1,1]"#),
        ("1.0", "1"), ("1e3", "1000"), ("-0.0", "0"), ("0.1", "0.1"), ("1e300", "1e+300"),
        ("9007199254740993", "9007199254740993"), ("null", "null"),
        (#""\ud83d\ude00 \ud83d x \u0000\n""#, "\"😀 \u{FFFD} x \\u0000\\u000a\""),
    ])
    func `the plain form is read and written`(json: String, expected: String) throws {
        #expect(Self.text(try Node(json: json), .plain) == expected)
    }

    @Test(arguments: [
        (#"{".priority":2,".value":1}"#, #"{".value":1,".priority":2}"#),
        (#"{"a":[1,2],".priority":"p"}"#, #"{".priority":"p","a":{"0":1,"1":2}}"#),
        (#"{".value":1,".priority":null}"#, "1"), (#"{".value":{".value":1}}"#, nil),
        (#"{"a":{".value":"x"}}"#, #"{"a":"x"}"#),
    ])
    func `the export form keeps priorities and has no arrays`(json: String, expected: String?)
        throws
    {
        let node = try? Node(json: json)
        #expect(node.map { Self.text($0, .export) } == expected)
        guard let expected, let node else { return }
        #expect(try Node(json: expected) == node)
    }

    @Test(arguments: [
        (#"{"a.b":1}"#, NodeError.refusedKey("a.b", reason: "")),
        (#"{"":1}"#, .refusedKey("", reason: "")), (#"{".x":1}"#, .refusedKey(".x", reason: "")),
        (#"{"a/b":null}"#, .refusedKey("a/b", reason: "")),
        (#"{"a":1,"b":2,"a":3}"#, .duplicateKey("a")), (#"{"a":1,"a":null}"#, .duplicateKey("a")),
        (#"{".priority":1,"a":1,".priority":1}"#, .duplicateKey(".priority")),
        (#"{".value":1,"a":2}"#, .refusedValue), (#"{".value":[1]}"#, .refusedValue),
        (#"{".value":1,".priority":true}"#, .refusedPriority),
        (#"{"a":1,".priority":[]}"#, .refusedPriority),
        (#"{".sv":"later"}"#, .refusedServerValue),
        (#"{".sv":{"increment":"1"}}"#, .refusedServerValue),
        (#"{".sv":"timestamp","a":1}"#, .refusedServerValue),
        (#"{".sv":{"increment":1,"x":1}}"#, .refusedServerValue),
        (#"{".value":{}}"#, .refusedValue), (#"{".value":{"a":1}}"#, .refusedValue),
        (#"{"a":1,".priority":{"b":1}}"#, .refusedPriority),
        (#"{"a":1,".priority":{".sv":"later"}}"#, .refusedServerValue),
    ])
    func `what the service refuses is refused by name`(json: String, expected: NodeError) {
        let error = #expect(throws: NodeError.self) { try NodeReader.read(Array(json.utf8)) }
        switch (error, expected) {
        case (.refusedKey(let key, _), .refusedKey(let other, _)): #expect(key == other)
        default: #expect(error == expected)
        }
    }

    @Test(arguments: [
        "", "{", #"{"a"}"#, #"{"a":}"#, "[1,]", "01", "1.", "tru", "nul", "\"", #""\u12""#, "1 2",
        "-",
        "1e999", #"{"a":1,}"#, "]", "\u{1}", #"{a:1}"#, "'a'",
    ])
    func `what is no JSON is refused`(json: String) {
        let error = #expect(throws: NodeError.self) { try NodeReader.read(Array(json.utf8)) }
        guard case .notJSON = error else {
            Issue.record("\(json): \(String(describing: error))")
            return
        }
    }

    @Test func `a value may have so many levels and no more`() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                (String(repeating: #"{"a":"#, count: depth) + "1"
                    + String(repeating: "}", count: depth)).utf8)
        }
        #expect(try NodeReader.read(nested(32)).node?.isEmpty == false)
        #expect(throws: NodeError.tooDeep(depthMax: 32)) { try NodeReader.read(nested(33)) }
        #expect(throws: NodeError.tooDeep(depthMax: 2)) {
            try NodeReader.read(nested(3), depthMax: 2)
        }
        #expect(throws: NodeError.tooDeep(depthMax: 32)) { try NodeReader.read(nested(100_000)) }
        let arrays = [UInt8](repeating: UInt8(ascii: "["), count: 100_000)
        #expect(throws: NodeError.tooDeep(depthMax: 32)) { try NodeReader.read(arrays) }
    }

    @Test func `a string may be ten mebibytes and no more`() throws {
        let longest = LeafValue.stringByteCountMax
        func text(_ count: Int) -> [UInt8] {
            [0x22] + [UInt8](repeating: UInt8(ascii: "x"), count: count) + [0x22]
        }
        #expect(try NodeReader.read(text(longest)).node?.isLeaf == true)
        #expect(throws: NodeError.stringTooLong(byteCount: longest + 1)) {
            try NodeReader.read(text(longest + 1))
        }
    }

    @Test func `of the service's other members with a dot nothing is made`() throws {
        let json = #"{".x":{"a":[1,{"b":[]},"]"],"c":{}},"y":1,".value":null}"#
        #expect(try Node(json: json.utf8, from: .server) == Node(json: #"{"y":1}"#))
        let deep = String(repeating: "[", count: 300)
        #expect(throws: NodeError.self) { try Node(json: (#"{".x":"# + deep).utf8, from: .server) }
    }
}
