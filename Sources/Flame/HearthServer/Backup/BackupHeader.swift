package import HearthEngine
package import HearthModel

/// What a backup file says of itself.
package struct BackupHeader: Hashable, Sendable {
    /// The first bytes of every backup. The end of the line finds files that were changed as text.
    static let magic = Array("HEARTH-BACKUP\r\n\u{1A}".utf8)
    /// The form of the file that this program writes, and the latest that it reads.
    static let version: Int64 = 1

    /// A random number that every block of the file answers to.
    package let salt: UInt64
    /// When the backup was begun.
    package let time: Timestamp
    /// The name of the machine, for people.
    package let machine: String
    /// The version of the daemon that made it.
    package let daemonVersion: String

    /// Describes a backup.
    package init(salt: UInt64, time: Timestamp, machine: String, daemonVersion: String) {
        self.salt = salt
        self.time = time
        self.machine = machine
        self.daemonVersion = daemonVersion
    }

    var fields: [UInt8] {
        var fields = BackupFields()
        fields.append(Self.version)
        fields.append(Int64(bitPattern: salt))
        fields.append(time.seconds)
        fields.append(machine)
        fields.append(daemonVersion)
        return fields.bytes
    }

    /// - Throws: `BackupError` for a header of a later program, or of none.
    init(_ bytes: [UInt8]) throws(BackupError) {
        var fields = BackupFields(bytes)
        guard let version = fields.number() else { throw .damaged("its header is short") }
        guard version == Self.version else {
            throw .foreign("it has form \(version), and this program reads \(Self.version)")
        }
        guard let salt = fields.number(), let seconds = fields.number(),
            let machine = fields.text(), let daemonVersion = fields.text(), fields.isAtEnd
        else { throw .damaged("its header is short") }
        self.salt = UInt64(bitPattern: salt)
        time = Timestamp(seconds: min(max(seconds, 0), 253_402_300_799), nanoseconds: 0)
        self.machine = machine
        self.daemonVersion = daemonVersion
    }
}

/// What a part of a backup is: the copy of a store, or a file beside the stores.
package struct BackupEntry: Hashable, Sendable {
    /// What is in it.
    package enum Subject: Hashable, Sendable {
        /// The copy of a database's store.
        case store(EngineKey)
        /// The orders to keep places of the Realtime Database.
        case keptPlaces
    }

    /// What is in it.
    package let subject: Subject
    /// The version of the store that the copy holds; 0 for a file beside the stores.
    package let version: Int64
    /// How many bytes it has.
    package let byteCount: Int

    init(_ subject: Subject, version: Int64, byteCount: Int) {
        self.subject = subject
        self.version = version
        self.byteCount = byteCount
    }

    var fields: [UInt8] {
        var fields = BackupFields()
        switch subject {
        case .store(.firestore(let database)):
            fields.append(1)
            fields.append(database.project)
            fields.append(database.database)
        case .store(.realtime(let instance)):
            fields.append(instance.isSecure ? 2 : 3)
            fields.append(instance.host)
            fields.append(instance.name)
        case .keptPlaces:
            fields.append(4)
            fields.append("")
            fields.append("")
        }
        fields.append(version)
        fields.append(Int64(byteCount))
        return fields.bytes
    }

    /// - Throws: `BackupError.damaged` for an entry that no backup has, such as the store of a
    ///   database that cannot be.
    init(_ bytes: [UInt8]) throws(BackupError) {
        var fields = BackupFields(bytes)
        guard let kind = fields.number(), let group = fields.text(), let name = fields.text(),
            let version = fields.number(), let byteCount = fields.number(), fields.isAtEnd,
            let subject = Self.subject(kind, group, name), version >= 0,
            0...BackupLimits.entryByteCountMax ~= Int(byteCount)
        else { throw .damaged("an entry names nothing that a backup holds") }
        self.init(subject, version: version, byteCount: Int(byteCount))
    }

    private static func subject(_ kind: Int64, _ group: String, _ name: String) -> Subject? {
        switch kind {
        case 1:
            let database = DatabaseID(project: group, database: name)
            return database.isPossible ? .store(.firestore(database)) : nil
        case 2, 3:
            guard let instance = InstanceID(host: group, name: name, isSecure: kind == 2),
                StoreFolder.isNameable(instance)
            else { return nil }
            return .store(.realtime(instance))
        case 4: return .keptPlaces
        default: return nil
        }
    }
}

extension BackupEntry.Subject: CustomStringConvertible {
    package var description: String {
        switch self {
        case .store(let key): key.description
        case .keptPlaces: "kept places"
        }
    }
}

/// The limits of backups.
package enum BackupLimits {
    /// Databases in one backup, more than a daemon can have.
    package static let entryCountMax = 100_000
    /// Bytes of one entry: as many as SQLite's largest file of this store's pages, 16 TiB.
    package static let entryByteCountMax = 1 << 44
    /// Bytes of the orders to keep places.
    static let keptPlacesByteCountMax = 16 << 20
    /// How long a client may take to ask for the next part.
    static let pauseMax = Duration.seconds(120)
}

/// Why a file is no backup, or none that can be used.
package enum BackupError: Error, Hashable, Sendable {
    /// The file is no backup, or of a later program.
    case foreign(String)
    /// The file was a backup, and is not whole any more.
    case damaged(String)
    /// The file, or the folder, cannot be read or written.
    case io(String)
}

extension BackupError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .foreign(let reason): "It is no backup that this program can read: \(reason)."
        case .damaged(let reason): "It is damaged: \(reason)."
        case .io(let reason): "\(reason)."
        }
    }
}
