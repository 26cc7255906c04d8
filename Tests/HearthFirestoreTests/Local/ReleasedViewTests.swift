import HearthEngine
import HearthFirestore
import HearthModel
import Testing

@testable import HearthFirestore

struct ReleasedViewTests {
    @Test func `the end of a large view notes the use of some of its documents`() throws {
        let count = CollectionLimits.releasedCountMax + 200
        let documents = (0..<count).map { number in
            var room = document("rooms/r\(number)")
            room.readAt = room.version
            return room
        }
        let store = MemoryStore()
        var local = LocalStore(user: .unauthenticated, policy: .leastUsed(cacheByteCountMax: nil))
        let before = try store.transaction { store throws(StoreError) -> ListenSequenceNumber in
            try local.start(store)
            for document in documents { try store.setRemoteDocument(document) }
            try store.touch(documents.map(\.key), at: local.sequenceNumber())
            try local.finishTurn(store)
            return local.globals.sequenceNumber
        }
        let leastUsed = try store.transaction { store throws(StoreError) in
            try local.viewsReleased(documents.map(\.key), store)
            return (
                try store.sequenceNumber(ofLeastUsed: 200, after: .min),
                try store.sequenceNumber(ofLeastUsed: 201, after: .min)
            )
        }
        #expect(leastUsed.0 == before)
        #expect(leastUsed.1 == before + 1)
    }
}
