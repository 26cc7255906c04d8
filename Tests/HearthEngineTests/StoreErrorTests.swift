import HearthModel
import Testing

@testable import HearthEngine

struct StoreErrorTests {
    @Test(arguments: [
        StoreError.full("x"), .io("x"), .damaged("x"), .misfit("x"), .foreign("x"), .locked("x"),
    ])
    func `a refusal says that nothing was changed`(error: StoreError) {
        #expect(HearthError.storeFailed(error).message.contains("Nothing was changed"))
    }

    @Test func `what a crash may bring back is not denied, and is no leave to write again`() {
        let error = HearthError.storeFailed(.unsettled("the log cannot be cut back"))
        #expect(!error.message.contains("Nothing was changed"))
        #expect(error.message.contains("nobody knows yet"))
        #expect(error.code == .dataLoss)
        #expect(StoreError.unsettled("x").damage == nil)
    }
}
