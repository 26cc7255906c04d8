import Foundation
import Hearth
import HearthTestSupport
import Testing

/// The README's programs with Google's clients, word for word, against a real daemon.
///
/// Google's Node client is in no registry that the tests may use. Where it is not installed, a stand-in makes
/// its requests.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GatewayQuickStartTests {
    /// A language of the README, and how its program is run.
    enum Language: String, CaseIterable {
        case python
        case go
        case js

        /// What the file of a program is called.
        fileprivate var fileName: String {
            switch self {
            case .python: "start.py"
            case .go: "start.go"
            case .js: "start.js"
            }
        }

        /// The command that ends well where the language and Google's client are installed.
        fileprivate var question: String {
            switch self {
            case .python: "\(GooglePython.path) -c 'import google.cloud.firestore'"
            case .go: "go list cloud.google.com/go/firestore"
            case .js: "node -e 'require(\"@google-cloud/firestore\")'"
            }
        }

        /// The command that runs a program in the folder of its file.
        fileprivate var command: String {
            switch self {
            case .python: "\(GooglePython.path) \(fileName)"
            case .go: "go run \(fileName)"
            case .js: "node \(fileName)"
            }
        }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let page = folder.deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "README.md")

    /// Where Node looks for Google's client last.
    private static let nodePath: String = {
        let own = ProcessInfo.processInfo.environment["NODE_PATH"].map { [$0] } ?? []
        return (own + [folder.appending(path: "stand_in").path]).joined(separator: ":")
    }()

    /// The README's program in a language.
    private static func program(in language: Language) throws -> String {
        let text = try String(contentsOf: page, encoding: .utf8)
        let parts = text.components(separatedBy: "\n```\(language.rawValue)\n")
        let rest = try #require(parts.dropFirst().first, "the README has no such program")
        return rest.components(separatedBy: "\n```")[0] + "\n"
    }

    private func run(
        _ command: String, in world: World, at address: String
    ) throws -> Int32 {
        try ChildProcess(
            "/bin/bash", ["-c", "cd '\(world.folder.path)' && \(command)"],
            log: "\(world.folder.path)/start.log", input: "/dev/null",
            output: "\(world.folder.path)/start.out",
            environment: [
                "PATH=/usr/local/bin:/usr/bin:/bin", "FIRESTORE_EMULATOR_HOST=\(address)",
                "GOPATH=/usr/share/gocode", "GO111MODULE=off",
                "GOCACHE=\(world.folder.path)/go", "PYTHONDONTWRITEBYTECODE=1",
                "NODE_PATH=\(Self.nodePath)",
            ]
        ).exitStatus()
    }

    @Test(arguments: Language.allCases)
    func `the README's program in each language writes and reads through the daemon`(
        language: Language
    ) async throws {
        let program = try Self.program(in: language)
        let world = try World()
        guard try run(language.question, in: world, at: "unix:/nowhere") == 0 else {
            print("SKIPPED: Google's client for \(language.rawValue) is not installed")
            return
        }
        let port = try LoopbackPort.free()
        let machine = try world.machine("machine", ["--gateway.address", "127.0.0.1:\(port)"])
        _ = try await machine.client().daemonStatus()
        _ = world.write(program, to: language.fileName)
        let address =
            switch language {
            case .python, .go: "unix:\(world.folder.path)/\(machine.name)-firestore.sock"
            case .js: "127.0.0.1:\(port)"
            }
        #expect(try run(language.command, in: world, at: address) == 0, "\(world.log("start"))")
        let hall = try await machine.client().document("rooms/hall").getDocument(source: .server)
        #expect(hall["seats"] as? Int == 40)
    }
}
