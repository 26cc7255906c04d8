import HearthModel
import HearthWire

/// Orders about the network, waiting for the queue, and termination.
extension Firestore {
    /// Waits until the backend has answered the writes that the daemon accepted before the call.
    ///
    /// - Parameter writers: Whose writes to wait for.
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers, `cancelled` by `terminate`.
    public func waitForPendingWrites(
        of writers: PendingWriters = .everyProgram
    ) async throws {
        switch writers {
        case .everyProgram: _ = try await request(.firestore(.waitForPendingWrites))
        // The last batch is filled in when the request goes out.
        case .thisFirestore: _ = try await request(.firestore(.waitForOwnWrites(last: .none)))
        }
    }

    // MARK: Everything at once

    /// Calls `listener` when all listeners have been told of the latest change.
    @discardableResult
    public func addSnapshotsInSyncListener(
        _ listener: @escaping @Sendable () -> Void
    ) -> any ListenerRegistration {
        let id = client.nextOperation()
        let callbacks = client.callbacks
        client.listenToSync(id) { callbacks.enqueue(listener) }
        return ClientListenerRegistration(client: client, id: id, mailbox: nil)
    }

    /// Withdraws `disableNetwork`: this program wants the network to be used, as at the start.
    ///
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers.
    public func enableNetwork() async throws {
        _ = try await request(.firestore(.voteNetwork(isEnabled: true)))
    }

    /// Tells the daemon that this program wants no network.
    ///
    /// The program's listeners and reads then show the cache, whatever other programs want. The
    /// daemon leaves the backend alone, so that writes wait, while every program that uses the
    /// database wants no network. While another program wants the network, the daemon sends this
    /// program's writes in their turn, because all programs share one queue; so too if this program
    /// may not administer the daemon. The wish ends with `enableNetwork`, with `terminate`, or with
    /// the program.
    ///
    /// - Throws: `FirestoreError`: `unavailable` if no daemon answers.
    public func disableNetwork() async throws {
        _ = try await request(.firestore(.voteNetwork(isEnabled: false)))
    }

    /// Ends the connection and all operations, and returns when the connection has ended.
    ///
    /// Operations under way fail with `cancelled`, later calls with `failedPrecondition`. The
    /// daemon still sends the writes that the daemon has accepted.
    public func terminate() async throws {
        await withCheckedContinuation { continuation in
            terminate { _ in continuation.resume() }
        }
    }
}

/// The same with closures.
extension Firestore {
    /// Calls `completion` when the backend has answered all writes of the machine that the daemon
    /// accepted before the call.
    public func waitForPendingWrites(completion: @escaping @Sendable ((any Error)?) -> Void) {
        request(.firestore(.waitForPendingWrites), completion)
    }

    /// Withdraws `disableNetwork`, and calls `completion` when the daemon has the wish.
    public func enableNetwork(completion: (@Sendable ((any Error)?) -> Void)?) {
        request(.firestore(.voteNetwork(isEnabled: true)), completion)
    }

    /// Tells the daemon that this program wants no network, and calls `completion` when the daemon
    /// has the wish.
    public func disableNetwork(completion: (@Sendable ((any Error)?) -> Void)?) {
        request(.firestore(.voteNetwork(isEnabled: false)), completion)
    }

    /// Ends the connection and all operations, and calls `completion` when the connection has
    /// ended.
    public func terminate(completion: (@Sendable ((any Error)?) -> Void)?) {
        let callbacks = client.callbacks
        client.close()
        guard let completion else { return }
        client.whenEnded { callbacks.enqueue { completion(nil) } }
    }

    /// Deletes all that the machine holds of this database, and calls `completion`.
    public func clearPersistence(completion: (@Sendable ((any Error)?) -> Void)?) {
        Task {
            var failure: (any Error)?
            do {
                try await clearPersistence()
            } catch {
                failure = error
            }
            guard let completion else { return }
            client.callbacks.enqueue { [failure] in completion(failure) }
        }
    }

    /// Asks the daemon once, and calls `completion`, if there is one.
    func request(_ request: Request, _ completion: (@Sendable ((any Error)?) -> Void)?) {
        let client = client
        client.request(client.nextOperation(), request) { result in
            guard let completion else { return }
            client.callbacks.enqueue {
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            }
        }
    }
}

/// Whose writes to wait for.
public enum PendingWriters: Hashable, Sendable {
    /// The writes of every program of the machine.
    case everyProgram
    /// The writes that were made through this `Firestore`.
    case thisFirestore
}
