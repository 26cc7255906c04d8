import HearthModel
import HearthTesting
import Testing

/// Answers of the backend that come after the last waiting caller has gone. Each listen has a name
/// of its own on the wire, so none can be taken for another's.
struct LateAnswerSpecs {
    private let rooms = Cast.rooms

    @Test func `the late removal of a former listen does not end the present one`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.watchAcknowledges(rooms, name: 0)
        try spec.watchRemoves(rooms, name: 0)
        try spec.watchAcknowledges(rooms, name: 1)
        try spec.watchSends([Cast.hall], to: rooms, name: 1)
        try spec.watchMarksCurrent(rooms, name: 1, resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
    }

    @Test func `answers that overtake those of a former listen count at once`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.watchAcknowledges(rooms, name: 1)
        try spec.watchSends([Cast.hall], to: rooms, name: 1)
        try spec.watchMarksCurrent(rooms, name: 1, resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        try spec.watchAcknowledges(rooms, name: 0)
        try spec.watchRemoves(rooms, name: 0)
        try spec.expectSilence()
        try spec.expectListen(to: rooms)
    }

    @Test func `documents of a former listen are not the present one's`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAcknowledges(rooms)
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.watchSends([Cast.attic], to: rooms, name: 0)
        try spec.watchAcknowledges(rooms, name: 1)
        try spec.watchSends([Cast.hall], to: rooms, name: 1)
        try spec.watchMarksCurrent(rooms, name: 1, resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        try spec.expectLimbo([])
    }

    @Test func `the refusal of a former listen does not end the present one`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.watchRemoves(
            rooms, name: 0, cause: HearthError(code: .permissionDenied, message: "No."))
        try spec.expectSilence()
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
    }

    @Test func `messages about a target that nobody listens to any more are ignored`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.userUnlistens(from: rooms)
        try spec.watchAcknowledges(rooms)
        try spec.watchSends([Cast.hall], to: rooms)
        try spec.watchFilters(rooms, count: 5)
        try spec.watchMarksCurrent(rooms, resumeToken: "r1", at: 1_000)
        try spec.watchRemoves(rooms)
        try spec.expectSilence()
        spec.userListens(to: rooms)
        try spec.expectListen(to: rooms)
    }

    @Test func `a count for a former listen does not make the present one start anew`() throws {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.userUnlistens(from: rooms)
        spec.userListens(to: rooms)
        try spec.watchFilters(rooms, count: 0, name: 0)
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectListen(to: rooms, from: Cast.token("r1"), expectedCount: 1)
    }

    @Test
    func `a listen that starts anew after a mismatch ignores what its former name still says`()
        throws
    {
        let spec = try FirestoreSpec()
        spec.userListens(to: rooms)
        try spec.watchAnswers(rooms, with: [Cast.hall], resumeToken: "r1", at: 1_000)
        try spec.expectSnapshot(of: rooms, added: [Cast.hall], isFromCache: false)
        try spec.watchFilters(rooms, count: 2)
        try spec.watchReachesSnapshot(at: 1_001)
        try spec.expectSnapshot(of: rooms, isFromCache: true)
        try spec.watchSends([Cast.attic], to: rooms, name: 0)
        try spec.watchMarksCurrent(rooms, name: 0, resumeToken: "r2", at: 1_002)
        try spec.watchRemoves(rooms, name: 0)
        try spec.expectSilence()
        let shed = Cast.room("shed")
        try spec.watchAcknowledges(rooms, name: 1)
        try spec.watchSends([Cast.hall, shed], to: rooms, name: 1)
        try spec.watchMarksCurrent(rooms, name: 1, resumeToken: "r3", at: 1_003)
        try spec.expectSnapshot(of: rooms, added: [shed], isFromCache: false)
    }
}
