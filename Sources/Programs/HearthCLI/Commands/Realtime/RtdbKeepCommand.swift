import ArgumentParser
import Hearth

/// `hearth rtdb keep`.
struct RtdbKeepCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keep",
        abstract: "Keep places in step with the backend until this command is stopped.",
        discussion: """
            What is kept is on this machine when it is offline, and is not collected. To keep \
            places as long as the daemon runs, name them in realtime.keep of hearthd.toml.
            """)

    @Argument(help: "The places, such as rooms; / is the root.")
    var paths: [String]
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Stop after a time, such as 10m.", valueName: "time"))
    var time: DurationText?
    @OptionGroup var instance: InstanceOptions

    func run() async throws {
        let session = try await InstanceSession.whenStarted(instance)
        for path in paths {
            let place = try session.reference(path)
            guard !path.drop(while: { $0 == "/" }).hasPrefix(".info") else {
                throw Failure(.usage, "\(path) is the daemon's own and is never stored.")
            }
            place.keepSynced(true)
        }
        if !instance.quiet {
            Terminal.write(
                "Keeping \(Quantity.count(paths.count, "place", "places")) in step.\n", to: .error)
        }
        let time = time?.duration ?? .seconds(Int64(Int32.max))
        try await session.attempt("wait") { try await Task.sleep(for: time) }
    }
}
