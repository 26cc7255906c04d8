import HearthModel
import Testing

@testable import Hearth

struct MutableDataTests {
    private func data(_ json: String) throws -> MutableData {
        MutableData(try Node(json: json), at: "rooms/hall")
    }

    private func written(_ data: MutableData) throws -> String {
        String(decoding: try data.proposal().exportJSON, as: UTF8.self)
    }

    @Test func `a new value takes the place of all, with the priority`() throws {
        let data = try data(#"{".value":1,".priority":2}"#)
        #expect(data.value as? Int == 1)
        #expect(data.priority as? Int == 2)
        data.value = (data.value as? Int ?? 0) + 1
        #expect(try written(data) == "2")
    }

    @Test func `a child's change shows in its parent`() throws {
        let data = try data(#"{"a":{"n":1},"b":2}"#)
        data.childData(byAppendingPath: "a/n").value = 5
        data.childData(byAppendingPath: "c").value = ["d": true]
        data.childData(byAppendingPath: "b").value = nil
        #expect(try written(data) == #"{"a":{"n":5},"c":{"d":true}}"#)
        #expect(data.hasChild(atPath: "c/d"))
        #expect(!data.hasChild(atPath: "b"))
        #expect(data.childrenCount == 2)
        #expect(data.children.map(\.key) == ["a", "c"])
        #expect(data.hasChildren())
        #expect(data.key == "hall")
    }

    @Test func `children come in their order, and can be changed meanwhile`() throws {
        let data = try data(
            #"{"a":{".value":1,".priority":2},"b":{".value":2,".priority":1},"c":3}"#)
        #expect(data.children.allObjects.map(\.key) == ["c", "b", "a"])
        let children = data.children
        #expect(children.nextObject()?.key == "c")
        #expect(children.underestimatedCount == 2)
        #expect(children.allObjects.map(\.key) == ["b", "a"])
        #expect(children.nextObject() == nil)
        for child in data.children { child.value = (child.value as? Int ?? 0) + 1 }
        for child in data.children where child.key == "b" { child.value = nil }
        #expect(try written(data) == #"{"a":2,"c":4}"#)
    }

    @Test func `a priority is set, and nothing cannot have one`() throws {
        let data = try data(#"{"a":1}"#)
        data.childData(byAppendingPath: "a").priority = "p"
        data.childData(byAppendingPath: "b").priority = "q"
        #expect(try written(data) == #"{"a":{".value":1,".priority":"p"}}"#)
        data.childData(byAppendingPath: "a").priority = nil
        #expect(try written(data) == #"{"a":1}"#)
    }

    @Test func `values for the server stay open until something takes their place`() throws {
        let data = try data(#"{"a":1}"#)
        data.childData(byAppendingPath: "at").value = ServerValue.timestamp()
        data.childData(byAppendingPath: "a").value = ServerValue.increment(2)
        #expect(try written(data) == #"{"a":{".sv":{"increment":2}},"at":{".sv":"timestamp"}}"#)
        data.childData(byAppendingPath: "a").value = 7
        data.childData(byAppendingPath: "at/x").value = 1
        #expect(try written(data) == #"{"a":7,"at":{"x":1}}"#)
        data.childData(byAppendingPath: "a").priority = ServerValue.timestamp()
        #expect(
            try written(data)
                == #"{"a":{".value":7,".priority":{".sv":"timestamp"}},"at":{"x":1}}"#)
        data.value = nil
        #expect(try written(data) == "null")
    }

    @Test func `the first value that cannot be written is the transaction's error`() throws {
        let data = try data("null")
        data.childData(byAppendingPath: "a").value = Double.infinity
        data.value = ["b.c": 1]
        let error = #expect(throws: DatabaseError.self) { try data.proposal() }
        #expect(error?.message.contains("(at /rooms/hall/a)") == true)
    }
}
