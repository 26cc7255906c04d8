import Glibc
import HearthServer
import Testing

struct ControlGroupTests {
    @Test(arguments: [
        ("0::/system.slice/app.service\n", "app.service"),
        ("0::/user.slice/user-7.slice/user@7.service/app.slice/run-1.scope", "run-1.scope"),
        ("12:pids:/x.service\n1:name=systemd:/system.slice/old.service\n", "old.service"),
        ("0::/system.slice/app.service/worker", "app.service"),
    ])
    func `the innermost unit of a process is found`(text: String, unit: String) {
        #expect(ControlGroup.unit(inGroups: text) == unit)
    }

    @Test func `a process outside any unit has none`() {
        #expect(ControlGroup.unit(inGroups: "0::/\n") == nil)
        #expect(ControlGroup.unit(inGroups: "") == nil)
    }
}

struct PeerCredentialsTests {
    @Test func `the groups of a peer are those of its process`() throws {
        var sockets: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        defer { for socket in sockets { close(socket) } }
        var own = [gid_t](repeating: 0, count: 65_536)
        let count = getgroups(Int32(own.count), &own)
        #expect(count >= 0)
        #expect(Set(PeerCredentials.groups(of: sockets[0])) == Set(own.prefix(Int(count))))
        #expect(PeerCredentials.groups(of: -1) == [])
    }
}
