import Foundation
import HearthTestSupport

/// A raw client that makes the calls of one of Google's clients, for that client is in no registry that
/// the tests may use.
enum RawClient: String, CaseIterable {
    /// On Node's own HTTP/2, without any package.
    case node
    /// On a JDK alone, with the frames of grpc-java.
    case java

    /// Those that this machine can run. The others are skipped aloud.
    static let installed = allCases.filter { client in
        if client.line != nil { return true }
        print("SKIPPED: this machine has no \(client.rawValue)")
        return false
    }

    /// What is started, in front of the name of a step; `nil` where this machine cannot run the client.
    var line: [String]? {
        switch self {
        case .node: Self.nodeLine
        case .java: Self.javaLine
        }
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Gateway").path

    private static let nodeLine = program("node").map { [$0, "\(sources)/node_stories.js"] }

    /// The classes lie beside the tests, compiled when they are first wanted.
    private static let javaLine: [String]? = {
        guard let java = program("java"), let compiler = program("javac"),
            let folder = try? ChildProcess.buildFolder()
        else { return nil }
        let (classes, log) = ("\(folder)/java-stories", "\(folder)/java-stories.log")
        let packer = ["--add-exports", "java.net.http/jdk.internal.net.http.hpack=ALL-UNNAMED"]
        let files = ["JavaClient", "JavaWatch", "JavaStories"].map { "\(sources)/\($0).java" }
        let compilation = try? ChildProcess(compiler, packer + ["-d", classes] + files, log: log)
        precondition(compilation?.exitStatus() == 0, "the Java stories do not compile; see \(log)")
        return [java] + packer + ["-cp", classes, "JavaStories"]
    }()

    private static func program(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin"
        return folders.split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
