import Dispatch
import Glibc
package import HearthModel

/// A console from its start to its end: the server, and the file that lets a browser in.
package struct Console: Sendable {
    private let server: ConsoleServer
    private let entry: EntryFile

    /// Starts a console over a source.
    ///
    /// - Parameters:
    ///   - source: A daemon, which sees the console as a program of who started it, or an emulator.
    ///   - port: The port of the loopback; 0 lets the kernel choose one.
    /// - Throws: `HearthError` if the port is taken, or the file cannot be written.
    package static func start(
        _ source: any ConsoleSource, port: Int
    ) async throws(HearthError) -> Console {
        let service = ConsoleService(source)
        let server = try await ConsoleServer.start(port: port, service: service)
        var random = SystemRandomNumberGenerator()
        let secret = ConsoleSecret(using: &random)
        let folder = EntryFile.folder { name in getenv(name).map { String(cString: $0) } }
        let entry: EntryFile
        do throws(HearthError) {
            entry = try EntryFile(in: folder, address: server.address, secret: secret)
        } catch {
            await server.stop()
            throw error
        }
        server.open(with: secret) { entry.remove() }
        return Console(server: server, entry: entry)
    }

    /// The file that lets a browser in.
    package var entryPath: String { entry.path }

    /// Where the console listens, such as `http://127.0.0.1:40123`.
    package var address: String { server.address }

    /// Opens the file in the user's browser.
    ///
    /// - Returns: Whether there was a browser to ask: not for root, and not without a display.
    package func openBrowser() -> Bool {
        guard geteuid() != 0, getenv("DISPLAY") != nil || getenv("WAYLAND_DISPLAY") != nil else {
            return false
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // Nobody waits for the browser: the kernel forgets the browser's process when the browser ends.
        signal(SIGCHLD, SIG_IGN)
        let line = ["xdg-open", entry.path]
        var words = line.map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var child: pid_t = 0
        return posix_spawnp(&child, "xdg-open", &actions, nil, &words, environ) == 0
    }

    /// Serves until the process gets SIGINT, SIGTERM or SIGHUP, and leaves no file behind.
    package func runUntilInterrupted() async {
        let (stops, stop) = AsyncStream.makeStream(of: Void.self)
        let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)  // Else the default action still ends the process.
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { stop.yield() }
            source.activate()
            return source
        }
        for await _ in stops { break }
        for source in sources { source.cancel() }
        await end()
    }

    /// Ends the console.
    package func end() async {
        entry.remove()
        await server.stop()
    }
}
