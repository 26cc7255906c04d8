import Glibc
import Testing

@testable import HearthServer

/// Why nobody can be accepted, and what would help.
struct AcceptFailureTests {
    @Test(arguments: [
        (EMFILE, AcceptFailure.noDescriptor, "LimitNOFILE"), (ENFILE, .noFile, "fs.file-max"),
        (ENOMEM, .noMemory, "MemoryMax"), (ENOBUFS, .noMemory, "MemoryMax"),
        (ECONNRESET, .other(ECONNRESET), "tries again"), (EPERM, .other(EPERM), "tries again"),
    ])
    func `a failure that may pass is told with what would help`(
        code: Int32, failure: AcceptFailure, help: String
    ) {
        #expect(AcceptFailure(code: code) == failure)
        #expect(failure.words.contains(help))
    }

    @Test(arguments: [EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP])
    func `a failure that never passes is told as one`(code: Int32) {
        let failure = AcceptFailure(code: code)
        #expect(failure == .broken(code))
        #expect(failure.words.contains(String(cString: strerror(code))))
        #expect(failure.words.contains("no later attempt will succeed"))
    }
}
