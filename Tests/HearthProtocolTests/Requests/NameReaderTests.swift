import HearthModel
import HearthProtocol
import Testing

struct NameReaderTests {
    private let root = "projects/p/databases/(default)/documents"

    @Test func `the longest name of the backend's is read`() throws {
        let name = "\(root)/rooms/\(String(repeating: "a", count: 6_000))"
        let (_, key) = try NameReader.document(name)
        #expect(key.documentID.utf8.count == 6_000)
    }

    @Test func `a name that is too long is refused without being repeated`() {
        let long = String(repeating: "/a", count: 4_100)
        for read in [
            { _ = try NameReader.database(long) }, { _ = try NameReader.parent(root + long) },
            { _ = try NameReader.document(root + long) },
            { _ = try NameReader.reference(root + long) },
        ] {
            let error = #expect(throws: HearthError.self) { try read() }
            #expect(error?.code == .invalidArgument)
            #expect(error.map { $0.message.utf8.count < 100 } == true)
        }
    }

    @Test(arguments: [
        "rooms/hall", "rooms/hall/seats/__id7__", "rooms/é ü", "rooms", "", "/", "rooms/",
        "/rooms/hall", "rooms//hall", "rooms/hall/", "//rooms/hall",
    ])
    func `a name of the request's database is read as any name is`(path: String) throws {
        let database = DatabaseID(project: "p")
        for name in [
            "\(root)/\(path)", "\(root)\(path)",
            "projects/q/databases/(default)/documents/\(path)",
            "projects/p/databases/other/documents/\(path)", path,
        ] {
            let any = Result { try NameReader.document(name) }
            let own = Result { try NameReader.document(name, in: database) }
            switch (any, own) {
            case (.success(let any), .success(let own)):
                #expect(any.0 == database && any.1 == own)
            case (.success(let any), .failure): #expect(any.0 != database)
            case (.failure(let any), .failure(let own)): #expect("\(any)" == "\(own)")
            case (.failure, .success): Issue.record("\(name) is no name.")
            }
        }
    }
}
