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

    /// What may have the place of a folder of databases.
    enum Impostor: String, CaseIterable {
        case file = "a file"
        case pipe = "a named pipe"
        case socket = "a socket"
        case link = "a symbolic link"

        /// Puts one at a path.
        ///
        /// - Parameter folder: Where a link leads.
        func make(at path: String, leadingTo folder: String) throws {
            let code =
                switch self {
                case .file: mknod(path, S_IFREG | 0o600, 0)
                case .pipe: mkfifo(path, 0o600)
                case .socket: mknod(path, S_IFSOCK | 0o600, 0)
                case .link: symlink(folder, path)
                }
            try #require(code == 0)
        }
    }

    @Test(arguments: Impostor.allCases, ["firestore", "firestore/demo"])
    func `something else in the place of a folder of databases is told, and nothing is made there`(
        impostor: Impostor, place: String
    ) throws {
        let other = TemporaryFolder()
        let key = EngineKey.firestore(DatabaseID(project: "demo"))
        let store = StoreFolder.path(of: key, in: folder.path)
        if place != "firestore" { try #require(mkdir(folder.path + "/firestore", 0o700) == 0) }
        let path = folder.path + "/" + place
        try impostor.make(at: path, leadingTo: other.path)
        let flaw = "\(path) is \(impostor.rawValue), where only a folder"
        #expect(StoreFolder.flaws(in: folder.path).count == 1)
        #expect(StoreFolder.flaws(in: folder.path).first?.hasPrefix(flaw) == true)
        #expect(StoreFolder.databases(in: folder.path).isEmpty)
        for _ in 0..<2 {
            let error = #expect(throws: StoreError.self) {
                try StoreFolder.makeFolders(aboveStore: store)
            }
            #expect(error?.description.contains(flaw) == true)
        }
        #expect(other.files.isEmpty)
        try #require(remove(path) == 0)
        try StoreFolder.makeFolders(aboveStore: store)
        #expect(StoreFolder.flaws(in: folder.path).isEmpty)
    }

    @Test(arguments: ["lost+found", "README.md", "demo~", "fire%2Estore", "%zz"])
    func `a file whose name no folder of databases has is nothing to tell of`(name: String) throws {
        try #require(mkdir(folder.path + "/firestore", 0o700) == 0)
        try folder.write("", to: "firestore/" + name)
        #expect(StoreFolder.flaws(in: folder.path).isEmpty)
        // The name of a host with a dot in it, as the folder has the name.
        try folder.write("", to: "firestore/host%2ename")
        #expect(StoreFolder.flaws(in: folder.path).count == 1)
    }

    @Test func `files behind a link are neither listed nor removed`() throws {
        let other = TemporaryFolder()
        for name in ["x.sqlite", "x.sqlite.restoring"] { try other.write("", to: name) }
        try #require(mkdir(folder.path + "/firestore", 0o700) == 0)
        try #require(symlink(other.path, folder.path + "/firestore/demo") == 0)
        #expect(StoreFolder.databases(in: folder.path).isEmpty)
        #expect(RestoreLeftovers.remove(in: folder.path).isEmpty)
        #expect(other.files.sorted() == ["x.sqlite", "x.sqlite.restoring"])
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
        let known = StoreGeneration.known(in: folder.path)
        #expect(known.number != 0)
        #expect(known.problem?.text.contains(" is \(kind.rawValue)") == true)
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

    @Test func `parts of the configuration that cannot be listed are told`() throws {
        try folder.write("log.level = \"debug\"\n", to: "hearthd.toml")
        try folder.write("", to: "conf.d")
        let (layers, problems) = ConfigurationFiles.read(folder.path + "/hearthd.toml")
        #expect(layers.count == 1)
        #expect(problems.map(\.origin) == [folder.path + "/conf.d"])
    }

    @Test func `a pipe with a name as the configuration is refused, and nobody waits for a writer`()
        throws
    {
        let pipe = folder.path + "/hearthd.toml"
        try Kind.pipe.make(at: pipe)
        for counting in [nil, []] as [[ConfigurationLayer]?] {
            let (layers, problems) = ConfigurationFiles.read(pipe, after: counting)
            #expect(layers.isEmpty)
            #expect(problems.map(\.origin) == [pipe])
            #expect(problems.first?.message.hasPrefix("The file is a pipe") == true)
        }
    }

    @Test func `a pipe of a shell is the configuration of the start alone`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = Array("log.level = \"debug\"\n".utf8)
        try #require(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        let path = "/dev/fd/\(ends[0])"
        let first = ConfigurationFiles.read(path)
        #expect(first.problems.isEmpty)
        #expect(first.layers.map(\.values) == [["log.level": .text("debug")]])
        let again = ConfigurationFiles.read(path, after: first.layers)
        #expect(again.layers.isEmpty)
        #expect(again.problems.first?.message.contains("read only once") == true)
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

    /// Only root can give a folder away.
    @Test(.enabled(if: geteuid() == 0))
    func `another user's folder of databases is told, unless the folder above is that user's`()
        throws
    {
        let place = folder.path + "/firestore"
        try #require(mkdir(place, 0o700) == 0 && chown(place, 12_345, 12_345) == 0)
        #expect(StoreFolder.flaws(in: folder.path).first?.contains("another user's folder") == true)
        try #require(chown(folder.path, 12_345, 12_345) == 0)
        #expect(StoreFolder.flaws(in: folder.path).isEmpty)
    }
}
