import HearthModel

/// The snapshots of a query or a document: the first soon, then one for each change.
///
///     for try await rooms in db.collection("rooms").snapshots { ... }
///
/// Each loop has a listener of its own. The listener ends when the loop's iterator goes or the task
/// is cancelled. A loop that is slower than the changes skips states, but no change:
/// `documentChanges` lists all differences from the snapshot that the loop saw last.
public struct SnapshotSequence<Element: Sendable>: AsyncSequence, Sendable {
    private let client: Client
    private let query: Result<HearthModel.Query, FirestoreError>
    private let options: SnapshotListenOptions
    private let element: @Sendable (ViewUpdate) -> Element

    init(
        client: Client, query: HearthModel.Query, options: SnapshotListenOptions,
        element: @escaping @Sendable (ViewUpdate) -> Element
    ) {
        self.init(client: client, query: .success(query), options: options, element: element)
    }

    init(
        client: Client, query: Result<HearthModel.Query, FirestoreError>,
        options: SnapshotListenOptions, element: @escaping @Sendable (ViewUpdate) -> Element
    ) {
        self.client = client
        self.query = query
        self.options = options
        self.element = element
    }

    /// Begins to listen.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            listener: SnapshotListener(client: client, query: query, options: options),
            element: element)
    }

    /// One listener, for one loop.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let listener: SnapshotListener
        fileprivate let element: @Sendable (ViewUpdate) -> Element

        /// Waits for the next snapshot; `nil` if the task was cancelled.
        ///
        /// - Throws: `FirestoreError` once, when the listener has failed.
        public mutating func next() async throws -> Element? {
            try await listener.next().map(element)
        }
    }
}
