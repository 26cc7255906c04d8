import CLinux
import Glibc
package import HearthEngine

/// Opens and reads the files of a store's folder, in whose places anybody who can write to the folder
/// may have put something else.
///
/// To open a pipe waits for the pipe's other end, a link leads anywhere, and another user's file can be changed
/// at any time. So no open waits or follows a link, and only a plain file of the daemon's user, of root
/// or of the folder's owner is taken.
package enum PlainFile {
    /// Opens a file. A file that is made is for nobody's eyes but ours.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - flags: As open(2) takes them; the open closes on exec.
    ///   - refuse: Makes the error from a sentence without its full stop.
    /// - Returns: The descriptor; or -1 with `errno` set, if the open fails for another reason.
    /// - Throws: What `refuse` makes, if there is something else than a plain file.
    package static func open<Failure: Error>(
        _ path: String, _ flags: Int32, refuse: (String) -> Failure
    ) throws(Failure) -> Int32 {
        var flaw: UnsafePointer<CChar>?
        let descriptor = clinux_open_plain(path, flags, 0o600, &flaw)
        if let flaw { throw refuse(sentence(path, flaw)) }
        return descriptor
    }

    /// Reads what an open file has from here on. Blocks until the end of the file.
    ///
    /// - Returns: The bytes; or `nil` with `errno` set, which is `EFBIG` for a longer file.
    package static func bytes(of descriptor: Int32, byteCountMax: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= byteCountMax else {
                errno = EFBIG
                return nil
            }
        }
    }

    /// Expects nothing but plain files in the places that SQLite opens by itself.
    ///
    /// - Throws: `StoreError.io` that names what is there.
    static func expectDatabase(at path: String) throws(StoreError) {
        for suffix in ["", "-wal", "-shm", "-journal"] { try expect(at: path + suffix) }
    }

    /// Expects a plain file at a path, or nothing.
    ///
    /// - Throws: `StoreError.io` that names what is there.
    static func expect(at path: String) throws(StoreError) {
        if let flaw = clinux_flaw_of(path) { throw .io(sentence(path, flaw)) }
    }

    /// Expects a folder at a path, or nothing.
    ///
    /// - Throws: `StoreError.io` that names what is there.
    package static func expectFolder(at path: String) throws(StoreError) {
        guard let flaw = clinux_flaw_of_folder(path) else { return }
        throw .io(
            "\(path) is \(String(cString: flaw)), where only a folder of the daemon's user belongs: "
                + "move it away")
    }

    private static func sentence(_ path: String, _ flaw: UnsafePointer<CChar>) -> String {
        "\(path) is \(String(cString: flaw)), where only a plain file of the daemon's user belongs: "
            + "move it away"
    }
}
