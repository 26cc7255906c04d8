package import HearthEngine
import HearthFirestore
package import HearthModel
import HearthSQLite

/// The table `sending_terms`: what writers say of the sending of their writes.
extension SQLiteTransaction {
    package func terms() throws(StoreError) -> [BatchID: SendingTerms] {
        let statement = try connection.statement(
            "SELECT batch, expires_at, only FROM sending_terms")
        var terms: [BatchID: SendingTerms] = [:]
        try statement.forEach { row throws(StoreError) in
            terms[BatchID(row.int(0))] = try SendingTerms(
                storedExpiry: row.isNull(1) ? nil : row.int(1), only: row.text(2))
        }
        return terms
    }

    /// The terms of one batch; `nil` if there are none. O(log n).
    func terms(of batch: BatchID) throws(StoreError) -> SendingTerms? {
        try connection.statement("SELECT expires_at, only FROM sending_terms WHERE batch = ?")
            .bind(batch.rawValue)
            .map { row throws(StoreError) in
                try SendingTerms(
                    storedExpiry: row.isNull(0) ? nil : row.int(0), only: row.text(1))
            }.first
    }

    package func setTerms(_ terms: SendingTerms?, of batch: BatchID) throws(StoreError) {
        try logged { () throws(StoreError) in
            if let terms {
                try connection.statement("INSERT OR REPLACE INTO sending_terms VALUES (?, ?, ?)")
                    .bind(batch.rawValue, terms.expiresAt?.microseconds, terms.storedOnly).run()
            } else {
                try connection.statement("DELETE FROM sending_terms WHERE batch = ?")
                    .bind(batch.rawValue).run()
            }
        } as: {
            $0.terms(terms, of: batch)
        }
    }
}

extension SendingTerms {
    private static let online = "online"

    /// The word that the store keeps for writes that are only for now.
    var storedOnly: String { isOnlineOnly ? Self.online : "" }

    /// Reads stored terms.
    ///
    /// - Throws: `StoreError.damaged` for what no terms leave.
    init(storedExpiry: Int64?, only: String?) throws(StoreError) {
        guard let only, only.isEmpty || utf8Equals(only, Self.online) else {
            throw .damaged("the terms of a batch")
        }
        self.init(
            expiresAt: storedExpiry.map { Timestamp(microseconds: $0) }, isOnlineOnly: !only.isEmpty
        )
        if areNone { throw .damaged("the terms of a batch") }
    }
}
