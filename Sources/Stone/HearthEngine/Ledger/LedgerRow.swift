/// One row of the ledger as a store keeps it: what a program read in a day by queries of one shape.
package struct LedgerRow: Hashable, Sendable {
    /// What tells rows apart.
    package struct Name: Hashable, Sendable {
        /// The day.
        package let day: LedgerDay
        /// The program.
        package let program: LedgerProgram
        /// The shape of the queries, in printable ASCII.
        package let shape: String

        /// Takes the parts.
        ///
        /// - Parameters:
        ///   - day: The day.
        ///   - program: The program.
        ///   - shape: The shape of the queries, in printable ASCII.
        package init(day: LedgerDay, program: LedgerProgram, shape: String) {
            self.day = day
            self.program = program
            self.shape = shape
        }
    }

    /// Which row it is.
    package let name: Name
    /// The reads of the whole day.
    package var sums: LedgerSums

    /// Takes the parts.
    package init(_ name: Name, sums: LedgerSums) {
        self.name = name
        self.sums = sums
    }
}
