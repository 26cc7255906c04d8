import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Glibc
import HearthEmulator
import HearthModel
import Logging

/// Runs an emulator on a Unix socket in a folder of its own while `body` works with it.
func withEmulator<Result: Sendable>(
    dataFolder: String? = nil,
    _ body: @Sendable (Emulator, RawClient, String) async throws -> Result
) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = "\(folder.path)/firestore.sock"
    let emulator = try Emulator(
        configuration: EmulatorConfiguration(
            firestore: [.unix(path: path)], dataFolder: dataFolder),
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let ready = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { ready.continuation.finish() }
            try await emulator.run { _ in ready.continuation.yield() }
        }
        for await _ in ready.stream { break }
        let client = GRPCClient(
            transport: try HTTP2ClientTransport.Posix(
                target: .unixDomainSocket(path: path), transportSecurity: .plaintext))
        group.addTask { try await client.runConnections() }
        defer {
            client.beginGracefulShutdown()
            emulator.shutdown()
        }
        return try await body(emulator, RawClient(client: client), "unix:\(path)")
    }
}

/// A folder that a test may fill.
struct TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/hearth-emulator-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw HearthError(code: .internalError, message: "mkdtemp failed")
        }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func remove() {
        guard let listing = opendir(path) else { return }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { unlink("\(path)/\(name)") }
        }
        closedir(listing)
        rmdir(path)
    }
}
