import CLinux
import Glibc
package import HearthModel

/// A file that proves who we are, as Google's tools write it.
package enum KeyFile: Sendable {
    /// A program's own identity.
    case serviceAccount(ServiceAccountKey)
    /// A person who signed in with `gcloud`.
    case authorizedUser(AuthorizedUserKey)

    /// The largest file that is read. Keys have some kilobytes.
    private static let byteCountMax = 1 << 16

    /// Reads the file at a path.
    ///
    /// - Throws: `failedPrecondition` with what is wrong and what would help; never what it holds.
    package init(path: String) throws(HearthError) {
        let bytes = try Self.read(path)
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONReader.read(bytes)
        } catch {
            throw .key(path, "\(error) Put the key there as it was downloaded.")
        }
        switch json["type"]?.string {
        case "service_account":
            self = .serviceAccount(try ServiceAccountKey(json, path: path))
        case "authorized_user":
            self = .authorizedUser(try AuthorizedUserKey(json, path: path))
        case let type?:
            throw .key(
                path,
                "Its type \"\(type.prefix(64))\" is not known here. Use a key of a service "
                    + "account, or sign in with gcloud auth application-default login.")
        case nil:
            throw .key(path, "It has no \"type\". Put the key there as it was downloaded.")
        }
    }

    /// Whether a path leads to a pipe from which this process has read nothing yet.
    package static func isUnreadPipe(_ path: String) -> Bool {
        PipeMemory.ofProcess.isUnreadPipe(path)
    }

    /// Reads a short file whole; a pipe once, and then what was in it.
    static func read(_ path: String) throws(HearthError) -> [UInt8] {
        try PipeMemory.ofProcess.bytes(of: path) { () throws(HearthError) in try readAnew(path) }
    }

    private static func readAnew(_ path: String) throws(HearthError) -> [UInt8] {
        let descriptor = clinux_open_input(path)
        guard descriptor >= 0, let file = fdopen(descriptor, "r") else {
            let code = errno
            let cure =
                switch code {
                case ENOTSUP, EISDIR: "Check that it is a file."
                case ENOENT: "Put it there, or name another."
                case EACCES: "Let the user that hearthd runs as read it."
                default: "Check the path."
                }
            throw .key(path, "\(String(cString: strerror(code))). \(cure)")
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: byteCountMax + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else {
            throw .key(path, "\(String(cString: strerror(errno))). Check that it is a file.")
        }
        guard count <= byteCountMax else {
            throw .key(path, "It is larger than \(byteCountMax) bytes, and so it is no key.")
        }
        return Array(bytes[..<count])
    }

    /// Whether something is at a path.
    ///
    /// A path that we may not look at counts as existing, so that reading the file tells the
    /// failure.
    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0 || (errno != ENOENT && errno != ENOTDIR)
    }

    /// Reads a file that holds a secret on its first line.
    ///
    /// - Throws: `failedPrecondition` if the file cannot be read, or its first line is empty.
    package static func secret(_ path: String) throws(HearthError) -> Secret {
        let text = String(decoding: try read(path), as: UTF8.self)
        let line = text.prefix { !$0.isNewline }
        guard !line.isEmpty else { throw .key(path, "Its first line is empty.") }
        return Secret(String(line))
    }
}

extension HearthError {
    /// A file of credentials that is of no use.
    static func key(_ path: String, _ problem: String) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "The credentials in \(path) cannot be used. \(problem)")
    }
}

extension JSONValue {
    /// A member that must be there.
    func required(_ name: String, in path: String) throws(HearthError) -> String {
        guard let text = self[name]?.string, !text.isEmpty else {
            throw .key(path, "\"\(name)\" is missing. Put the key there as it was downloaded.")
        }
        return text
    }
}
