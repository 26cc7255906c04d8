/// Documents read, as the backend bills them.
package struct LedgerSums: Hashable, Sendable {
    /// Reads that the backend bills, or a program's share of them.
    package var reads: UInt64 = 0
    /// What the same would have cost if the program had a memory alone, and nobody to share with.
    package var aloneReads: UInt64 = 0

    /// Nothing.
    package init() {}

    /// Takes the sums.
    package init(reads: UInt64, aloneReads: UInt64) {
        self.reads = reads
        self.aloneReads = aloneReads
    }

    /// Reads that nobody had to pay for; 0 if there are none.
    package var savedReads: UInt64 { aloneReads > reads ? aloneReads - reads : 0 }

    /// Adds others. Sums stop at the largest number instead of passing it.
    package mutating func add(_ other: LedgerSums) {
        reads = reads.added(other.reads)
        aloneReads = aloneReads.added(other.aloneReads)
    }
}

extension UInt64 {
    /// The sum, or the largest number if that is less.
    package func added(_ other: UInt64) -> UInt64 {
        let (sum, isTooMuch) = addingReportingOverflow(other)
        return isTooMuch ? .max : sum
    }
}
