import Glibc

/// Folders, files and programs of the outside judges, which the environment names.
package enum Judges {
    /// The value of a variable; `nil` if it is unset or empty.
    package static func variable(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// A Python that may have Google's clients: `HEARTH_PYTHON`, else the machine's.
    package static let python = variable("HEARTH_PYTHON") ?? "/usr/bin/python3"

    /// The files in a folder and its subfolders with this ending, by their paths from the folder,
    /// sorted.
    package static func files(in folder: String, ending suffix: String) -> [String] {
        var files: [String] = []
        var folders = [""]
        while let place = folders.popLast() {
            for name in names(in: "\(folder)/\(place)") where !name.hasPrefix(".") {
                var status = stat()
                guard lstat("\(folder)/\(place)\(name)", &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    folders.append("\(place)\(name)/")
                } else if name.hasSuffix(suffix) {
                    files.append(place + name)
                }
            }
        }
        return files.sorted()
    }

    private static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
                        String(cString: $0)
                    }
                })
        }
        return names
    }

    /// A whole file; `nil` if it cannot be read.
    package static func bytes(of path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&buffer, 1, buffer.count, file)
            if count == 0 { return result }
            result += buffer[..<count]
        }
    }
}
