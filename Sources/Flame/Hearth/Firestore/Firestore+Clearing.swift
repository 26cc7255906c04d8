import HearthWire

extension Firestore {
    /// Deletes all that the machine holds of this database: cache, named queries, indexes, and
    /// writes that were not sent yet.
    ///
    /// All programs share the cache and the queue. So only root and the daemon's own user may clear
    /// them, unless the daemon's access rules say otherwise. Call this before the first use of this
    /// `Firestore`, or after `terminate`.
    ///
    /// - Throws: `FirestoreError`: `failedPrecondition` while this `Firestore` or another program
    ///   uses the database, `permissionDenied` for other users.
    public func clearPersistence() async throws {
        guard !client.isInUse else {
            throw FirestoreError(
                .failedPrecondition,
                "This Firestore is in use, so its persistence cannot be cleared. Terminate it "
                    + "first.")
        }
        let janitor = Firestore(settings: settings, database: databaseName)
        defer { janitor.client.close() }
        for _ in 1..<Self.clearingAttemptCountMax {
            do {
                _ = try await janitor.request(.administration(.clearPersistence))
                return
            } catch let error as FirestoreError where error.code == .failedPrecondition {
                // The daemon may not have noticed yet that a program has just ended.
                try await Task.sleep(for: Self.clearingPause)
            }
        }
        _ = try await janitor.request(.administration(.clearPersistence))
    }

    /// All attempts together wait half a second.
    private static let clearingAttemptCountMax = 6
    private static let clearingPause = Duration.milliseconds(100)
}
