/// The records that an intake log holds, whatever became of the database.
///
/// A record that the database has got since counts too, as long as nothing was written over the
/// record.
package struct SalvagedIntake {
    /// The records that are sound, in the order of their versions.
    package private(set) var records: [IntakeRecord] = []
    /// The number that all the records bear.
    package let salt: UInt64

    /// Reads a log; `nil` if there is none, or it has no record.
    ///
    /// - Parameter salt: The number that the database knows. Without one, the first record in the
    ///   file tells the number: each new log writes from the file's beginning, so the first record
    ///   is of the last log.
    package init?(_ path: String, salt: UInt64?) {
        guard let file = RawFile(path),
            let bytes = file.bytes(
                min(file.byteCount, StoreLimits.intakeReadByteCountMax), at: 0)
        else { return nil }
        let found = bytes.withUnsafeBytes { log -> (UInt64, [StoreVersion: IntakeRecord])? in
            guard let salt = salt ?? IntakePages.firstSalt(in: log) else { return nil }
            var records: [StoreVersion: IntakeRecord] = [:]
            IntakePages.eachRecord(of: log, salt: salt) { records[$0.version] = $0 }
            return (salt, records)
        }
        guard let (known, records) = found, !records.isEmpty else { return nil }
        self.salt = known
        self.records = records.values.sorted { $0.version < $1.version }
    }

    /// The version that the last record led to.
    package var lastVersion: StoreVersion { records.last?.version ?? StoreVersion(0) }

    /// The version of the first record in the gapless run of records up to a version.
    ///
    /// Returns `nil` if the last record led to another version.
    package func runStart(upTo version: StoreVersion) -> StoreVersion? {
        guard lastVersion == version else { return nil }
        var start = lastVersion
        for record in records.reversed().dropFirst() {
            guard record.version.next == start else { break }
            start = record.version
        }
        return start
    }

    /// Whether any record tells of a group. The first record of a log does not.
    package var hasContent: Bool { records.contains { !$0.bytes.isEmpty } }
}
