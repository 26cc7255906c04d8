import Glibc
import HearthEngine
import HearthFirestore
import HearthSQLite
import HearthStore
import HearthTestSupport
import HearthTesting

extension StoryBacking {
    /// Every kind of store that stories are told with.
    static var all: [StoryBacking] { [.memory, .keptMemory(), .sqlite()] }

    /// A store on disk, in a folder that goes with the last who knows it.
    static func sqlite() -> StoryBacking {
        let folder = TemporaryFolder()
        let configuration = StoreConfiguration(
            path: "\(folder.path)/store.sqlite", database: StoryReader.database)
        return StoryBacking(
            name: "SQLite", isDurable: true, keepsIndexes: true,
            open: { () throws(StoreError) in
                withExtendedLifetime(folder) {}
                return try SQLiteStore(configuration)
            },
            erase: {
                // What is left behind shows when the store is opened again.
                try? configuration.files.remove()
            })
    }
}
