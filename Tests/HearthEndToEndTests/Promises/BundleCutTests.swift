import Hearth
import HearthTestSupport
import Testing

/// A daemon that is killed while a long bundle goes into its cache.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct BundleCutTests {
    private static let documentCount = 20_000

    /// A bundle of small documents.
    private static let bundle: [UInt8] = {
        let time = "2026-01-01T00:00:00Z"
        var elements: [UInt8] = []
        func append(_ element: String) {
            elements += "\(element.utf8.count)".utf8
            elements += element.utf8
        }
        for number in 1...documentCount {
            let name = "projects/demo/databases/(default)/documents/many/\(number)"
            append(#"{"documentMetadata":{"name":"\#(name)","readTime":"\#(time)","exists":true}}"#)
            append(#"{"document":{"name":"\#(name)","updateTime":"\#(time)","fields":{}}}"#)
        }
        let head = """
            {"metadata":{"id":"many","createTime":"\(time)","version":1,\
            "totalDocuments":\(documentCount),"totalBytes":"\(elements.count)"}}
            """
        return Array("\(head.utf8.count)\(head)".utf8) + elements
    }()

    @Test func `a bundle that a kill cuts off is told over restarts, until it is loaded whole`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let (loader, watcher) = (machine.client(), machine.client())
        let task = loader.loadBundle(Self.bundle, completion: nil)
        let loading = try await eventually {
            try await watcher.daemonStatus().bundles
        } is: {
            !$0.isEmpty
        }
        #expect(loading.map(\.id) == ["many"])
        #expect(loading.map(\.totalDocumentCount) == [Self.documentCount])
        machine.killDaemon()
        loader.terminate(completion: nil)
        withExtendedLifetime(task) {}

        for _ in 1...2 {
            try machine.startDaemon()
            let status = try await machine.client().daemonStatus()
            #expect(status.losses.count == 1)
            #expect(status.losses.first?.account.contains("\"many\"") == true)
            #expect(status.bundles.isEmpty)
            #expect(status.degradedReasons.isEmpty)
            #expect(machine.stopDaemon() == 0)
        }
        #expect(world.log("machine").contains("bundle cut off"))

        try machine.startDaemon()
        let client = machine.client()
        let progress = try await client.loadBundle(Self.bundle)
        #expect(progress.documentsLoaded == Self.documentCount)
        let losses = try await eventually {
            try await client.daemonStatus().losses
        } is: {
            $0.isEmpty
        }
        #expect(losses.isEmpty)
        let count = try await client.collection("many").getDocuments(source: .cache).count
        #expect(count == Self.documentCount)
    }
}
