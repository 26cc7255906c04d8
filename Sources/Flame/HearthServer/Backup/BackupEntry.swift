package import HearthEngine
import HearthModel

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

extension BackupEntry.Subject {
    /// The database whose store it is; `nil` for a file beside the stores.
    package var database: EngineKey? {
        if case .store(let key) = self { key } else { nil }
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
