import Foundation
import FoundationNetworking
import Hearth
import HearthTestSupport
import Testing

// The article says for programs outside of this package:
//     extension InputStream: @retroactive ByteStream {}
// Here Snippets/SnippetTests+Bundles.swift says it, without the attribute.

/// The code of the article "Bundles", as it stands there.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BundlesArticleTests {
    private let told = Transcript()

    /// Shadows Swift's own `print`, so that a test sees the output that a reader would see.
    private func print(_ item: Any) { told.note("\(item)") }

    private func fetch(_ url: URL, into db: Firestore) async throws {
        let (bundle, _) = try await URLSession.shared.data(from: url)
        let progress = try await db.loadBundle(bundle)
        print("\(progress.totalDocuments) documents")
        if let stories = await db.getQuery(named: "latest-stories-query") {
            let snapshot = try await stories.getDocuments(source: .cache)
            print(snapshot.documents.map(\.documentID))
        }
    }

    /// A web server that hands out a bundle of two stories.
    static func server() async throws -> WebServer {
        try WebServer(serving: await packed(try World()))
    }

    /// A bundle of two stories, packed by gzip.
    private static func packed(_ world: World) async throws -> [UInt8] {
        let newsroom = try world.machine("newsroom").client()
        for name in ["a", "b"] {
            try await newsroom.document("stories/\(name)").setData(["title": name])
        }
        let stories = newsroom.collection("stories")
        _ = try await stories.getDocuments(source: .server)
        let bundle = try await newsroom.buildBundle(
            named: "latest-stories", queries: [("latest-stories-query", stories)])
        return try gzip(String(decoding: bundle, as: UTF8.self), world)
    }

    private static func gzip(_ text: String, _ world: World) throws -> [UInt8] {
        let path = world.write(text, to: "bundle")
        let process = try ChildProcess("/usr/bin/gzip", [path], log: path + ".log")
        try #require(process.exitStatus() == 0)
        return try [UInt8](Data(contentsOf: URL(filePath: path + ".gz")))
    }

    @Test func `a program fetches a bundle from a web server that packs it`() async throws {
        let server = try await Self.server()
        let world = try World(isOnline: false)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/createBundle"))
        try await fetch(url, into: world.machine("reader").client())
        #expect(told.lines == ["2 documents", "[\"a\", \"b\"]"])
    }

    @Test func `a bundle that is still packed is refused with what would help`() async throws {
        let packed = try await Self.packed(try World())
        let world = try World(isOnline: false)
        let machine = try world.machine("reader")
        let path = world.write("", to: "stories.gz")
        try Data(packed).write(to: URL(filePath: path))
        let refused = try CommandRun(world, machine, ["bundle", "load", path])
        #expect(refused.status == 1)
        #expect(refused.complaints.first?.contains("curl --compressed") == true)
    }
}
