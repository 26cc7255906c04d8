package import HearthEngine
import HearthFirestore
import HearthSQLite

/// The table `ledger`: what each program read in a day by queries of one shape.
///
/// The intake log cannot tell the ledger's rows, so the store commits a group with such rows to the
/// database at once: once a minute at most.
extension SQLiteTransaction {
    package func ledgerRows(
        from first: LedgerDay, before end: LedgerDay, ofUser uid: UInt32?,
        _ body: (LedgerRow) -> Void
    ) throws(StoreError) {
        let statement = try connection.statement(
            """
            SELECT day, uid, unit, program, shape, reads, alone_reads FROM ledger
                WHERE day >= ? AND day < ? AND (? < 0 OR uid = ?)
            """)
        let user = uid.map { Int64($0) } ?? -1
        try statement.bind(first.number, end.number, user, user).forEach {
            row throws(StoreError) in
            let program = LedgerProgram(
                uid: UInt32(exactly: row.int(1)), unit: row.text(2) ?? "", name: row.text(3) ?? "")
            body(
                LedgerRow(
                    LedgerRow.Name(
                        day: LedgerDay(row.int(0)), program: program, shape: row.text(4) ?? ""),
                    sums: LedgerSums(
                        reads: UInt64(clamping: row.int(5)),
                        aloneReads: UInt64(clamping: row.int(6)))))
        }
    }

    package func setLedgerRows(_ rows: [LedgerRow]) throws(StoreError) {
        for row in rows {
            let program = row.name.program
            try connection.statement("INSERT OR REPLACE INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?)")
                .bind(
                    row.name.day.number, program.uid.map { Int64($0) } ?? -1, program.unit,
                    program.name, row.name.shape, Int64(clamping: row.sums.reads),
                    Int64(clamping: row.sums.aloneReads)
                ).run()
        }
    }

    package func removeLedgerRows(before day: LedgerDay) throws(StoreError) {
        try connection.statement("DELETE FROM ledger WHERE day < ?").bind(day.number).run()
    }
}
