import Testing

@testable import Hearth

struct SocketPathTests {
    private func find(_ environment: [String: String], _ files: Set<String> = []) -> String {
        SocketPath.find(environment: { environment[$0] }, exists: { files.contains($0) })
    }

    @Test func `the environment's word counts before all`() {
        #expect(
            find(
                ["HEARTH_SOCKET": "/tmp/x", "XDG_RUNTIME_DIR": "/run/user/1"],
                ["/run/hearth/hearth.sock"]) == "/tmp/x")
    }

    @Test func `the machine's daemon counts before the user's`() {
        #expect(
            find(["XDG_RUNTIME_DIR": "/run/user/1"], ["/run/hearth/hearth.sock"])
                == "/run/hearth/hearth.sock")
        #expect(
            find(["XDG_RUNTIME_DIR": "/run/user/1"]) == "/run/user/1/hearth/hearth.sock")
    }

    @Test func `without anything the machine's daemon is meant`() {
        #expect(find([:]) == "/run/hearth/hearth.sock")
        #expect(find(["HEARTH_SOCKET": "", "XDG_RUNTIME_DIR": ""]) == "/run/hearth/hearth.sock")
    }
}
