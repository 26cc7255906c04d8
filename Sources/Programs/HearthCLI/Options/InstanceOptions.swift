import ArgumentParser
import Hearth

/// What every command of `hearth rtdb` takes: which daemon, which instance, how to print.
struct InstanceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The daemon's socket, if not $HEARTH_SOCKET or the machine's.", valueName: "path"))
    var socket: String?

    @Option(
        help: ArgumentHelp(
            "The instance, if not the daemon's own: https://NAME.firebaseio.com, or "
                + "http://HOST:PORT/?ns=NAME.", valueName: "url"))
    var instance: String?

    @Flag(help: "Print JSON, one object a line. What it holds, each command's help says.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print results and errors only.")
    var quiet = false

    func validate() throws {
        if let instance, !DatabaseSettings.isInstanceURL(instance) {
            throw ValidationError(
                "--instance takes an address such as https://demo-default-rtdb.firebaseio.com.")
        }
    }

    /// What the library needs to know.
    var settings: DatabaseSettings {
        DatabaseSettings(socketPath: socket, url: instance, programName: "hearth")
    }
}
