import Glibc
package import HearthEngine
import HearthFirestore
import HearthModel
import HearthSQLite
package import HearthStore

/// The files of a store folder, and the databases that their names stand for.
///
/// Shape: `FOLDER/firestore/PROJECT/DATABASE.sqlite` and `FOLDER/realtime/HOST/INSTANCE.sqlite`, where
/// `http:` precedes a HOST without TLS. Bytes of a name that could leave the folder are written as `%`
/// and two hexadecimal digits.
package enum StoreFolder {
    private static let suffix = ".sqlite"

    /// Where an engine keeps its database.
    package static func path(of key: EngineKey, in folder: String) -> String {
        switch key {
        case .firestore(let database):
            "\(folder)/firestore/\(escaped(database.project))/\(escaped(database.database))\(suffix)"
        case .realtime(let instance):
            "\(folder)/realtime/\(escaped(host(of: instance)))/\(escaped(instance.name))\(suffix)"
        }
    }

    /// The host as the folder has it. Another port, or no TLS, is another database.
    private static func host(of instance: InstanceID) -> String {
        (instance.isSecure ? "" : insecurePrefix) + instance.host
    }

    private static let insecurePrefix = "http:"

    /// Bytes that an id may have: more than any of the backend's, and less than a file's name may.
    package static let idByteCountMax = 128

    /// Whether a text can be the id of a project or a database: letters, digits and `-_.:()`, as far as
    /// a file can be called by it.
    package static func isID(_ text: String) -> Bool {
        (1...idByteCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { isPlain($0) || $0 == UInt8(ascii: ".") }
            && escaped(text).utf8.count <= fileNameByteCountMax
    }

    /// Leaves room for what is put behind the name, such as `.sqlite.damaged-` and a time.
    private static let fileNameByteCountMax = 200

    /// The databases that a folder holds, in the order of their names.
    package static func databases(in folder: String) -> [StoreConfiguration] {
        let root = folder + "/firestore"
        return names(in: root).flatMap { project in
            names(in: root + "/" + project).filter { $0.hasSuffix(suffix) }.map { file in
                StoreConfiguration(
                    path: "\(root)/\(project)/\(file)",
                    database: DatabaseID(
                        project: unescaped(project),
                        database: unescaped(String(file.dropLast(suffix.utf8.count)))))
            }
        }
    }

    /// Whether writes may wait in a closed store, and the Unix user who made the first of them. Blocks on
    /// the disk.
    ///
    /// A store whose daemon was killed has a log, which may hold writes. A store that cannot be
    /// read is left to the engine that opens the store and repairs the store.
    static func unsent(in file: StoreConfiguration) -> (mayBe: Bool, uid: UInt32?) {
        var log = stat()
        if stat(file.path + "-wal", &log) == 0, log.st_size > 0 { return (true, nil) }
        do throws(StoreError) {
            let first = try ReaderPool(file).read { reader throws(StoreError) in
                try reader.queuedBatches(count: 1).first
            }.value
            return (first != nil, first?.writer.uid)
        } catch {
            return (true, nil)
        }
    }

    /// When a store's damaged predecessors were set aside, in seconds since 1970.
    package static func setAsideTimes(of path: String) -> [Int64] {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        let prefix = String(path[end...].drop { $0 == "/" }) + ".damaged-"
        return names(in: String(path[..<end])).compactMap { name in
            name.hasPrefix(prefix) ? Int64(name.dropFirst(prefix.utf8.count)) : nil
        }
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    private static func escaped(_ name: String) -> String {
        var result = ""
        for byte in name.utf8 {
            if isPlain(byte) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16)
                result += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ":"):
            true
        default: false
        }
    }

    private static func unescaped(_ name: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(name.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
