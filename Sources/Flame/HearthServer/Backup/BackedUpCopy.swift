import Glibc
import HearthEngine
import HearthModel
import HearthSQLite
import HearthStore

/// The store of one database in a backup, copied out of the backup to a file and opened to be read.
///
/// The copy is checked as bytes from outside are, and brought to this program's schema. The file goes
/// with the value.
final class BackedUpCopy<Content: RestorableContent> {
    private let key: EngineKey
    private let configuration: GroupStoreConfiguration<Content>
    private let readers: ReaderPool<Content>

    /// Takes a store out of a backup that has been checked. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - key: The database.
    ///   - configuration: Where the file may be that the store is copied to.
    /// - Throws: `BackupError` if the store is damaged.
    /// - Complexity: O(size of the backup).
    init(
        _ key: EngineKey, of file: BackupFile, as configuration: GroupStoreConfiguration<Content>
    ) throws(BackupError) {
        self.key = key
        self.configuration = configuration
        readers = ReaderPool(configuration)
        do throws(BackupError) {
            try Self.extract(.store(key), of: file, to: configuration.path)
            try Self.reading { () throws(StoreError) in
                _ = try StoreAdoption(configuration).run(.keep)
            }
        } catch {
            Self.remove(configuration)
            throw error
        }
    }

    deinit { Self.remove(configuration) }

    /// Reads the store.
    func read<Result>(
        _ body: (Content.Reader) throws(StoreError) -> Result
    ) throws(BackupError) -> Result {
        try Self.reading { () throws(StoreError) in try readers.read(body).value }
    }

    /// Reads the store.
    ///
    /// - Throws: `dataLoss` for a store that cannot be read.
    func told<Result>(
        _ body: (Content.Reader) throws(StoreError) -> Result
    ) throws(HearthError) -> Result {
        do throws(BackupError) {
            return try read(body)
        } catch {
            throw HearthError(code: .dataLoss, message: "\(key): \(error)")
        }
    }

    private static func reading<Result>(
        _ body: () throws(StoreError) -> Result
    ) throws(BackupError) -> Result {
        do throws(StoreError) {
            return try body()
        } catch {
            switch error {
            case .damaged(let reason), .misfit(let reason): throw .damaged(reason)
            case .foreign(let reason): throw .foreign(reason)
            default: throw .store(error)
            }
        }
    }

    private static func remove(_ configuration: GroupStoreConfiguration<Content>) {
        configuration.files.removeHelpers()
        unlink(configuration.path)
    }

    private static func extract(
        _ subject: BackupEntry.Subject, of file: BackupFile, to path: String
    ) throws(BackupError) {
        let descriptor = try RestoredFile.make(path)
        defer { close(descriptor) }
        let reader = try BackupReader(file)
        var isWanted = false
        while let item = try reader.next() {
            switch item {
            case .entry(let entry): isWanted = entry.subject == subject
            case .data(let bytes):
                if isWanted { try RestoredFile.append(bytes, to: descriptor, at: path) }
            case .entryEnd: isWanted = false
            }
        }
    }
}
