import HearthEngine
package import HearthModel
import HearthWire

/// The greeting: the client names a database, and gets the database's engine.
extension SessionMachine {
    /// Hello has come.
    mutating func received(_ hello: Hello, number: UInt64) -> [Action] {
        guard let version = Hello.commonVersion(Hello.supportedVersions, hello.versions) else {
            let (ours, theirs) = (Hello.supportedVersions, hello.versions)
            return end(
                .init(
                    code: .unimplemented,
                    message: "The client speaks versions \(theirs.lowerBound) to "
                        + "\(theirs.upperBound), the daemon \(ours.lowerBound) to "
                        + "\(ours.upperBound). Update the older of the two."))
        }
        let key: EngineKey
        do throws(HearthError) {
            key = try configuration.directory.key(of: hello.database)
        } catch {
            return end(error)
        }
        state = .attaching(hello, number: number, version: version)
        greeting = hello
        codec = WireCodec(key)
        dialogue = Dialogue(configuration, hello, with: key)
        setGrant(AccessGrant(configuration.access, to: configuration.peer, in: key))
        return [.attach(key)]
    }

    /// The database has an engine.
    package mutating func attached() -> [Action] {
        guard case .attaching(_, let number, let version) = state, let key else { return [] }
        state = .open
        let welcome = Welcome(
            version: version, sessionID: configuration.session, database: key,
            daemonVersion: configuration.daemonVersion,
            limits: configuration.limits.toldInWelcome, setup: configuration.setups?[key],
            storeGeneration: configuration.storeGeneration)
        return [.reply(.welcome(welcome), number)]
    }

    /// The database cannot have an engine.
    package mutating func attachFailed(_ error: HearthError) -> [Action] {
        guard case .attaching = state else { return [] }
        return end(error)
    }
}
