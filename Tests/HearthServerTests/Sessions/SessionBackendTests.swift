import HearthEngine
import HearthFirestore
import HearthModel
import HearthServer
import HearthWire
import Testing

private let rooms = try? Query(path: ResourcePath(parsing: "rooms"))

private func request(_ number: UInt64) -> RequestID { RequestID(session: 7, number: number) }
private func failures(_ actions: [SessionMachine.Action]) -> [String] { Spoken.failures(actions) }

struct SessionBackendTests {
    private let hall = try? DocumentKey(parsing: "rooms/hall")

    @Test func `a write that was forgotten is told with its client's number`() throws {
        var spoken = Spoken.open()
        let key = try #require(hall)
        let write = FirestoreRequest.Write(
            sequence: 9, answeredBelow: 1, mutations: [Mutation(key: key, kind: .delete)])
        _ = spoken.machine.received(.firestore(.write(write)), number: 2)
        let actions = spoken.machine.delivered(.result(2, .writeForgotten))
        guard case .reply(.writeRejected(let rejected), 2)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(rejected.sequence == 9)
        #expect(rejected.isOutcomeUnknown)
        #expect(spoken.machine.delivered(.result(2, .writeForgotten)).isEmpty)
    }

    @Test func `listeners of all sessions of a user count together`() throws {
        var spoken = Spoken.open()
        spoken.machine.othersListenerCount = 100_000
        let query = try #require(rooms)
        let actions = spoken.machine.received(.firestore(.listen(query, .init())), number: 2)
        guard case .reply(.failed(let error), 2)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(error.code == .resourceExhausted)
        #expect(error.message.contains("limits.uidListenerCountMax = 100000 listeners"))
    }

    @Test func `only an administrator steers the queue, and is told what was done`() throws {
        var user = Spoken.open()
        let hold = Request.administration(.steerQueue(.hold([BatchID(3)])))
        #expect(failures(user.machine.received(hold, number: 2)) == ["2: PERMISSION_DENIED"])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1))
        #expect(
            root.machine.received(hold, number: 2)
                == [.submit(.firestore(.steerQueue(request(2), .hold([BatchID(3)]), by: 0)))])
        let steered = RequestResult.steered([HearthEngine.SteeredBatch(BatchID(3))])
        #expect(
            root.machine.delivered(.result(2, steered))
                == [.reply(.queueSteered([.init(BatchID(3))]), 2)])
    }

    @Test func `a transaction's steps go to the engine, and its answers to the client`() throws {
        var spoken = Spoken.open()
        let key = try #require(hall)
        #expect(
            spoken.machine.received(.firestore(.readDocuments([key])), number: 2)
                == [.submit(.firestore(.readForTransaction(request(2), [key])))])
        let missing = Document.missing(key, at: .zero)
        #expect(
            spoken.machine.delivered(.result(2, .documents([missing])))
                == [.reply(.documents([missing]), 2)])
        let mutation = Mutation(key: key, kind: .verify, precondition: .exists(false))
        #expect(
            spoken.machine.received(.firestore(.commit([mutation])), number: 3)
                == [.submit(.firestore(.commitTransaction(request(3), [mutation])))])
        let error = HearthError(code: .unavailable, message: "Lost.")
        #expect(
            spoken.machine.delivered(.result(3, .commitFailed(error, mayHaveBeenApplied: true)))
                == [.reply(.commitFailed(error, mayHaveBeenApplied: true), 3)])
    }

    @Test func `only administrators clear the cache, and only alone`() {
        var stranger = Spoken.open()
        #expect(
            failures(stranger.machine.received(.administration(.clearPersistence), number: 2))
                == ["2: PERMISSION_DENIED"])
        var root = Spoken.open(peer: Peer(uid: 0, gid: 0, pid: 1, unit: nil))
        #expect(
            root.machine.received(.administration(.clearPersistence), number: 2)
                == [.submitAlone(.firestore(.clearPersistence(request(2))), 2)])
    }

    @Test func `an index that cannot be is refused before it enters`() {
        var spoken = Spoken.open()
        let index = WireIndex(collectionGroup: "rooms", fields: [])
        #expect(
            failures(spoken.machine.received(.firestore(.manageIndexes(.add(index))), number: 2))
                == ["2: INVALID_ARGUMENT"])
        #expect(
            failures(
                spoken.machine.received(.firestore(.manageIndexes(.configure("["))), number: 3))
                == ["3: INVALID_ARGUMENT"])
        #expect(
            spoken.machine.received(.firestore(.manageIndexes(.removeAll)), number: 4)
                == [.submit(.firestore(.manageIndexes(request(4), .removeAll)))])
    }

    @Test func `a bundle's parts are answered with how much has come`() throws {
        var spoken = Spoken.open()
        let head =
            #"{"metadata":{"id":"b","createTime":"2020-01-01T00:00:00Z","version":1,"#
            + #""totalDocuments":3,"totalBytes":"1000"}}"#
        let part = FirestoreRequest.BundlePart(
            data: Array("\(head.utf8.count)\(head)".utf8), hasMore: true)
        let actions = spoken.machine.received(.firestore(.loadBundle(part)), number: 2)
        guard case .reply(.bundleProgress(let progress), 2)? = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(progress.totalDocuments == 3)
        #expect(progress.totalBytes == 1_000)
        // A bundle's length, which its first element tells, is without that element.
        #expect(progress.bytesLoaded == 0)
        #expect(!progress.isFinished)
    }
}
