import ArgumentParser
import Glibc
import Hearth
import HearthConsole

/// `hearth console`.
struct ConsoleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "console",
        abstract: "Show the daemon, its data and its queue in a browser.",
        discussion: """
            Serves a page on a port of 127.0.0.1 until it is interrupted, and opens the page in a browser. \
            The page may what you may: the daemon's access rules hold. A file that only you can read lets \
            one browser in, once; root opens it by hand. JSON, one line: file, address.
            """)

    @Option(
        help: ArgumentHelp(
            "The daemon's socket, if not $HEARTH_SOCKET or the machine's.", valueName: "path"),
        completion: .file())
    var socket: String?

    @Option(
        help: ArgumentHelp("The port; the system chooses one otherwise.", valueName: "number"),
        transform: WholeNumber.parse(in: 0...UInt16.max))
    var port: UInt16 = 0

    @Flag(help: "Open no browser.")
    var noBrowser = false

    @Flag(help: "Print JSON, one object a line. What it holds, each command's help says.")
    var json = false

    func run() async throws {
        let socketPath = socket ?? FirestoreSettings.defaultSocketPath()
        try await Session.awaitDaemon(at: socketPath)
        try await Session.attempt("start the console", at: socketPath) {
            // The connection ends with the answer.
            let settings = FirestoreSettings(
                socketPath: socketPath, programName: "hearth",
                connectTimeout: DaemonVigil.connectTimeout)
            try await DaemonVigil.hear(Firestore(settings: settings))
        }
        let console: Console
        do {
            console = try await Console.start(
                DaemonSource(socketPath: socketPath), port: Int(port))
        } catch {
            throw Failure(.failed, "Cannot start the console: \(error)".oneLine)
        }
        tell(console)
        await console.runUntilInterrupted()
    }

    private func tell(_ console: Console) {
        if json {
            let report = Report().with("file", console.entryPath).with("address", console.address)
            Terminal.print(report.line)
        }
        let isOpened = !noBrowser && console.openBrowser()
        if json { return }
        Terminal.print(
            isOpened
                ? "The console is at \(console.address), and was opened in your browser."
                : "The console is at \(console.address). Open \(console.entryPath) in a browser, once."
        )
    }
}
