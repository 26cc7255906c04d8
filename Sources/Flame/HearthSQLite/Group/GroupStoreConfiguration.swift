/// A store's place and content, and the resources that the store may use.
package struct GroupStoreConfiguration<Content: StoreContent>: Hashable, Sendable {
    /// The database file. Beside it lie `-intake`, `-wal`, `-shm` and `-lock`.
    package let path: String
    /// The store's content; the store refuses a file of another content.
    package let content: Content
    /// Memory for pages.
    package var memory: StoreMemory

    /// Memory for pages of the writing connection.
    package var pageCacheByteCount: Int {
        get { memory.pageCacheByteCount }
        set { memory.pageCacheByteCount = newValue }
    }

    /// The size of the intake log when there is much to do; 0 for none.
    package var intakeByteCount = StoreLimits.intakeByteCount

    /// How long groups may wait in the log alone.
    ///
    /// The next group then commits all waiting groups, so that copies of the file are young.
    package var intakeAgeMax = StoreLimits.intakeAgeMax

    /// Describes a store.
    ///
    /// - Parameters:
    ///   - path: The database file. The store's other files lie beside it.
    ///   - content: The store's content; the store refuses a file of another content.
    ///   - memory: Memory for pages.
    package init(path: String, content: Content, memory: StoreMemory = .large) {
        self.path = path
        self.content = content
        self.memory = memory
    }

    /// The files of the store.
    package var files: StoreFiles { StoreFiles(path: path) }
}

/// How much memory the pages of a store may take.
package struct StoreMemory: Hashable, Sendable {
    /// For the writing connection.
    package var pageCacheByteCount: Int
    /// For each reading connection.
    package var readerPageCacheByteCount: Int
    /// Reading connections kept open while nobody reads.
    package var idleReaderCountMax: Int

    /// For a store that much is asked of.
    package static let large = StoreMemory(
        pageCacheByteCount: StoreLimits.pageCacheByteCount,
        readerPageCacheByteCount: StoreLimits.readerPageCacheByteCount,
        idleReaderCountMax: StoreLimits.idleReaderCountMax)

    /// For one of many.
    package static let small = StoreMemory(
        pageCacheByteCount: 4 << 20, readerPageCacheByteCount: 2 << 20, idleReaderCountMax: 1)

    /// The most memory that the store's pages take while nobody reads.
    ///
    /// The sum includes the pages of the thread that copies the WAL.
    package var byteCountMax: Int {
        pageCacheByteCount + readerPageCacheByteCount * idleReaderCountMax + (2 << 20)
    }
}
