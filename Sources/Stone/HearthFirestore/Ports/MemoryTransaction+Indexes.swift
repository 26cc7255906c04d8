package import HearthEngine
package import HearthModel

/// A store in memory has no indexes, as the SDKs' memory caches have none: a scan of it is quick.
extension MemoryTransaction {
    package func indexes() throws(StoreError) -> [StoredIndex] { [] }

    package func addIndex(_ index: FieldIndex, isAutomatic: Bool) throws(StoreError) -> Bool {
        false
    }

    package func removeIndex(_ id: IndexID) throws(StoreError) {}

    package func backfillIndexes(countMax: Int) throws(StoreError) -> BackfillProgress {
        BackfillProgress(count: 0, isDone: true)
    }

    package func localDocuments(_ scan: IndexScan, of user: UserID) throws(StoreError)
        -> ScanResult
    {
        preconditionFailure("A walk through \(scan.index.index), which was never made")
    }
}
