import HearthModel

/// What the backend's answers to a call past the engine cost.
package struct ForwardedBill: Hashable, Sendable {
    /// The documents that the backend bills.
    package let readCount: UInt64
    /// What was asked.
    package let shape: QueryShape

    /// Takes the parts.
    package init(readCount: UInt64, shape: QueryShape) {
        self.readCount = readCount
        self.shape = shape
    }
}

extension FirestoreEngine {
    /// Books what a session has read past the engine.
    mutating func bill(_ bill: ForwardedBill, of session: UInt64, _ now: Timestamp) {
        ledger.read(bill.readCount, bill.shape, by: session, at: now)
    }
}
