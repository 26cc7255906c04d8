import HearthModel

/// A place in a Realtime Database, which is also the query for all that is there. Nothing need be
/// there.
///
///     let ref = Database.database().reference()
///     try await ref.child("users/ada").setValue(["username": "Ada"])
///     ref.child("users").observe(.childAdded) { user in print(user.key) }
public final class DatabaseReference: DatabaseQuery, @unchecked Sendable {  // As `DatabaseQuery`.
    init(database: Database, path: RealtimePath) {
        super.init(database: database, path: path)
    }

    /// The last key of the path; `nil` at the root.
    public var key: String? { path.last?.text }

    /// The place above; `nil` at the root.
    public var parent: DatabaseReference? {
        path.parent.map { DatabaseReference(database: database, path: $0) }
    }

    /// The root of the database.
    public var root: DatabaseReference { DatabaseReference(database: database, path: .root) }

    /// The address of the place: the address of the database, and the keys with `%` before bytes
    /// that an address cannot hold.
    ///
    /// Before the daemon has named the database, and without `Database.database(url:)`, the address
    /// is the path alone.
    public var url: String {
        let keys = path.keys.map { "/" + Self.escaped($0.text) }.joined()
        guard let instance = database.instance else { return keys.isEmpty ? "/" : keys }
        return (instance.isSecure ? "https://" : "http://") + instance.host + keys
    }

    private static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A place below this place, by a path: keys with slashes between them.
    ///
    /// The program stops if the text is no path; see `validatedChild` for paths that come from
    /// outside.
    public func child(_ pathString: String) -> DatabaseReference {
        do throws(DatabaseError) {
            return try validatedChild(pathString)
        } catch {
            preconditionFailure(error.message)
        }
    }

    /// A place below this place, by a path that a person typed.
    ///
    /// - Throws: `DatabaseError` `invalidArgument` if the text is no path.
    public func validatedChild(_ pathString: String) throws(DatabaseError) -> DatabaseReference {
        DatabaseReference(
            database: database, path: try Database.path(pathString, below: path))
    }

    /// A place below this place under a new key, which sorts after all earlier keys.
    ///
    /// The key holds the time of the backend's clock, or of this machine's until that is known, and 72
    /// random bits.
    public func childByAutoId() -> DatabaseReference {
        DatabaseReference(database: database, path: path.appending(database.nextPushID()))
    }
}

extension DatabaseReference: CustomStringConvertible {
    /// The address; see `url`.
    public var description: String { url }
}
