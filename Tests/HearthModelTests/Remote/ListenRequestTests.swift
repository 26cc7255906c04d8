import HearthModel
import Testing

struct ListenRequestTests {
    @Test func `a purpose has the label that the backend counts by`() {
        #expect(TargetPurpose.listen.label == nil)
        #expect(TargetPurpose.existenceFilterMismatch.label == "existence-filter-mismatch")
        #expect(
            TargetPurpose.existenceFilterMismatchBloom.label == "existence-filter-mismatch-bloom")
        #expect(TargetPurpose.limboResolution.label == "limbo-document")
    }

    @Test func `a request starts from nothing unless told otherwise`() {
        let request = ListenRequest(wireID: WireTargetID(2), target: Target(path: path("c")))
        #expect(request.resumePoint == .start)
        #expect(request.expectedCount == nil && request.purpose == .listen)
    }
}
