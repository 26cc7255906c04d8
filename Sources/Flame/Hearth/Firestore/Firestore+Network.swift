import HearthModel
import HearthWire

/// The network, the queue, and the end.
extension Firestore {
    /// Waits until the backend has answered the writes that were accepted before: of the whole
    /// machine, unless told otherwise.
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

    /// Wants the network to be used, which is so from the start.
    public func enableNetwork() async throws {
        _ = try await request(.firestore(.voteNetwork(isEnabled: true)))
    }

    /// Wants the network to be left alone.
    ///
    /// The daemon stays away from the backend while every program that uses the database wants so;
    /// while any other wants it, this program goes on sharing what comes. A program that may not
    /// administer the daemon decides for itself alone: its listeners and reads show the cache, and its
    /// writes are sent in their order, since all programs share one queue. The wish ends with
    /// `enableNetwork`, with `terminate`, or with the program.
    public func disableNetwork() async throws {
        _ = try await request(.firestore(.voteNetwork(isEnabled: false)))
    }

    /// Ends the connection and everything that waits for it, and returns when all of it has ended.
    /// Writes that the daemon has accepted go on.
    ///
    /// What is under way fails with `cancelled`, later calls with `failedPrecondition`.
    public func terminate() async throws {
        await withCheckedContinuation { continuation in
            terminate { _ in continuation.resume() }
        }
    }
}

/// The same with closures.
extension Firestore {
    /// Waits until the backend has answered the writes of the whole machine that were accepted
    /// before, and calls back.
    public func waitForPendingWrites(completion: @escaping @Sendable ((any Error)?) -> Void) {
        request(.firestore(.waitForPendingWrites), completion)
    }

    /// Wants the network to be used, and calls back when the daemon knows.
    public func enableNetwork(completion: (@Sendable ((any Error)?) -> Void)?) {
        request(.firestore(.voteNetwork(isEnabled: true)), completion)
    }

    /// Wants the network to be left alone, and calls back when the daemon knows.
    public func disableNetwork(completion: (@Sendable ((any Error)?) -> Void)?) {
        request(.firestore(.voteNetwork(isEnabled: false)), completion)
    }

    /// Ends the connection and everything that waits for it, and calls back when all of it has ended.
    public func terminate(completion: (@Sendable ((any Error)?) -> Void)?) {
        let callbacks = client.callbacks
        client.close()
        guard let completion else { return }
        client.whenEnded { callbacks.enqueue { completion(nil) } }
    }

    /// Forgets what the machine holds of this database, and calls back.
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

    /// Asks the daemon once, and calls back if there is anything to call.
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
    /// Those of every program of the machine.
    case everyProgram
    /// Those that were made through this `Firestore`.
    case thisFirestore
}
