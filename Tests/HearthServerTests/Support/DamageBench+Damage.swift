import Glibc
import HearthEngine
import HearthTestSupport

@testable import HearthSQLite

extension DamageBench.Damage {
    /// A damage by chance to a file of the store in a folder.
    init(
        by random: inout SeededGenerator, to file: DamageBench.File, in folder: TemporaryFolder
    ) {
        let size = RawFile("\(folder.path)/x.sqlite\(file.rawValue)")?.byteCount ?? 0
        let count = random.pick([1, 4, 16, 64, 64, 512])
        let start = Int.random(in: 0..<(size - count), using: &random)
        let bytes: [UInt8] =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: [UInt8](repeating: 0, count: count)
            case 1: [UInt8](repeating: 0xFF, count: count)
            default: (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
        self.init(file: file, range: start..<(start + count), bytes: bytes)
    }

    /// A copy of the store in a folder, in which the part is written over.
    func copy(of folder: TemporaryFolder) throws -> TemporaryFolder {
        let copy = TemporaryFolder()
        for file in DamageBench.File.allCases {
            try folder.copy("x.sqlite\(file.rawValue)", to: copy)
        }
        let file = open("\(copy.path)/x.sqlite\(self.file.rawValue)", O_WRONLY)
        defer { close(file) }
        guard pwrite(file, bytes, bytes.count, off_t(range.lowerBound)) == bytes.count else {
            throw StoreError.io("damaging \(self.file)")
        }
        return copy
    }
}
