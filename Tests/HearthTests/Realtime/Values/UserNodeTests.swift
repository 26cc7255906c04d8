import Foundation
import HearthModel
import Testing

@testable import Hearth

struct UserNodeTests {
    private func json(_ value: Any?, priority: Any? = nil) throws -> String {
        let node = try UserNode.read(value, priority: priority, at: "a")
        return String(decoding: node.exportJSON, as: UTF8.self)
    }

    private func fault(_ value: Any?, priority: Any? = nil) -> String? {
        do throws(DatabaseError) {
            _ = try UserNode.read(value, priority: priority, at: "rooms/hall")
            return nil
        } catch {
            #expect(error.code == .invalidArgument)
            return error.message
        }
    }

    @Test func `strings, flags, numbers, arrays and dictionaries are written`() throws {
        #expect(try json("text") == #""text""#)
        #expect(try json(true) == "true")
        #expect(try json(7 as Int8) == "7")
        #expect(try json(2.0) == "2")
        #expect(try json(Float(0.5)) == "0.5")
        #expect(try json(UInt64.max) == "1.8446744073709552e+19")
        #expect(
            try json(["b": [1, 2], "a": ["x": true]]) == #"{"a":{"x":true},"b":{"0":1,"1":2}}"#)
    }

    @Test func `strings, numbers, nulls and collections of Foundation are what they say`() throws {
        #expect(try json(NSString(string: "text")) == #""text""#)
        #expect(try json(NSNumber(value: 1)) == "1")
        #expect(try json(NSNumber(value: true)) == "true")
        #expect(try json(["n": NSNull()]) == "null")
        #expect(try json(NSDictionary(dictionary: ["n": 3])) == #"{"n":3}"#)
        #expect(try json(NSArray(array: ["a", 2])) == #"{"0":"a","1":2}"#)
    }

    @Test func `what is nil is not there, and neither is what holds nothing`() throws {
        let nothing: Int? = nil
        let some: Int?? = .some(.some(3))
        #expect(try json(nil) == "null")
        #expect(
            try json(["a": nothing as Any, "b": [:] as [String: Any], "c": some as Any])
                == #"{"c":3}"#)
        #expect(try json(["x", nothing as Any, "z"]) == #"{"0":"x","2":"z"}"#)
    }

    @Test func `a priority comes beside the value or in it, and the one in it counts`() throws {
        #expect(try json("v", priority: 1) == #"{".value":"v",".priority":1}"#)
        #expect(try json([".value": "v", ".priority": "p"]) == #"{".value":"v",".priority":"p"}"#)
        #expect(
            try json([".value": "v", ".priority": "p"], priority: 2)
                == #"{".value":"v",".priority":"p"}"#)
        #expect(try json([".value": "v", ".priority": NSNull()], priority: 2) == #""v""#)
        #expect(try json(["a": 1], priority: 2) == #"{".priority":2,"a":1}"#)
        #expect(try json(["a": 1, ".priority": 5]) == #"{".priority":5,"a":1}"#)
        #expect(try json(nil, priority: 1) == "null")
        let server = try json(1, priority: ServerValue.timestamp())
        #expect(server == #"{".value":1,".priority":{".sv":"timestamp"}}"#)
    }

    @Test func `values for the server stay open`() throws {
        let value: [String: Any] = [
            "at": ServerValue.timestamp(), "n": ServerValue.increment(2),
            "x": ServerValue.increment(0.5),
        ]
        let node = try UserNode.read(value, at: "a")
        #expect(node.node == nil)
        let resolved = node.resolved(over: try Node(json: #"{"n":5}"#), at: 99)
        #expect(resolved == (try Node(json: #"{"at":99,"n":7,"x":0.5}"#)))
    }

    @Test func `what cannot be held is refused with its place and a remedy`() throws {
        #expect(fault(["since": Date()])?.contains("Date is none of") == true)
        #expect(fault(["since": Date()])?.contains("(at /rooms/hall/since)") == true)
        #expect(fault(["a": ["b.c": 1]])?.contains(#""b.c" is no key"#) == true)
        #expect(fault(["a": ["b.c": 1]])?.contains("(at /rooms/hall/a)") == true)
        #expect(fault(Double.nan)?.contains("nan is no number") == true)
        #expect(fault([1: "a"] as [AnyHashable: Any])?.contains("keys must be strings") == true)
        #expect(fault([".value": 1, "a": 2])?.contains(".value stands beside children") == true)
        #expect(fault([".value": ["a": 1]])?.contains(".value holds children") == true)
        #expect(fault([".sv": "timestamp", "a": 1])?.contains(".sv stands beside") == true)
        #expect(fault([".sv": "now"])?.contains("none of the server's values") == true)
        #expect(fault([".sv": "now"])?.contains(#"{".sv": "timestamp"}"#) == true)
        #expect(fault([".value": 1, ".priority": ["a": 1]])?.contains("An object is no") == true)
        #expect(fault(1, priority: true)?.contains("A flag is no priority") == true)
        #expect(
            fault([".value": 1, ".priority": ["a"]])?.contains("An array is no priority") == true)
        #expect(fault(FieldValue.delete())?.contains("FieldValue of Firestore's") == true)
        #expect(fault(["": 1])?.contains("it is empty") == true)
    }

    @Test func `a value may nest as deep as the database, counted from its root`() {
        func nested(_ depth: Int) -> Any { depth == 0 ? 1 : ["k": nested(depth - 1)] }
        #expect(fault(nested(30)) == nil)
        #expect(fault(nested(31))?.contains("deeper than 32 keys") == true)
    }

    @Test func `a string that the service does not store is refused`() {
        let text = String(repeating: "x", count: LeafValue.stringByteCountMax + 1)
        #expect(fault(text)?.contains("A string has") == true)
    }
}
