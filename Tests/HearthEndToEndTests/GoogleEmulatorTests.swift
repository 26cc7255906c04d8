import Hearth
import HearthTestSupport
import Testing

/// The same programs with Google's own emulator for a backend, where it is installed.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GoogleEmulatorTests {
    @Test(.enabled(if: GoogleEmulator.isInstalled, "\(GoogleEmulator.absence)"))
    func `programs share a cache over Google's emulator, and writes reach another machine`()
        async throws
    {
        try await GoogleEmulator.run { address in
            let world = World(reaching: address)
            let here = try world.machine("here")
            let there = try world.machine("there")
            let (writer, reader) = (here.client(), here.client())
            try await writer.document("rooms/hall").setData(["lights": 1])
            var rooms = reader.collection("rooms").snapshots(includeMetadataChanges: true)
                .makeAsyncIterator()
            _ = try await rooms.first { $0.count == 1 && !$0.metadata.isFromCache }
            try await writer.document("rooms/hall").updateData([
                "lights": FieldValue.increment(Int64(2))
            ])
            let seen = try await rooms.first {
                !$0.metadata.hasPendingWrites && $0.documents.first?["lights"] as? Int == 3
            }
            #expect(seen.count == 1)
            let other = try await there.client().document("rooms/hall").getDocument(source: .server)
            #expect(other["lights"] as? Int == 3)
            try await there.client().document("rooms/hall").delete()
            let empty = try await rooms.first { $0.isEmpty && !$0.metadata.isFromCache }
            #expect(empty.documentChanges.first?.type == .removed)
        }
    }
}
