import HearthEngine
import HearthSQLite
import HearthStore

/// The store of an engine on the disk, with its rescue, its reserve and its readers.
struct DiskStore<Content: SalvagedContent>: Sendable where Content.Reader: BlankReading {
    private let configuration: GroupStoreConfiguration<Content>
    private let readers: OpenReaders<Content>
    fileprivate let rescue: StoreRescue<Content>
    fileprivate let reserve: StoreReserve

    /// Names a store, open or not.
    ///
    /// - Parameter readers: Read the store from each opening on.
    init(
        _ configuration: GroupStoreConfiguration<Content>, readers: OpenReaders<Content>,
        keepsHistory: Bool = false
    ) {
        self.configuration = configuration
        self.readers = readers
        rescue = StoreRescue(configuration, keepsHistory: keepsHistory)
        reserve = StoreReserve(besides: configuration.path)
    }

    /// Where the store lies.
    var path: String { configuration.path }

    /// Opens the store, with the folders above the store. Blocks on the disk.
    func open() throws(StoreError) -> OpenedStore<GroupStore<Content>> {
        try StoreFolder.makeFolders(aboveStore: path)
        let opened = try rescue.open(at: SystemClock().now())
        readers.use(opened.store.readers)
        return opened
    }

    /// Gives back what the store takes while its engine runs, once the engine has closed the store.
    /// Blocks on the disk.
    func cleanUp() {
        readers.stop()
        reserve.spend()
        removeBlank()
    }

    /// Removes a store that nobody has open and that holds nothing. What cannot be read stays.
    private func removeBlank() {
        do throws(StoreError) {
            let isBlank = try ReaderPool(configuration).read { reader throws(StoreError) in
                try reader.isBlank()
            }.value
            guard isBlank else { return }
            try configuration.files.remove()
            StoreFolder.removeFolder(above: path)
        } catch {
            // It is found again, and closed again, with the next who asks for it.
        }
    }
}

/// A reader that tells whether a store is worth its files.
protocol BlankReading {
    /// Whether the store holds nothing, and never did.
    func isBlank() throws(StoreError) -> Bool
}

extension StoreReader: BlankReading {}

extension RealtimeReader: BlankReading {}

extension EngineHost.Parts {
    /// Gives the host the functions that look after a store on the disk: for free pages, for the
    /// reserve and for the rescue.
    mutating func use<Content>(_ store: DiskStore<Content>) where Store == GroupStore<Content> {
        let (rescue, reserve) = (store.rescue, store.reserve)
        shrink = { store throws(StoreError) in
            if try store.shrink(pageCountMax: RecordLimits.shrinkPageCount) { return true }
            reserve.grow()
            return false
        }
        probe = { store throws(StoreError) in try store.probe() }
        takeReserve = { () throws(StoreError) in try reserve.take() }
        releaseReserve = { reserve.release() }
        spendReserve = { reserve.spend() }
        keepReserve = { reserve.takeWhatIsThere() }
        advise = { error in
            guard case .full(let detail) = error else { return error }
            return .full("\(detail). \(reserve.advice)")
        }
        condemn = { reason throws(StoreError) in
            try rescue.condemn(reason, at: SystemClock().now())
        }
    }
}
