/// Where a store lies, what it is about, and what it may use.
package struct GroupStoreConfiguration<Content: StoreContent>: Hashable, Sendable {
    /// The database file. Beside it lie `-intake`, `-wal`, `-shm` and `-lock`.
    package let path: String
    /// What the store is about; a file of another is refused.
    package let content: Content
    /// Memory for pages.
    package var memory: StoreMemory

    /// Memory for pages of the writing connection.
    package var pageCacheByteCount: Int {
        get { memory.pageCacheByteCount }
        set { memory.pageCacheByteCount = newValue }
    }

    /// The size of the intake log; 0 for none.
    package var intakeByteCount = StoreLimits.intakeByteCount

    /// After this time, the next group commits what waits for it, so that copies of the file are young.
    package var intakeAgeMax = StoreLimits.intakeAgeMax

    /// Describes a store.
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

    /// The most that all pages of the store take while nobody reads, with those of the thread that copies
    /// the WAL.
    package var byteCountMax: Int {
        pageCacheByteCount + readerPageCacheByteCount * idleReaderCountMax + (2 << 20)
    }
}
