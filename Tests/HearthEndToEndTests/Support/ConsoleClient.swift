import Glibc
import HearthTestSupport

/// A `hearth console` and a browser that it let in, in raw HTTP.
final class ConsoleClient {
    private struct Failed: Error {
        let what: String
    }

    /// Where the console listens.
    let address: String
    /// The file that lets a browser in.
    let file: String
    /// The cookie of the browser that was let in; empty before `enter`.
    private(set) var cookie = ""
    /// The user of the browser.
    private let owner: uid_t?
    private let process: ChildProcess

    /// Starts a console over a machine's daemon.
    ///
    /// - Parameters:
    ///   - launcher: What starts the console, as another user for example.
    ///   - owner: The user of the browser, if it is not the test's; only for a test of root.
    init(
        _ world: World, _ machine: Machine, launcher: [String] = [], runtime: String? = nil,
        owner: uid_t? = nil
    ) async throws {
        self.owner = owner
        let name = "console-\(UInt32.random(in: 0 ... .max))"
        let output = "\(world.folder.path)/\(name).out"
        process = try ChildProcess(
            "hearth", ["console", "--socket", machine.socketPath, "--no-browser", "--json"],
            log: "\(world.folder.path)/\(name).log", output: output, launcher: launcher,
            environment: ["XDG_RUNTIME_DIR=\(runtime ?? world.folder.path)"])
        let line = try await eventually {
            Self.text(of: output)
        } is: {
            $0.hasSuffix("\n")
        }
        guard let file = Self.member("file", of: line), let url = Self.member("address", of: line)
        else {
            throw Failed(what: line)
        }
        self.file = file
        address = String(url.dropFirst("http://".count))
    }

    /// A text member of a line of JSON that holds no escapes.
    static func member(_ name: String, of json: String) -> String? {
        json.components(after: "\"\(name)\":\"")?.prefix { $0 != "\"" }.description
    }

    /// A file as text; empty if there is none.
    static func text(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        return String(decoding: chunk[..<fread(&chunk, 1, chunk.count, file)], as: UTF8.self)
    }

    /// The secret in the file.
    var secret: String {
        Self.text(of: file).components(after: "value=\"")?.prefix(64).description ?? ""
    }

    /// Brings a secret.
    func enter(with secret: String, _ more: [String] = []) throws -> HTTPConnection.Answer {
        let type = "content-type: application/x-www-form-urlencoded"
        return try connect().send(
            "POST", "/enter", headers: ["host: \(address)", type] + more, body: "secret=\(secret)")
    }

    /// Lets the browser in.
    func enter() throws {
        let answer = try enter(with: secret, ["origin: null", "sec-fetch-site: cross-site"])
        guard answer.status == 200, let header = answer.headers["set-cookie"] else {
            throw Failed(what: answer.text)
        }
        cookie = String(header.prefix { $0 != ";" })
    }

    /// Connects.
    ///
    /// - Parameter owner: The user, if it is not the browser's.
    func connect(as owner: uid_t? = nil) throws -> HTTPConnection {
        try HTTPConnection(to: address, owner: owner ?? self.owner)
    }

    /// The headers of the browser that was let in.
    var headers: [String] { ["host: \(address)", "cookie: \(cookie)"] }

    /// Asks.
    func get(_ path: String) throws -> HTTPConnection.Answer {
        try connect().send("GET", path, headers: headers)
    }

    /// Asks with a body.
    func post(_ path: String, _ body: String) throws -> HTTPConnection.Answer {
        try connect().send(
            "POST", path, headers: headers + ["origin: http://\(address)"], body: body)
    }

    /// Begins a stream of events.
    func stream(_ path: String) throws -> HTTPConnection {
        let connection = try connect()
        let answer = try connection.begin("GET", path, headers: headers)
        guard answer.status == 200 else { throw Failed(what: "\(answer.status)") }
        return connection
    }

    /// The processor's time that the console has used.
    var processorTime: Duration? { process.processorTime }

    /// Asks the console to end.
    func terminate() -> Int32 { process.terminate() }
}

extension HTTPConnection {
    /// The next event of a stream that has a text in it.
    func event(_ text: String) throws -> String {
        var seen = ""
        while true {
            let chunk = try nextChunk()
            guard !chunk.isEmpty else { return "the stream ended after \(seen)" }
            let event = String(decoding: chunk, as: UTF8.self)
            if event.contains(text) { return event }
            seen = event
        }
    }
}

extension String {
    /// What stands behind the first occurrence of a text.
    fileprivate func components(after text: String) -> Substring? {
        firstRange(of: text).map { self[$0.upperBound...] }
    }
}
