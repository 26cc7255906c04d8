import Glibc

/// Which files this process has open.
enum Descriptors {
    /// The descriptors of a file, the smallest first.
    static func of(_ path: String) -> [Int32] {
        (Int32(3)..<1_024).filter { descriptor in
            var name = [CChar](repeating: 0, count: 4_096)
            let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count - 1)
            let bytes = name.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self) == path
        }
    }
}

/// A descriptor with another file behind it for a while: `/dev/full`, where writes fail with "no
/// room" and reads give zeros; `/dev/null`, which cannot be synced; or the same file, opened for
/// reading alone.
struct SwappedFile {
    private let descriptor: Int32
    private let kept: Int32

    init?(_ descriptor: Int32?, for path: String, access: Int32 = O_RDWR) {
        guard let descriptor else { return nil }
        let other = open(path, access)
        guard other >= 0 else { return nil }
        defer { close(other) }
        kept = dup(descriptor)
        guard kept >= 0, dup2(other, descriptor) >= 0 else { return nil }
        self.descriptor = descriptor
    }

    /// Puts the file back.
    func putBack() {
        dup2(kept, descriptor)
        close(kept)
    }

    /// Ends the swap for a descriptor that its owner has closed meanwhile.
    func forget() { close(kept) }
}
