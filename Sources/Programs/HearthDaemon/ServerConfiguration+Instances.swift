import HearthModel
import HearthServer

/// What the configuration says of instances of the Realtime Database.
extension ServerConfiguration {
    /// The project whose credentials an instance is shown: the project in the instance's name, or
    /// the default project.
    func project(of instance: InstanceID) -> String {
        let standard = database?.project
        if instance == self.instance, let standard { return standard }
        return instance.project ?? standard ?? instance.name
    }

    /// The failure of an instance, which begins with what the configuration probably lacks.
    ///
    /// Who names an emulator of Firestore alone seldom means the hosted Realtime Database, which fails
    /// for the want of a key or of a network.
    func explained(_ error: HearthError) -> HearthError {
        guard let emulator, realtime.emulator == nil else { return error }
        return HearthError(
            code: error.code,
            message:
                "No realtime.emulator is configured while upstream.emulator is (\(emulator)), so "
                + "the daemon asks the hosted Realtime Database. \(error.message)")
    }
}
