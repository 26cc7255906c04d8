package import HearthEngine
package import HearthModel
package import HearthWire

/// Finds the database that a client asks for, and refuses impossible and unknown ones.
package struct DatabaseDirectory: Sendable {
    /// The Firestore database of clients that name none.
    package var database: DatabaseID?
    /// The instance of the Realtime Database of clients that name none.
    package var instance: InstanceID?
    /// Whether every host of an instance is trusted, because an emulator stands for all of them.
    package var trustsEveryHost: Bool

    /// Knows the databases of clients that name none.
    ///
    /// - Parameters:
    ///   - database: The Firestore database; `nil` refuses such clients.
    ///   - instance: The instance of the Realtime Database; `nil` refuses such clients.
    ///   - trustsEveryHost: Whether every host of an instance is trusted, because an emulator
    ///     stands for all of them.
    package init(
        database: DatabaseID?, instance: InstanceID? = nil, trustsEveryHost: Bool = false
    ) {
        self.database = database
        self.instance = instance
        self.trustsEveryHost = trustsEveryHost
    }

    /// The engine of the database that a client asks for.
    ///
    /// - Throws: If there is no such database, or no default where the client names none.
    package func key(of wanted: Hello.Database) throws(HearthError) -> EngineKey {
        switch wanted {
        case .firestore(let choice): .firestore(try database(choice))
        case .realtime(let choice): .realtime(try instance(choice))
        }
    }

    private func database(
        _ choice: Hello.Choice<DatabaseID>
    ) throws(HearthError) -> DatabaseID {
        let found: DatabaseID? =
            switch choice {
            case .standard: database
            case .named(let name):
                database.map { DatabaseID(project: $0.project, database: name) }
            case .exactly(let id): id
            }
        guard let found else { throw .noDatabase }
        guard found.isPossible else { throw .impossible(found) }
        return found
    }

    private func instance(
        _ choice: Hello.Choice<InstanceID>
    ) throws(HearthError) -> InstanceID {
        switch choice {
        case .standard:
            guard let instance else { throw .noInstance }
            return instance
        case .named(let name):
            guard let found = sibling(name) else { throw .noInstanceName }
            return found
        case .exactly(let id):
            guard StoreFolder.isNameable(id) else { throw .noInstanceName }
            guard trusts(id) else { throw .unknownHost(id) }
            return id
        }
    }

    /// The instance of a name, where the default instance is: in the same region, or at the same host.
    private func sibling(_ name: String) -> InstanceID? {
        guard let name = InstanceID.name(name) else { return nil }
        guard let instance else {
            return InstanceID(host: name + InstanceID.standardDomain, name: name)
        }
        if instance.name == name { return instance }
        guard instance.isHosted, let dot = instance.host.utf8.firstIndex(of: UInt8(ascii: "."))
        else { return InstanceID(host: instance.host, name: name, isSecure: instance.isSecure) }
        return InstanceID(host: name + instance.host[dot...], name: name)
    }

    /// Whether an instance's host may be told who we are: the hosted service's and the configured one.
    package func trusts(_ id: InstanceID) -> Bool {
        trustsEveryHost || id.isHosted || id == instance
    }
}

extension HearthError {
    fileprivate static let noDatabase = HearthError(
        code: .failedPrecondition,
        message: "No database: name one in Hello, or set database.project in hearthd.toml.")

    /// The error for a program that names a database that the backend can never have.
    fileprivate static func impossible(_ database: DatabaseID) -> HearthError {
        HearthError(
            code: .invalidArgument,
            message: "There can be no database \"\(database.name.prefix(300))\": an id has at most "
                + "\(DatabaseID.idByteCountMax) lower-case letters, digits and hyphens, and begins and "
                + "ends with none of the hyphens. A domain and a colon may precede the id of a "
                + "project, and a database may be \"\(DatabaseID.defaultName)\".")
    }

    fileprivate static let noInstance = HearthError(
        code: .failedPrecondition,
        message:
            "No instance of the Realtime Database: name one in Hello, or set realtime.instance or "
            + "database.project in hearthd.toml.")

    fileprivate static let noInstanceName = HearthError(
        code: .invalidArgument,
        message: "The name of an instance of the Realtime Database has 1 to "
            + "\(InstanceID.nameByteCountMax) letters, digits, - and _, and its host is no longer than "
            + "a file's name.")

    fileprivate static func unknownHost(_ id: InstanceID) -> HearthError {
        HearthError(
            code: .permissionDenied,
            message:
                "\(id) is no host of the Realtime Database, and the daemon shows its "
                + "credentials to no other. If it is yours, set realtime.instance in hearthd.toml.")
    }
}
