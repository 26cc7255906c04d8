import Glibc

/// A small file system of its own, in memory, that a test fills and gives room again.
///
/// Takes the right to mount, which a test asks for with `isAllowed` before it runs.
package final class FullDisk: Sendable {
    /// The folder in which it lies; the file system is all of it.
    package let folder = TemporaryFolder()

    private var fillingPath: String { "\(folder.path)/filling" }
    private var morePath: String { "\(folder.path)/more" }

    /// Whether file systems may be mounted here.
    package static let isAllowed: Bool = {
        let folder = TemporaryFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=64k") == 0 else { return false }
        return umount2(folder.path, Int32(MNT_DETACH)) == 0
    }()

    /// Makes one of so many bytes.
    package init(byteCount: Int) throws {
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(byteCount)") == 0 else {
            throw TemporaryFolder.Failure(action: "mount \(folder.path)", code: errno)
        }
    }

    deinit { umount2(folder.path, Int32(MNT_DETACH)) }

    /// Takes all room but so many bytes.
    package func fill(leaving byteCount: Int = 0) throws {
        let descriptor = open(fillingPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw TemporaryFolder.Failure(action: "create \(fillingPath)", code: errno)
        }
        defer { close(descriptor) }
        var status = statvfs()
        guard fstatvfs(descriptor, &status) == 0 else {
            throw TemporaryFolder.Failure(action: "look at \(folder.path)", code: errno)
        }
        let room = Int(status.f_bavail) * Int(status.f_bsize) - byteCount
        guard room > 0 else { return }
        let code = posix_fallocate(descriptor, 0, off_t(room))
        guard code == 0 else {
            throw TemporaryFolder.Failure(action: "fill \(folder.path)", code: code)
        }
    }

    /// Takes what has become free since, to the last block.
    package func fillMore() throws {
        let descriptor = open(morePath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw TemporaryFolder.Failure(action: "create \(morePath)", code: errno)
        }
        defer { close(descriptor) }
        let block = [UInt8](repeating: 1, count: 4_096)
        while write(descriptor, block, block.count) == block.count {}
    }

    /// Gives the room back.
    package func makeRoom() {
        unlink(fillingPath)
        unlink(morePath)
    }
}
