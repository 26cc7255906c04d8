public import Foundation
public import Hearth
import HearthTestSupport
import Testing

// Outside of this package Swift wants `@retroactive` here.
extension InputStream: ByteStream {}

/// The page "Data bundles".
extension SnippetTests {
    func bundleLoadError(reason: String) -> NSError {
        return NSError(
            domain: "FIRSampleErrorDomain",
            code: 0,
            userInfo: [NSLocalizedFailureReasonErrorKey: reason])
    }

    func fetchRemoteBundle(
        for firestore: Firestore,
        from url: URL
    ) async throws -> LoadBundleTaskProgress {
        guard let inputStream = InputStream(url: url) else {
            let error = self.bundleLoadError(
                reason: "Unable to create stream from the given url: \(url)")
            throw error
        }

        return try await firestore.loadBundle(inputStream)
    }

    func loadQuery(
        named queryName: String,
        fromRemoteBundle bundleURL: URL,
        with store: Firestore
    ) async throws -> Query {
        let _ = try await fetchRemoteBundle(for: store, from: bundleURL)
        if let query = await store.getQuery(named: queryName) {
            return query
        } else {
            throw bundleLoadError(reason: "Could not find query named \(queryName)")
        }
    }

    func runStoriesQuery(from remoteBundle: URL) async {
        let queryName = "latest-stories-query"
        let firestore = Firestore.firestore()

        do {
            let query = try await loadQuery(
                named: queryName,
                fromRemoteBundle: remoteBundle,
                with: firestore)
            let snapshot = try await query.getDocuments()
            print(snapshot.documents.map(\.documentID))
        } catch {
            print(error)
        }
    }

    @Test func `data bundles, load data bundles in the client`() async throws {
        let newsroom = try world.machine("newsroom").client()
        for name in ["a", "b"] {
            try await newsroom.document("stories/\(name)").setData(["title": name])
        }
        let stories = newsroom.collection("stories")
        _ = try await stories.getDocuments(source: .server)
        let bundle = try await newsroom.buildBundle(
            named: "latest-stories", queries: [("latest-stories-query", stories)])
        let path = world.write(String(decoding: bundle, as: UTF8.self), to: "stories.bundle")
        world.killEmulator()

        await runStoriesQuery(from: URL(filePath: path))
        #expect(said.lines == ["[\"a\", \"b\"]"])
        await runStoriesQuery(from: URL(filePath: path + ".none"))
        #expect(said.lines.count == 2)
        #expect(said.lines.last?.hasPrefix("NOT_FOUND") == true)
    }

    @Test func `data bundles, load from a web server`() async throws {
        // On Linux, Foundation makes a stream of such a URL, and opening the stream ends the
        // program.
        let url = try #require(URL(string: "http://127.0.0.1:1/createBundle"))
        await runStoriesQuery(from: url)
        #expect(said.lines.last?.contains("URLSession.data(from:)") == true)
    }
}
