import Foundation
import Hearth
import HearthTestSupport
import Testing

/// The package in `Examples/Restaurant`: three programs that share one daemon.
///
/// Its sources are compiled against the library as this package's build has left it, since a build of
/// the package as a package would compile the library again.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RestaurantTests {
    private static let package = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Examples/Restaurant").path

    private static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "\(package)/\(folder)").sorted()
    }

    private static func sources(of target: String) throws -> [String] {
        try names(in: "Sources/\(target)").map { "\(package)/Sources/\(target)/\($0)" }
    }

    /// The programs, by their names.
    private func programs(_ world: World) throws -> [String: String] {
        let compiler = ProgramCompiler(world)
        let library = try compiler.library("Restaurant", Self.sources(of: "Restaurant"))
        var paths: [String: String] = [:]
        for name in ["till", "kitchen", "stock"] {
            paths[name] = try compiler.program(
                name, Self.sources(of: name), libraries: [library])
        }
        return paths
    }

    private func start(
        _ world: World, _ machine: Machine, _ program: String?, _ arguments: String...
    ) throws -> ChildProcess {
        let program = try #require(program)
        let name = program.split(separator: "/").last.map(String.init) ?? program
        return try ChildProcess(
            program, arguments, log: "\(world.folder.path)/\(name)-errors.log",
            output: "\(world.folder.path)/\(name)-\(arguments.count).log",
            environment: ["HEARTH_SOCKET=\(machine.socketPath)"])
    }

    /// Waits until a program that goes on has said something.
    private func told(_ world: World, _ name: String, _ words: String) async throws {
        _ = try await eventually({ world.log("\(name)-0") }, is: { $0.contains(words) })
    }

    @Test func `the till, the kitchen and the stock share one daemon, online and offline`()
        async throws
    {
        let world = try World()
        let machine = try world.machine()
        let programs = try programs(world)
        for (dish, count) in [("soup", "4"), ("bread", "9")] {
            #expect(try start(world, machine, programs["stock"], dish, count).exitStatus() == 0)
        }
        let kitchen = try start(world, machine, programs["kitchen"])
        let stock = try start(world, machine, programs["stock"])
        try await told(world, "stock", "bread: 9 left")
        let first = try start(world, machine, programs["till"], "4", "soup", "bread")
        #expect(first.exitStatus() == 0, "\(world.log("till-errors"))")
        try await told(world, "kitchen", "table 4: soup, bread, everywhere")
        try await told(world, "stock", "soup: 3 left\n")

        // Without a backend, and over the death of the daemon, nothing is lost.
        world.killEmulator()
        let second = try start(world, machine, programs["till"], "7", "soup")
        #expect(second.exitStatus() == 0)
        try await told(world, "kitchen", "table 7: soup, on this machine")
        try await told(world, "stock", "soup: 2 left, buy more")
        machine.killDaemon()
        try machine.startDaemon()
        try world.startEmulator()
        try await told(world, "kitchen", "table 7: soup, everywhere")

        let client = machine.client()
        let orders = try await client.collection("orders").getDocuments(source: .server)
        let order = try #require(orders.documents.first { $0["table"] as? Int == 7 })
        let ready = try start(
            world, machine, programs["kitchen"], "ready", order.documentID)
        #expect(ready.exitStatus() == 0)
        try await told(world, "kitchen", "- \(order.documentID) table 7")
        let soup = try await client.document("stock/soup").getDocument(source: .server)
        #expect(soup["left"] as? Int == 2)
        kitchen.kill9()
        stock.kill9()
    }

    @Test func `its manifest is one, and names the library and what lies in its folders`() throws {
        let world = try World(isOnline: false)
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "HOME=\(world.folder.path)", "swift", "package", "dump-package",
                "--package-path", Self.package, "--scratch-path", "\(world.folder.path)/scratch",
            ], log: "\(world.folder.path)/dump-errors.log",
            output: "\(world.folder.path)/dump.log",
            environment: ["PATH=\(getenv("PATH").map { String(cString: $0) } ?? "")"])
        #expect(process.exitStatus() == 0, "\(world.log("dump-errors"))")
        let any = try JSONSerialization.jsonObject(with: Data(world.log("dump").utf8))
        let manifest = try #require(any as? [String: Any])
        let targets = try #require(manifest["targets"] as? [[String: Any]])
        let names = targets.compactMap { $0["name"] as? String }
        #expect(names.sorted() == (try Self.names(in: "Sources")))
        for target in targets {
            let dependencies = String(describing: target["dependencies"] ?? "")
            #expect(dependencies.contains("Hearth"))
        }
    }
}
