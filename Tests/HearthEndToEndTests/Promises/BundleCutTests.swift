import Hearth
import HearthTestSupport
import Synchronization
import Testing

/// A daemon or a program that ends while a long bundle goes into the cache.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct BundleCutTests {
    private static let documentCount = 20_000
    /// How many bundles may be loaded whole before one is cut off.
    private static let attemptCountMax = 20

    private static func append(_ element: String, to bytes: inout [UInt8]) {
        bytes += "\(element.utf8.count)".utf8
        bytes += element.utf8
    }

    /// The elements of a bundle of small documents behind the first.
    private static let elements: [UInt8] = {
        let time = "2026-01-01T00:00:00Z"
        var elements: [UInt8] = []
        for number in 1...documentCount {
            let name = "projects/demo/databases/(default)/documents/many/\(number)"
            append(
                #"{"documentMetadata":{"name":"\#(name)","readTime":"\#(time)","exists":true}}"#,
                to: &elements)
            append(
                #"{"document":{"name":"\#(name)","updateTime":"\#(time)","fields":{}}}"#,
                to: &elements)
        }
        return elements
    }()

    /// The bundle, as it was made so many seconds after a moment.
    private static func bundle(_ second: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        append(
            """
            {"metadata":{"id":"many","createTime":"2026-01-01T00:00:\(10 + second)Z","version":1,\
            "totalDocuments":\(documentCount),"totalBytes":"\(elements.count)"}}
            """, to: &bytes)
        return bytes + elements
    }

    /// Loads the bundle, each time a newer one, until `cut` ends a load half-way.
    ///
    /// A load may come to its end before anybody can cut the load off. Then nothing is told of the load.
    ///
    /// - Parameter cut: Ends the loading program, and perhaps the daemon, which runs again afterwards.
    /// - Returns: The bundle of which the cache has a part.
    private func cutOff(
        _ machine: Machine, by cut: (_ loader: Firestore) async throws -> Void
    ) async throws -> [UInt8] {
        for attempt in 1...Self.attemptCountMax {
            let bundle = Self.bundle(attempt)
            let (loader, watcher) = (machine.client(), machine.client())
            let hasEnded = Mutex(false)
            let task = loader.loadBundle(bundle) { _, _ in hasEnded.withLock { $0 = true } }
            let loading = try await eventually {
                try await watcher.daemonStatus().bundles
            } is: {
                !$0.isEmpty || hasEnded.withLock { $0 }
            }
            #expect(loading.allSatisfy { $0.id == "many" })
            #expect(loading.allSatisfy { $0.totalDocumentCount == Self.documentCount })
            try await cut(loader)
            withExtendedLifetime(task) {}
            try await watcher.terminate()
            let witness = machine.client()
            let status = try await eventually {
                try await witness.daemonStatus()
            } is: {
                $0.bundles.isEmpty
            }
            try await witness.terminate()
            if !status.losses.isEmpty { return bundle }
        }
        throw TooLate(last: "each of \(Self.attemptCountMax) bundles was loaded whole")
    }

    /// Loads the bundle whole, and expects that nothing is told of the bundle any more.
    private func expectMended(_ machine: Machine, by bundle: [UInt8]) async throws {
        let client = machine.client()
        let progress = try await client.loadBundle(bundle)
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

    @Test func `a bundle that a kill cuts off is told over restarts, until it is loaded whole`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let bundle = try await cutOff(machine) { loader in
            machine.killDaemon()
            try await loader.terminate()
            try machine.startDaemon()
        }
        for _ in 1...2 {
            let status = try await machine.client().daemonStatus()
            #expect(status.losses.count == 1)
            #expect(status.losses.first?.account.contains("\"many\"") == true)
            #expect(status.bundles.isEmpty)
            #expect(status.degradedReasons.isEmpty)
            #expect(machine.stopDaemon() == 0)
            try machine.startDaemon()
        }
        #expect(world.log("machine").contains("bundle cut off"))
        try await expectMended(machine, by: bundle)
    }

    @Test func `a bundle whose program ends half-way is told until it is loaded whole`()
        async throws
    {
        let world = try World(isOnline: false)
        let machine = try world.machine()
        let bundle = try await cutOff(machine) { loader in try await loader.terminate() }
        let status = try await machine.client().daemonStatus()
        #expect(status.losses.count == 1)
        #expect(status.losses.first?.account.contains("\"many\"") == true)
        #expect(status.degradedReasons.isEmpty)
        // The older bundle does not make the newer one good.
        let client = machine.client()
        try await client.loadBundle(Self.bundle(0))
        #expect(try await client.daemonStatus().losses == status.losses)
        try await expectMended(machine, by: bundle)
        #expect(machine.stopDaemon() == 0)
        #expect(world.log("machine").contains("bundle cut off"))
    }
}
