/// The table of the ledger: how many documents each program has read.
extension Schema {
    /// The step that brings the ledger: what each program read in a day by queries of one shape.
    ///
    /// A day is counted from 1970 (`LedgerDay`). The uid is -1 for the daemon itself and for programs that
    /// share a row.
    static let ledger = """
        CREATE TABLE ledger (
            day INTEGER NOT NULL,
            uid INTEGER NOT NULL,
            unit TEXT NOT NULL,
            program TEXT NOT NULL,
            shape TEXT NOT NULL,
            reads INTEGER NOT NULL,
            alone_reads INTEGER NOT NULL,
            PRIMARY KEY (day, uid, unit, program, shape)
        ) WITHOUT ROWID;
        """
}
