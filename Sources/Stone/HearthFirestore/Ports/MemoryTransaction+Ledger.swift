import HashTreeCollections
package import HearthEngine

extension MemoryTransaction {
    package func ledgerRows(
        from first: LedgerDay, before end: LedgerDay, ofUser uid: UInt32?,
        _ body: (LedgerRow) -> Void
    ) throws(StoreError) {
        for (name, sums) in state.ledger where name.day >= first && name.day < end {
            if let uid, name.program.uid != uid { continue }
            body(LedgerRow(name, sums: sums))
        }
    }

    package func setLedgerRows(_ rows: [LedgerRow]) throws(StoreError) {
        for row in rows { state.ledger[row.name] = row.sums }
    }

    package func removeLedgerRows(before day: LedgerDay) throws(StoreError) {
        state.ledger = state.ledger.filter { $0.key.day >= day }
    }
}
