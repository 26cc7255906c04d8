import Glibc
import HearthModel
import HearthRemote
import HearthTestSupport
import Testing

struct KeyFileTests {
    private let folder = TemporaryFolder()

    /// What is said of a file that holds a text.
    private func complaint(about text: String) throws -> String {
        let path = try folder.write(text, to: "key.json")
        let error = #expect(throws: HearthError.self) { try KeyFile(path: path) }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains(path) == true)
        return error?.message ?? ""
    }

    @Test func `a service account is read`() throws {
        let key = try TestKey.shared.get()
        let path = try folder.write(key.json(), to: "key.json")
        guard case .serviceAccount(let account) = try KeyFile(path: path) else {
            Issue.record("another kind")
            return
        }
        #expect(account.email == TestKey.email)
        #expect(account.project == "demo")
        #expect("\(account.tokenAddress)" == "https://oauth2.googleapis.com/token")
        #expect(!"\(account)".contains("PRIVATE"))
    }

    @Test func `a pipe is read once, and what it held counts again and again`() throws {
        let key = try TestKey.shared.get()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let text = Array(key.json().utf8)
        try #require(write(ends[1], text, text.count) == text.count)
        close(ends[1])
        let path = "/dev/fd/\(ends[0])"
        #expect(KeyFile.isUnreadPipe(path))
        for _ in 0..<3 {
            guard case .serviceAccount(let account) = try KeyFile(path: path) else {
                Issue.record("another kind")
                return
            }
            #expect(account.email == TestKey.email)
            #expect(!KeyFile.isUnreadPipe(path))
        }
    }

    @Test func `a pipe that others have emptied is told as such`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        close(ends[1])
        let path = "/dev/fd/\(ends[0])"
        let error = #expect(throws: HearthError.self) { try KeyFile(path: path) }
        #expect(error?.message.contains("a pipe can be read only once") == true)
    }

    @Test func `a mended file counts, for only pipes are kept`() throws {
        let key = try TestKey.shared.get()
        let path = try folder.write("{}", to: "key.json")
        #expect(throws: HearthError.self) { try KeyFile(path: path) }
        try folder.write(key.json(), to: "key.json")
        guard case .serviceAccount = try KeyFile(path: path) else {
            Issue.record("another kind")
            return
        }
    }

    @Test func `a file that is missing is told with its path`() {
        let error = #expect(throws: HearthError.self) {
            try KeyFile(path: "\(folder.path)/none.json")
        }
        #expect(error?.message.contains("\(folder.path)/none.json") == true)
        #expect(error?.message.contains("Put it there") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `a file that may not be read is told with the cure`() throws {
        let path = try folder.write("{}", to: "closed.json", mode: 0)
        let error = #expect(throws: HearthError.self) { try KeyFile(path: path) }
        #expect(error?.message.contains("Let the user that hearthd runs as read it") == true)
    }

    @Test func `a folder in its place is told`() {
        let error = #expect(throws: HearthError.self) { try KeyFile(path: folder.path) }
        #expect(error?.code == .failedPrecondition)
        #expect(error?.message.contains("Check that it is a file") == true)
    }

    @Test func `what is no JSON is told by the place, never by the words`() throws {
        let complaint = try complaint(about: #"{"private_key": "hunter2""#)
        #expect(complaint.contains("byte 25"))
        #expect(!complaint.contains("hunter2"))
    }

    @Test func `another kind of file is told by its type`() throws {
        #expect(try complaint(about: #"{"type": "external_account"}"#).contains("external_account"))
        #expect(try complaint(about: "[]").contains("\"type\""))
        #expect(try complaint(about: "{}").contains("\"type\""))
    }

    @Test(arguments: ["client_email", "private_key", "token_uri"])
    func `a member that is missing or wrong is told by its name`(_ name: String) throws {
        let whole = try TestKey.shared.get().json(tokenAddress: "https://x/")
        let broken = whole.replacing("\"\(name)\": \"", with: "\"\(name)\": \"\", \"old\": \"")
        let complaint = try complaint(about: broken)
        #expect(complaint.contains(name))
        #expect(!complaint.contains("BEGIN"))
    }

    @Test func `a key that is none is told without a byte of it`() throws {
        let complaint = try complaint(
            about: """
                {"type": "service_account", "client_email": "a@b",
                 "private_key": "-----BEGIN PRIVATE KEY-----\\nhunter2\\n-----END PRIVATE KEY-----"}
                """)
        #expect(complaint.contains("private_key"))
        #expect(!complaint.contains("hunter2"))
    }

    @Test func `a file without end is not read`() throws {
        let complaint = try complaint(about: String(repeating: " ", count: 70_000))
        #expect(complaint.contains("65536"))
    }

    @Test func `a secret is a file's first line`() throws {
        let path = try folder.write("hunter2\nmore\n", to: "password")
        #expect(try KeyFile.secret(path).revealed == "hunter2")
        let empty = try folder.write("\nhunter2", to: "empty")
        #expect(throws: HearthError.self) { try KeyFile.secret(empty) }
    }
}
