import HearthModel
import HearthTestSupport
import Testing

struct DocumentSetTests {
    private let byAge = DocumentOrder([OrderBy(field("age"), .descending), OrderBy(.documentID)])

    private func person(_ name: String, _ age: Int64) -> Document {
        found("people/\(name)", ["age": .integer(age)])
    }

    @Test func `documents stand in the order of the query`() {
        let set = DocumentSet(order: byAge, [person("a", 1), person("c", 3), person("b", 3)])
        #expect(set.documents.map(\.key.documentID) == ["b", "c", "a"])
        #expect(set.first?.key.documentID == "b")
        #expect(set.last?.key.documentID == "a")
        #expect(set[1].key.documentID == "c")
        #expect(set.index(of: key("people/a")) == 2)
        #expect(set.index(of: key("people/x")) == nil)
        #expect(set.contains(key("people/a")) && !set.contains(key("people/x")))
        #expect(set[key("people/c")] == person("c", 3))
        #expect(set.keys.count == 3)
    }

    @Test func `a document that changes moves`() {
        var set = DocumentSet(order: byAge, [person("a", 1), person("b", 2)])
        set.insert(person("a", 9))
        #expect(set.count == 2)
        #expect(set.documents.map(\.key.documentID) == ["a", "b"])
        set.remove(key("people/a"))
        set.remove(key("people/a"))
        #expect(set.documents == [person("b", 2)])
    }

    @Test func `sets are equal if their orders and documents are`() {
        let documents = [person("a", 1), person("b", 2)]
        let set = DocumentSet(order: byAge, documents)
        #expect(set == DocumentSet(order: byAge, documents.reversed()))
        #expect(set != DocumentSet(order: .byKey, documents))
        #expect(set != DocumentSet(order: byAge, [person("a", 1), person("b", 3)]))
        #expect(DocumentSet(order: .byKey).isEmpty)
    }

    @Test func `random changes agree with sorting`() {
        var random = SeededGenerator(seed: 9)
        var set = DocumentSet(order: byAge)
        var model: [String: Document] = [:]
        for _ in 0..<800 {
            let name = "p\(Int.random(in: 0..<60, using: &random))"
            if Int.random(in: 0..<3, using: &random) > 0 {
                let document = person(name, Int64.random(in: 0..<10, using: &random))
                set.insert(document)
                model[name] = document
            } else {
                set.remove(key("people/\(name)"))
                model[name] = nil
            }
        }
        let sorted = model.values.sorted { byAge.compare($0, $1) < 0 }
        #expect(set.documents == sorted)
        for (index, document) in sorted.enumerated() {
            #expect(set.index(of: document.key) == index)
        }
    }
}
