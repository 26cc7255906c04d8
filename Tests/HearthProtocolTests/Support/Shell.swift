import Glibc

/// Runs a line of shell, for tests that ask other programs.
enum Shell {
    /// What a program printed, and the code it ended with.
    struct Result: Equatable {
        var output: String
        var code: Int32
    }

    static func run(_ line: String) -> Result {
        guard let pipe = popen("{ \(line)\n} 2>&1", "r") else {
            return Result(output: "popen failed", code: -1)
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = fread(&buffer, 1, buffer.count, pipe)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        let status = pclose(pipe)
        return Result(output: String(decoding: bytes, as: UTF8.self), code: status >> 8 & 0xff)
    }

    /// The folder of the package, as the compiler saw it.
    static let package: String = {
        let here: [Substring] = #filePath.split(separator: "/")
        return "/" + here.dropLast(4).joined(separator: "/")
    }()
}
