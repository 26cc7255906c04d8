/// A particular of a message, as operators look for it.
///
/// The raw value is its name in a log's metadata. In the journal it is the same in capitals with
/// `HEARTH_` before it: `syncState` is `HEARTH_SYNC_STATE`.
package enum JournalField: String, CaseIterable, Sendable {
    /// The database of either kind, by its whole name.
    case engine
    /// The project of a Firestore database.
    case project
    /// The database's name in its project.
    case database
    /// The address of the Realtime Database's instance.
    case instance
    /// The cache's relation to the backend: a raw value of `SyncState`.
    case syncState
    /// The earlier value of `syncState`.
    case prevState
    /// The number of a batch of writes.
    case mutationID
    /// The numbers of batches, with spaces between them.
    case batches
    /// The order of an administrator.
    case order
    /// The number of a target.
    case targetID
    /// A place of the Realtime Database's tree.
    case path
    /// The name of a pin.
    case pin
    /// A client program's name for itself.
    case client
    /// The Unix user of a client.
    case clientUID
    /// The process of a client.
    case clientPID
    /// The socket where clients connect: client, control, firestore, firestore-local, or gateway
    /// for the port of the loopback.
    case socket
    /// The backend's code, by its name.
    case grpcCode
    /// How many documents.
    case documents
    /// A program as the ledger knows it, or the unit or the user of a budget.
    case program
    /// How many documents the program, the unit or the user has read in a day.
    case reads
    /// How many documents the program, the unit or the user may read in a day.
    case budget
    /// How many targets.
    case targets
    /// Why, in a sentence. Never a document's content.
    case reason
    /// The daemon's version.
    case version
    /// The access rule that decided.
    case rule
    /// The message of lines that were left out.
    case line
    /// How many lines were left out.
    case lineCount

    /// The name of a metadata key in the journal.
    ///
    /// Shape: `HEARTH_` and the words of `key` in capitals, joined by `_`; what the journal does not
    /// allow in a name becomes `_`.
    package static func journalName(of key: String) -> String {
        var name = "HEARTH"
        var isInWord = false
        for byte in key.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                if !isInWord { name += "_" }
                name.unicodeScalars.append(Unicode.Scalar(byte))
                isInWord = true
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                if name == "HEARTH" { name += "_" }
                let isLetter = byte >= UInt8(ascii: "a")
                name.unicodeScalars.append(Unicode.Scalar(isLetter ? byte - 32 : byte))
                isInWord = false
            default:
                isInWord = false
                name += name.utf8.last == UInt8(ascii: "_") ? "" : "_"
            }
        }
        return name
    }
}
