import Hearth
import HearthTestSupport
import Testing

/// Habits of Google's emulator that Hearth's own does not have: a watch that answers every commit
/// with RESET and the whole result, and writes that wait for locks.
@Suite(
    .serialized, .timeLimit(.minutes(2)),
    .enabled(if: GoogleEmulator.isInstalled, "\(GoogleEmulator.absence)"))
struct GoogleHabitsTests {
    @Test func `a watch that starts over at each commit shows only what changed`() async throws {
        try await GoogleEmulator.run { address in
            let world = World(reaching: address)
            let writer = try world.machine("writer").client()
            let names = ["a", "b", "c"]
            for name in names { try await writer.document("rooms/\(name)").setData(["n": 0]) }
            let rooms = try world.machine("reader").client().collection("rooms")
            var snapshots = rooms.snapshots(includeMetadataChanges: true).makeAsyncIterator()
            var last = try await snapshots.first { $0.count == 3 && !$0.metadata.isFromCache }

            for n in 1...5 {
                try await writer.document("rooms/b").updateData(["n": n])
                last = try await snapshots.first { _ in true }
                #expect(!last.metadata.isFromCache)
                #expect(last.documents.map(\.documentID) == names)
                #expect(last.documentChanges.map(\.type) == [.modified])
                #expect(last.documentChanges.first?.document.documentID == "b")
                #expect(last.documents[1]["n"] as? Int == n)
            }
            try await writer.document("rooms/d").setData(["n": 0])
            last = try await snapshots.first { _ in true }
            #expect(last.documentChanges.map(\.type) == [.added])
            #expect(last.documents.map(\.documentID) == names + ["d"])
            // A document that is named no more is looked up before it leaves.
            try await writer.document("rooms/a").delete()
            last = try await snapshots.first { !$0.documentChanges.isEmpty }
            #expect(last.documentChanges.map(\.type) == [.removed])
            #expect(last.documents.map(\.documentID) == ["b", "c", "d"])
            if last.metadata.isFromCache {
                last = try await snapshots.first { !$0.metadata.isFromCache }
            }
            #expect(last.documents.map(\.documentID) == ["b", "c", "d"])
        }
    }

    @Test func `a write that waits for another's lock is sent again and lands once`() async throws {
        try await GoogleEmulator.run { address in
            let control = EmulatorControl(address: address)
            let world = World(reaching: address)
            let machine = try world.machine()
            let (client, watcher) = (machine.client(), machine.client())
            let hall = client.document("rooms/hall")
            try await hall.setData(["n": 1])
            var seen = watcher.document("rooms/hall").snapshots(includeMetadataChanges: true)
                .makeAsyncIterator()
            _ = try await seen.first { !$0.metadata.isFromCache }

            let transaction = try control.holdDocument("rooms/hall")
            let heldSince = ContinuousClock.now
            let write = Task { try await hall.updateData(["n": FieldValue.increment(Int64(1))]) }
            let pending = try await seen.first { $0["n"] as? Int == 2 }
            #expect(pending.metadata.hasPendingWrites)
            // The emulator gives up a write that has waited two seconds for a lock.
            _ = try await eventually {
                ContinuousClock.now - heldSince
            } is: {
                $0 > .seconds(3)
            }
            #expect(try control.document("rooms/hall").contains(#""integerValue": "1""#))
            #expect(try await client.daemonStatus().queueBatchCount == 1)
            try control.rollBack(transaction)
            _ = try await write.value
            #expect(try control.document("rooms/hall").contains(#""integerValue": "2""#))
            let settled = try await seen.first { !$0.metadata.hasPendingWrites }
            #expect(settled["n"] as? Int == 2)
            let status = try await client.daemonStatus()
            #expect(status.queueBatchCount == 0)
            #expect(status.deadLetterCount == 0)
        }
    }
}
