import HearthModel
import HearthWire

/// Orders about the network and about writes without an answer.
extension Database {
    /// Keeps this program's observers and reads from the backend, until `goOnline()`: they show the
    /// cache, and `.info/connected` is false.
    ///
    /// The daemon sends the program's writes in their turn, because all programs share one queue;
    /// `hearth network` stops the queue for everybody.
    public func goOffline() { withhold(true) }

    /// Ends `goOffline()`.
    public func goOnline() { withhold(false) }

    private func withhold(_ isWithheld: Bool) {
        client.request(
            client.nextOperation(), .realtime(.withhold(isWithheld: isWithheld))
        ) { result in
            if case .failure(let error) = result {
                ClientLog.note("the daemon does not know that the program is offline: \(error)")
            }
        }
    }

    /// Takes back all writes and transactions of this `Database` that the backend has not answered.
    /// Their completions get the error `cancelled`. What other programs write stays.
    ///
    /// A transaction on its way to the backend may still succeed. The completion of the transaction
    /// then reports success.
    public func purgeOutstandingWrites() {
        client.request(client.nextOperation(), .realtime(.purgeOwnWrites)) { result in
            if case .failure(let error) = result {
                ClientLog.note("the writes were not taken back: \(error)")
            }
        }
    }

    /// Waits until the backend has answered the writes that the daemon accepted before the call.
    ///
    /// - Parameter writers: Whose writes to wait for.
    /// - Throws: `DatabaseError` `unavailable` if no daemon answers.
    public func waitForPendingWrites(
        of writers: DatabaseWriters = .everyProgram
    ) async throws {
        switch writers {
        case .everyProgram: _ = try await request(.waitForPendingWrites)
        // The last write is filled in when the request goes out.
        case .thisDatabase: _ = try await request(.waitForOwnWrites(last: .none))
        }
    }

    /// Asks the daemon once.
    ///
    /// - Throws: `DatabaseError`, or `CancellationError` if the task is cancelled.
    func request(_ request: InstanceRequest) async throws -> Event {
        try await ask(.realtime(request))
    }

    /// Asks the daemon once, whatever the family of the request.
    ///
    /// - Throws: As `request`.
    func ask(_ request: Request) async throws -> Event {
        let client = client
        let id = client.nextOperation()
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    client.request(id, request) { continuation.resume(with: $0) }
                    if Task.isCancelled { client.cancel(id) }
                }
            } onCancel: {
                client.cancel(id)
            }
        } catch {
            throw DatabaseError.translated(error)
        }
    }
}

extension DatabaseReference {
    /// Keeps the observers and reads of this program's shared databases from the backend.
    public class func goOffline() { Database.inUse.forEach { $0.goOffline() } }

    /// Ends `goOffline()` for this program's shared databases.
    public class func goOnline() { Database.inUse.forEach { $0.goOnline() } }
}

/// Whose writes to wait for.
public enum DatabaseWriters: Hashable, Sendable {
    /// The writes of every program of the machine.
    case everyProgram
    /// The writes that were made through this `Database`.
    case thisDatabase
}
