import Glibc
package import HearthModel

/// The file that lets a browser in: a form with the secret that the page posts by itself. Only the owner can read the
/// file, and the secret stands in no command line.
package struct EntryFile: Sendable {
    /// Where the file is.
    package let path: String

    /// Writes the file.
    ///
    /// - Parameters:
    ///   - folder: A folder of the user's own; made if it is not there.
    ///   - address: Where the console listens, such as `http://127.0.0.1:40123`.
    ///   - secret: The secret that the file's page sends to the console.
    /// - Throws: `HearthError` `failedPrecondition` if the folder is not the user's alone, or
    ///   cannot be written.
    package init(
        in folder: String, address: String, secret: ConsoleSecret
    ) throws(HearthError) {
        try Self.makeOwn(folder)
        path = "\(folder)/console-\(getpid()).html"
        unlink(path)  // Of a process with our number that was killed.
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Self.failure("write", path) }
        defer { close(file) }
        let text = Array(Self.text(address, secret).utf8)
        guard write(file, text, text.count) == text.count else {
            let failure = Self.failure("write", path)
            unlink(path)
            throw failure
        }
    }

    /// Removes the file, once it was used or the console ends.
    package func remove() { unlink(path) }

    /// The folder for the files of this user's processes that end with the session.
    ///
    /// - Parameter environment: The value of a variable; `nil` if the variable is not set.
    package static func folder(environment: (String) -> String?) -> String {
        if let folder = environment("XDG_RUNTIME_DIR"), folder.utf8.first == UInt8(ascii: "/") {
            return "\(folder)/hearth"
        }
        return geteuid() == 0 ? "/run/hearth-console" : "/tmp/hearth-console-\(geteuid())"
    }

    /// Makes a folder that only its owner may use, or checks that the folder is private already.
    private static func makeOwn(_ folder: String) throws(HearthError) {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw failure("make the folder", folder) }
        var status = stat()
        guard lstat(folder, &status) == 0 else { throw failure("look at", folder) }
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        guard isFolder, status.st_uid == geteuid(), status.st_mode & 0o022 == 0 else {
            throw HearthError(
                code: .failedPrecondition,
                message: "\(folder) is not a folder that you alone may write to. Remove it, or set "
                    + "XDG_RUNTIME_DIR to a folder of yours.")
        }
    }

    private static func failure(_ what: String, _ path: String) -> HearthError {
        HearthError(
            code: .failedPrecondition,
            message: "Cannot \(what) \(path): \(String(cString: strerror(errno))). XDG_RUNTIME_DIR "
                + "names the folder.")
    }

    private static func text(_ address: String, _ secret: ConsoleSecret) -> String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head><meta charset="utf-8"><title>Hearth console</title></head>
        <body>
        <form method="post" action="\(address)\(ConsoleGuard.entryPath)">
        <input type="hidden" name="secret" value="\(secret.text)">
        <button>Open the Hearth console</button>
        </form>
        <script>document.forms[0].submit()</script>
        </body>
        </html>

        """
    }
}
