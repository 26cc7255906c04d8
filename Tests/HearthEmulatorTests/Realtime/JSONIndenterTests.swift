import Testing

@testable import HearthEmulator

struct JSONIndenterTests {
    private func indent(_ text: String) -> String {
        String(decoding: JSONIndenter.indent(Array(text.utf8)), as: UTF8.self)
    }

    @Test func `values are broken into lines, and strings are not`() {
        #expect(indent("null") == "null")
        #expect(indent("{}") == "{}")
        #expect(indent("[[],{}]") == "[ [], {} ]")
        #expect(
            indent(#"{"a":[1,2],"b":{"c":"x,{\":\"y"}}"#)
                == """
                {
                  "a" : [ 1, 2 ],
                  "b" : {
                    "c" : "x,{\\":\\"y"
                  }
                }
                """)
    }

    @Test func `objects in an array begin on the array's line`() {
        #expect(
            indent(#"{"a":[{"x":1},null,{"y":[{"z":2}]}]}"#)
                == """
                {
                  "a" : [ {
                    "x" : 1
                  }, null, {
                    "y" : [ {
                      "z" : 2
                    } ]
                  } ]
                }
                """)
    }
}
