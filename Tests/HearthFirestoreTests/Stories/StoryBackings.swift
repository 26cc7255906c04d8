import Glibc
import HearthFirestore
import HearthStore
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
            name: "SQLite", isDurable: true,
            open: { () throws(StoreError) in
                withExtendedLifetime(folder) {}
                return try SQLiteStore(configuration)
            },
            erase: {
                // What is left behind shows when the store is opened again.
                try? SQLiteStore.remove(configuration)
            })
    }
}

/// A folder that nobody else has, removed at the end with the files in it.
final class TemporaryFolder: Sendable {
    let path: String

    init() {
        let base = Judges.variable("TMPDIR") ?? "/tmp"
        var template = Array("\(base)/hearth-stories-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "No temporary folder in \(base)")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for file in Judges.files(in: path, ending: "") where file != "." && file != ".." {
            unlink("\(path)/\(file)")
        }
        rmdir(path)
    }
}
