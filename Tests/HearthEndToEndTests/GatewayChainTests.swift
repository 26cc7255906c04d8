import Hearth
import HearthTestSupport
import Testing

/// A daemon whose backend is another daemon's gateway: a client with a cache of its own drops
/// documents and messages older than its cache, as the web's SDK does.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GatewayChainTests {
    /// Waits until a client's listener shows exactly these numbers, as the backend has them.
    private func shows(
        _ numbers: [String: Int], _ client: Firestore
    ) async throws {
        var rooms = client.collection("rooms").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        _ = try await rooms.first { snapshot in
            let shown = snapshot.documents.map { ($0.documentID, $0["n"] as? Int ?? 0) }
            return Dictionary(uniqueKeysWithValues: shown) == numbers
                && !snapshot.metadata.isFromCache
        }
    }

    /// Writes without waiting for the backend.
    private func write(_ name: String, _ number: Int, _ client: Firestore) {
        client.document("rooms/\(name)").setData(["n": number])
    }

    @Test func `a client with a cache follows a gateway, online, offline and over restarts`()
        async throws
    {
        let world = try World()
        let near = try world.machine("near")
        let nearClient = near.client()
        let beyond = World(reaching: "unix:\(near.gatewayPath())")
        let far = try beyond.machine("far")
        let client = far.client()
        try await nearClient.document("rooms/hall").setData(["n": 1])
        try await shows(["hall": 1], client)
        try await nearClient.document("rooms/attic").setData(["n": 2])
        try await nearClient.document("rooms/hall").setData(["n": 3])
        try await shows(["hall": 3, "attic": 2], client)
        try await nearClient.document("rooms/attic").delete()
        try await shows(["hall": 3], client)

        world.killEmulator()
        // A listener gives the engine a reason to speak to the backend.
        var rooms = nearClient.collection("rooms").snapshots(includeMetadataChanges: true)
            .makeAsyncIterator()
        _ = try await rooms.first { $0.metadata.isFromCache }
        _ = try await eventually(
            { try await nearClient.daemonStatus().onlineState }, is: { $0 == .offline })
        write("hall", 4, nearClient)
        write("cellar", 5, nearClient)
        try await shows(["hall": 4, "cellar": 5], client)
        near.killDaemon()
        try near.startDaemon()
        try world.startEmulator()
        let again = near.client()
        try await again.document("rooms/hall").setData(["n": 6])
        try await shows(["hall": 6, "cellar": 5], client)
    }
}
