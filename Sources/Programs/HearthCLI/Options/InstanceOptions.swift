import ArgumentParser
import Hearth

/// What every command of `hearth rtdb` takes: which daemon, which instance, how to print.
struct InstanceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket, if not $HEARTH_SOCKET or the machine's.", valueName: "path"),
        completion: .file())
    var socket: String?

    @OptionGroup var choice: InstanceOption

    @Flag(help: "Print JSON, one object a line. What it holds, each command's help says.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print results and errors only.")
    var quiet = false

    /// What the library needs to know.
    var settings: DatabaseSettings { choice.settings(socket: socket) }
}
