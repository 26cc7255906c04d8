import Glibc
import HearthEngine
import HearthModel
import HearthTestSupport
import Testing

@testable import HearthSQLite
@testable import HearthServer
@testable import HearthStore

/// What others may have put into the place of a file of the daemon.
@Suite(.timeLimit(.minutes(1)))
struct StrangeFileTests {
    enum Kind: String, CaseIterable {
        case pipe = "a named pipe"
        case socket = "a socket"
        case folder = "a folder"
        case linkToPipe = "a symbolic link"

        /// Puts one at a path.
        func make(at path: String) throws {
            let code =
                switch self {
                case .pipe: mkfifo(path, 0o600)
                case .socket: mknod(path, S_IFSOCK | 0o600, 0)
                case .folder: mkdir(path, 0o700)
                case .linkToPipe: mkfifo(path + ".pipe", 0o600) + symlink(path + ".pipe", path)
                }
            try #require(code == 0)
        }
    }

    private let folder = TemporaryFolder()
    private let now = Timestamp(seconds: 5, nanoseconds: 0)

    @Test(
        arguments: Kind.allCases,
        ["", "-intake", "-wal", "-shm", "-journal", "-lock", "-damaged"])
    func `a store is not opened while something else has the place of a file`(
        kind: Kind, suffix: String
    ) throws {
        let configuration = DamageBench.configuration(in: folder)
        let path = configuration.path + suffix
        try kind.make(at: path)
        let error = #expect(throws: StoreError.self) {
            _ = try StoreRescue(configuration).open(at: now)
        }
        guard case .io(let reason) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason.contains("\(path) is \(kind.rawValue)"))
        // Nothing was moved or removed: it may be somebody's.
        #expect(kindAt(path) == kind.rawValue)
        try #require(remove(path) == 0)
        _ = try StoreRescue(configuration).open(at: now)
    }

    private func kindAt(_ path: String) -> String? {
        do throws(StoreError) {
            try PlainFile.expect(at: path)
            return nil
        } catch {
            return Kind.allCases.first { "\(error)".contains(" is \($0.rawValue)") }?.rawValue
        }
    }

    @Test(arguments: Kind.allCases)
    func `the reserve is not taken from something else`(kind: Kind) throws {
        let path = folder.path + "/x.sqlite"
        try kind.make(at: path + "-reserve")
        let error = #expect(throws: StoreError.self) { try StoreReserve(besides: path).take() }
        #expect(error?.description.contains("\(path)-reserve is \(kind.rawValue)") == true)
    }

    @Test(arguments: Kind.allCases)
    func `orders are neither read from nor written to something else`(kind: Kind) throws {
        let file = OrderFile("pins.json", of: "The pins", in: folder.path)
        try kind.make(at: file.path)
        let read = #expect(throws: HearthError.self) { _ = try file.read() }
        #expect(read?.message.contains("\(file.path) is \(kind.rawValue)") == true)
        try kind.make(at: file.path + ".new")
        let written = #expect(throws: HearthError.self) { try file.write([1]) }
        #expect(written?.message.contains("\(file.path).new is \(kind.rawValue)") == true)
    }

    @Test(arguments: Kind.allCases)
    func `a start does not wait for a mark of a restore that is none`(kind: Kind) throws {
        try kind.make(at: RestoreMark.path(in: folder.path))
        let error = #expect(throws: BackupError.self) { try RestoreMark.finish(in: folder.path) }
        #expect(error?.description.contains(" is \(kind.rawValue)") == true)
        try kind.make(at: StoreGeneration.path(in: folder.path))
        #expect(StoreGeneration.known(in: folder.path, isRestored: false).problem != nil)
    }

    @Test func `a pipe among the parts of the configuration is told, and the other parts count`()
        throws
    {
        try #require(mkdir(folder.path + "/conf.d", 0o700) == 0)
        try folder.write("log.level = \"debug\"\n", to: "hearthd.toml")
        try folder.write("log.level = \"info\"\n", to: "conf.d/b.toml")
        let pipe = folder.path + "/conf.d/a.toml"
        try Kind.pipe.make(at: pipe)
        let (layers, problems) = ConfigurationFiles.read(folder.path + "/hearthd.toml")
        #expect(layers.count == 2)
        #expect(problems.map(\.origin) == [pipe])
    }

    /// Only root can give a file away.
    @Test(.enabled(if: geteuid() == 0))
    func `a file of another user is refused, unless the folder is that user's`() throws {
        let configuration = DamageBench.configuration(in: folder)
        _ = try StoreRescue(configuration).open(at: now)
        try #require(chown(configuration.path, 12_345, 12_345) == 0)
        let error = #expect(throws: StoreError.self) {
            _ = try StoreRescue(configuration).open(at: now)
        }
        #expect(
            error?.description.contains("\(configuration.path) is another user's file") == true)
        try #require(chown(folder.path, 12_345, 12_345) == 0)
        _ = try StoreRescue(configuration).open(at: now)
    }
}
