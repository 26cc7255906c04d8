import Glibc
import Testing

@testable import HearthConsole

/// The files of the page that lie in the program.
struct PageFileTests {
    /// The folder of the sources of the page.
    private static let folder: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/") + "/Sources/Flame/HearthConsole/Page"
    }()

    private static func names() -> [String] {
        guard let folder = opendir(folder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    @Test func `every file of the folder lies in the program, as it is`() throws {
        #expect(PageFile.names == Self.names())
        #expect(PageFile.names.contains("index.html"))
    }
}
