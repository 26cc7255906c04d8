import HearthModel
import Testing

struct IdentifiersTests {
    @Test func `targets have the order of their numbers`() {
        #expect(TargetID(2) < TargetID(4))
        #expect("\(TargetID(2)) \(WireTargetID(7))" == "2 7")
        #expect(WireTargetID(7) < WireTargetID(9))
    }

    @Test func `no batch is below every batch`() {
        #expect(BatchID.none < BatchID(1))
        #expect("\(BatchID(12))" == "12")
    }

    @Test func `nobody has an empty id and a name for readers`() {
        #expect(UserID.unauthenticated.rawValue.isEmpty)
        #expect("\(UserID.unauthenticated) \(UserID("ann"))" == "unauthenticated ann")
    }

    @Test func `an empty resume token is none`() {
        #expect(ResumeToken([]) == nil)
        #expect(ResumeToken([1, 2])?.bytes == [1, 2])
    }

    @Test func `versions follow time, from zero`() {
        #expect(SnapshotVersion.zero < version(1))
        #expect(version(1) < version(2))
        #expect("\(version(1_500_000))" == "1970-01-01T00:00:01.500Z")
    }
}
