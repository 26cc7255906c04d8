package import HearthEngine
import Synchronization

/// Connections that read beside the writer. Safe to use from any thread.
///
/// A reader sees the store as one commit left it, and is never in the writer's way. There are as
/// many readers as callers at once; a few stay open between calls.
package final class ReaderPool<Content: StoreContent>: Sendable {
    let configuration: GroupStoreConfiguration<Content>
    private let leavesUntouched: Bool
    private let idle = Mutex<[Connection]>([])
    private let settler = Mutex<(@Sendable () -> Bool)?>(nil)

    /// Readers of a store, open or not. A missing file is an error at the first reading.
    ///
    /// - Parameter leavesUntouched: Whether no byte of the store's files is changed, and no file made beside
    ///   them. Nobody may have the store open then, or open the store as long as the readers live.
    package init(
        _ configuration: GroupStoreConfiguration<Content>, leavesUntouched: Bool = false
    ) {
        self.configuration = configuration
        self.leavesUntouched = leavesUntouched
    }

    /// Sets the closure that makes all accepted writes visible before a read, and tells whether all
    /// are.
    func setSettler(_ body: @escaping @Sendable () -> Bool) {
        settler.withLock { $0 = body }
    }

    /// Makes all accepted writes visible.
    ///
    /// - Parameter attemptCountMax: How often the call waits for the open group, 1 or more times.
    /// - Returns: False if the disk does not take the writes, or the open group takes too long.
    package func showsAllWrites(attemptCountMax: Int) -> Bool {
        guard let settle = settler.withLock({ $0 }) else { return true }
        for _ in 1...attemptCountMax where settle() { return true }
        return false
    }

    /// Reads in one transaction, and returns the result with the store's version.
    ///
    /// Blocks on the disk.
    ///
    /// - Throws: `StoreError` from opening or reading the file, or from `body`.
    package func read<Result>(_ body: (Content.Reader) throws(StoreError) -> Result)
        throws(StoreError) -> Stamped<Result>
    {
        _ = settler.withLock { $0 }?()  // If the disk fails, the commits before are read.
        let connection = try take()
        let transaction = configuration.content.transaction(on: connection)
        do throws(StoreError) {
            try connection.statement("BEGIN").run()
            // The first look at the file fixes what the rest of the transaction sees.
            let version = try transaction.storedVersion()
            let value = try body(configuration.content.reader(of: transaction))
            try connection.statement("COMMIT").run()
            giveBack(connection)
            return Stamped(value: value, version: version)
        } catch {
            // A failed connection is not given back: closing the connection ends the transaction.
            throw error
        }
    }

    private func take() throws(StoreError) -> Connection {
        if let connection = idle.withLock({ $0.popLast() }) { return connection }
        let connection = try connect()
        try connection.execute(
            """
            PRAGMA query_only = 1;
            PRAGMA cache_size = -\(configuration.memory.readerPageCacheByteCount >> 10);
            """)
        return connection
    }

    /// Opens the database to read.
    func connect() throws(StoreError) -> Connection {
        leavesUntouched
            ? try Connection(untouched: configuration.path)
            : try Connection(path: configuration.path, isReadOnly: true)
    }

    private func giveBack(_ connection: Connection) {
        idle.withLock { idle in
            if idle.count < configuration.memory.idleReaderCountMax { idle.append(connection) }
        }
    }
}

/// A result and the version of the store that it was read from.
package struct Stamped<Value> {
    /// The result.
    package let value: Value
    /// The version.
    package let version: StoreVersion
}

extension Stamped: Sendable where Value: Sendable {}
