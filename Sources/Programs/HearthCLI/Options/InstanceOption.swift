import ArgumentParser
import Hearth

/// Which instance of the Realtime Database a command is about.
struct InstanceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "An instance of the Realtime Database: https://NAME.firebaseio.com, "
                + "http://HOST:PORT/?ns=NAME, or a NAME where the daemon's own instance is.",
            valueName: "instance"), completion: CompletionSubject.instance.kind)
    var instance: String?

    func validate() throws {
        guard let instance, !DatabaseSettings.isInstanceURL(instance),
            !DatabaseSettings.isInstanceName(instance)
        else { return }
        throw ValidationError(
            "--instance takes an address such as https://demo-default-rtdb.firebaseio.com, or a "
                + "name.")
    }

    /// What the library needs to know.
    ///
    /// - Parameter socket: The daemon's socket, if it was named.
    func settings(socket: String?) -> DatabaseSettings {
        let isName = instance.map(DatabaseSettings.isInstanceName) ?? false
        return DatabaseSettings(
            socketPath: socket, url: isName ? nil : instance,
            instanceName: isName ? instance : nil, programName: "hearth",
            connectTimeout: DaemonVigil.connectTimeout)
    }
}
