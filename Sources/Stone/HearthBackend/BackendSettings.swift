/// How long and how much a backend remembers.
package struct BackendSettings: Sendable {
    /// How far back a read time or a resume token may lie. Production keeps about an hour.
    package var historyAgeMax = Duration.seconds(3_600)
    /// Commits remembered at most, whatever their age; bounds what a busy hour costs in memory.
    package var historyCommitCountMax = 50_000
    /// The size of the versions remembered at most, by Firestore's own rule of sizes.
    package var historyByteCountMax = 256 * 1_024 * 1_024
    /// How long a write waits for the locks of a transaction before it is aborted.
    package var lockWaitMax = Duration.seconds(2)
    /// How long a transaction may live.
    package var transactionAgeMax = Duration.seconds(270)
    /// How long a transaction may be left alone.
    package var transactionIdleMax = Duration.seconds(60)
    /// Transactions open at once; a client that opens more without ending any is broken.
    package var transactionCountMax = 10_000

    /// The indexes without which production would refuse a query; `nil` to demand none.
    package var indexes: IndexCatalog?

    /// Production's limits, as far as they are known.
    package init() {}
}
