import HearthModel
import Testing

@testable import Hearth

struct DatabaseReferenceTests {
    private let database = Database(
        settings: DatabaseSettings(socketPath: "/nowhere", url: "https://demo.firebaseio.com"))

    @Test func `places lead up and down`() {
        let hall = database.reference(withPath: "/rooms//hall/")
        #expect(hall.key == "hall")
        #expect(hall.parent == database.reference().child("rooms"))
        #expect(hall.root == database.reference())
        #expect(hall.root.key == nil)
        #expect(hall.root.parent == nil)
        #expect(hall.child("a/b").parent?.key == "a")
        #expect(hall.database === database)
    }

    @Test func `a place has an address, by which it is found`() {
        let place = database.reference(withPath: "rooms/Grand hall é")
        #expect(place.url == "https://demo.firebaseio.com/rooms/Grand%20hall%20%C3%A9")
        #expect("\(place)" == place.url)
        #expect(database.reference(fromURL: place.url) == place)
        #expect(
            database.reference(fromURL: "https://demo.firebaseio.com") == database.reference())
        #expect(
            database.reference(fromURL: "https://demo.firebaseio.com/rooms/Grand+hall+%C3%A9")
                == place)
        let sum = database.reference(withPath: "a+b")
        #expect(sum.url == "https://demo.firebaseio.com/a%2Bb")
        #expect(database.reference(fromURL: sum.url) == sum)
        let unnamed = Database(settings: DatabaseSettings(socketPath: "/nowhere"))
        #expect(unnamed.reference(withPath: "a b").url == "/a%20b")
        #expect(unnamed.reference().url == "/")
        #expect(unnamed.reference(fromURL: "http://localhost:9000/a?ns=x").key == "a")
    }

    @Test func `an instance is named by its address, and is the same object each time`() {
        let address = "https://other-default-rtdb.europe-west1.firebasedatabase.app"
        let other = Database.database(url: address)
        #expect(other === Database.database(url: address))
        #expect(other.reference(withPath: "a").url == "\(address)/a")
        #expect(other !== Database.database(url: "https://more-default-rtdb.firebaseio.com"))
    }

    @Test func `keys made one after another sort in their order`() throws {
        let keys = try (0..<50).map { _ in try #require(database.reference().childByAutoId().key) }
        #expect(keys == keys.sorted())
        #expect(Set(keys).count == 50)
        #expect(keys.allSatisfy { $0.utf8.count == 20 })
    }

    @Test func `a path from outside that is none is refused with the part that is at fault`() {
        for (path, part) in [("a/b.c", #""b.c" is no key"#), ("a/.info", #"".info" is no key"#)] {
            let error = #expect(throws: DatabaseError.self) {
                try database.validatedReference(withPath: path)
            }
            #expect(error?.message.contains(part) == true, "\(path)")
        }
        #expect(throws: DatabaseError.self) {
            try database.reference(withPath: "a").validatedChild(".info/connected")
        }
        #expect(database.reference(withPath: ".info/connected").key == "connected")
    }

    @Test func `changes that no write can make are refused`() throws {
        let ref = database.reference(withPath: "rooms")
        #expect(try ref.updating([:]) == nil)
        let change = try #require(try ref.updating(["/b/": 1, "a/x": nil as Int? as Any]))
        #expect(change.parts.map { "\($0.place)" } == ["/rooms/a/x", "/rooms/b"])
        #expect(throws: DatabaseError.self) { try ref.updating(["a": 1, "a/b": 2]) }
        #expect(throws: DatabaseError.self) { try ref.updating(["a.b": 1]) }
        #expect(throws: DatabaseError.self) { try ref.updating(["a/.priority": true]) }
        #expect(throws: DatabaseError.self) { try ref.updating([1: 1]) }
        #expect(throws: DatabaseError.self) { try ref.updating(["": 1]) }
        #expect(throws: DatabaseError.self) {
            try database.reference(withPath: ".info/connected").setting(true)
        }
        let deep = Array(repeating: "d", count: 33).joined(separator: "/")
        let error = #expect(throws: DatabaseError.self) {
            try database.reference(withPath: deep).setting(true)
        }
        #expect(error?.message.hasSuffix("counted from the root of the database.") == true)
        let priority = try #require(try ref.updating(["a/.priority": 2]))
        #expect(priority.parts.first?.place == WritePath("rooms/a", isPriority: true))
    }
}
