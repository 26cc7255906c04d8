import ArgumentParser
import Hearth

/// Which instance of the Realtime Database a command is about.
struct InstanceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An instance of the Realtime Database: https://NAME.firebaseio.com, or "
                + "http://HOST:PORT/?ns=NAME.", valueName: "url"))
    var instance: String?

    func validate() throws {
        if let instance, !DatabaseSettings.isInstanceURL(instance) {
            throw ValidationError(
                "--instance takes an address such as https://demo-default-rtdb.firebaseio.com.")
        }
    }

    /// What the library needs to know.
    ///
    /// - Parameter socket: The daemon's socket, if it was named.
    func settings(socket: String?) -> DatabaseSettings {
        DatabaseSettings(socketPath: socket, url: instance, programName: "hearth")
    }
}
