import Foundation
import HearthModel
import Testing

@testable import Hearth

struct DataSnapshotTests {
    private let ref = Database(settings: DatabaseSettings(socketPath: "/nowhere"))
        .reference(withPath: "rooms/hall")

    private func snapshot(_ json: String, by index: QueryIndex = .priority) throws -> DataSnapshot {
        DataSnapshot(ref, IndexedNode(try Node(json: json), by: index))
    }

    @Test func `values are strings, flags, numbers, dictionaries and arrays`() throws {
        let snapshot = try snapshot(#"{"a":"x","b":true,"c":3,"d":0.5,"e":{"f":[1,2]}}"#)
        let value = try #require(snapshot.value as? [String: Any])
        #expect(value["a"] as? String == "x")
        #expect(value["b"] as? Bool == true)
        #expect(value["c"] as? Int == 3)
        #expect(value["d"] as? Double == 0.5)
        #expect((value["e"] as? [String: Any])?["f"] as? [Int] == [1, 2])
        #expect(snapshot.value as? NSDictionary != nil)
        #expect(snapshot.value as? [String: AnyObject] != nil)
    }

    @Test func `children with numbers for keys are an array if most places are taken`() throws {
        let sparse = try #require(try snapshot(#"{"0":"a","2":"c"}"#).value as? [Any])
        #expect(sparse.count == 3)
        #expect(sparse[0] as? String == "a")
        #expect(sparse[1] as? String == nil)
        #expect(try snapshot(#"{"0":"a"}"#).value as? [String] == ["a"])
        #expect(try snapshot(#"{"1":"a","9":"c"}"#).value is [String: Any])
        #expect(try snapshot(#"{"03":"a"}"#).value is [String: Any])
    }

    @Test func `what is not there is nil, and has neither children nor priority`() throws {
        let snapshot = try snapshot("null")
        #expect(snapshot.value == nil)
        #expect(!snapshot.exists())
        #expect(!snapshot.hasChildren())
        #expect(snapshot.childrenCount == 0)
        #expect(snapshot.priority == nil)
        #expect(snapshot.valueInExportFormat() == nil)
    }

    @Test func `a snapshot knows its place, and leads to what lies below`() throws {
        let snapshot = try snapshot(#"{"a":{"b":1}}"#)
        #expect(snapshot.key == "hall")
        #expect(snapshot.ref.key == "hall")
        #expect(snapshot.hasChild("a/b"))
        #expect(!snapshot.hasChild("a/c"))
        #expect(!snapshot.hasChild("a.c"))
        let below = snapshot.childSnapshot(forPath: "a/b")
        #expect(below.key == "b")
        #expect(below.value as? Int == 1)
        #expect(below.ref == ref.child("a/b"))
        #expect(!snapshot.childSnapshot(forPath: "c").exists())
    }

    @Test func `children come in the order of the query, in every kind of loop`() throws {
        let snapshot = try snapshot(
            #"{"a":{"n":3},"b":{"n":1},"c":{"n":2}}"#, by: .child("n"))
        #expect(snapshot.children.map(\.key) == ["b", "c", "a"])
        #expect(snapshot.children.allObjects.map(\.key) == ["b", "c", "a"])
        var keys: [String] = []
        let children = snapshot.children
        while let child = children.nextObject() { keys.append(child.key) }
        #expect(keys == ["b", "c", "a"])
    }

    @Test func `the form for export has priorities`() throws {
        let snapshot = try snapshot(#"{".priority":1,"a":{".value":"x",".priority":"p"},"b":2}"#)
        #expect(snapshot.priority as? Int == 1)
        let value = try #require(snapshot.valueInExportFormat() as? [String: Any])
        #expect(value[".priority"] as? Int == 1)
        let child = try #require(value["a"] as? [String: Any])
        #expect(child[".value"] as? String == "x")
        #expect(child[".priority"] as? String == "p")
        #expect(value["b"] as? Int == 2)
        #expect(try UserNode.read(value, at: .root).node == snapshot.node)
    }
}
