/// A file that only its owner may read. The file gets its name when all bytes are written.
final class PrivateFile: Sendable {
    private let file: PartFile

    /// Begins a file that will replace the file of the same name.
    ///
    /// - Throws: `Failure` if it cannot be made, or something that is no file has the name.
    init(_ path: String) throws(Failure) { file = try PartFile(path, mode: 0o600) }

    /// Adds bytes.
    func append(_ bytes: [UInt8]) throws(Failure) { try file.append(bytes[...]) }

    /// Has the file last, under its name.
    func finish() throws(Failure) { try file.finish() }
}
