import HearthModel

/// A listener that can be ended. The listener goes on if the registration is thrown away.
public protocol ListenerRegistration: Sendable {
    /// Ends the listener. Hearth does not call the closure any more; a call under way goes on.
    func remove()
}

/// A listener of a client.
final class ClientListenerRegistration: ListenerRegistration {
    private let client: Client
    private let id: Client.OperationID
    private let mailbox: SnapshotMailbox?

    init(client: Client, id: Client.OperationID, mailbox: SnapshotMailbox?) {
        self.client = client
        self.id = id
        self.mailbox = mailbox
    }

    /// Begins to listen, and calls `listener` on the thread of callbacks.
    convenience init(
        listening client: Client, to query: HearthModel.Query, _ options: SnapshotListenOptions,
        _ listener: @escaping @Sendable (SnapshotMailbox.News) -> Void
    ) {
        let mailbox = SnapshotMailbox()
        self.init(client: client, id: client.nextOperation(), mailbox: mailbox)
        let callbacks = client.callbacks
        client.listen(id, to: query, options.wire) { news in
            guard mailbox.put(news) else { return }
            callbacks.enqueue {
                while !mailbox.isFinished, let news = mailbox.take() { listener(news) }
            }
        }
    }

    func remove() {
        mailbox?.finish()
        client.end(id)
    }
}

/// A listener that never began.
struct EndedListenerRegistration: ListenerRegistration {
    func remove() {}
}
