import Glibc

/// The inputs with which a target of Tests/Fuzz starts, and the inputs that once found a fault.
package enum FuzzCorpus {
    /// The inputs of a target by the names of their files.
    package static func inputs(of target: String) -> [(name: String, bytes: [UInt8])] {
        let path = #filePath.split(separator: "/", omittingEmptySubsequences: false)
        let folder = path.dropLast(2).joined(separator: "/") + "/Fuzz/\(target)/Corpus/"
        guard let entries = opendir(folder) else { return [] }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".bin") { names.append(name) }
        }
        return names.sorted().map { ($0, bytes(of: folder + $0)) }
    }

    private static func bytes(of path: String) -> [UInt8] {
        guard let file = fopen(path, "rb") else { return [] }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&chunk, 1, chunk.count, file), count > 0 {
            bytes += chunk[..<count]
        }
        return bytes
    }
}
