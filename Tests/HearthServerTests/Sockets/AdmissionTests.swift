import HearthModel
import HearthServer
import HearthWire
import Testing

/// Who comes in when it is full.
struct AdmissionTests {
    private let root = Peer(uid: 0, gid: 0, pid: 1)
    private let reader = Peer(uid: 60_001, gid: 60_001, pid: 2)
    private let guest = Peer(uid: 60_002, gid: 60_002, pid: 3)

    private func door(isControl: Bool) throws -> Admission {
        var limits = SessionLimits()
        limits.clientCountMax = 10
        limits.uidClientCountMax = 5
        limits.reservedClientCount = 2
        limits.guestClientCountMax = 4
        limits.uidGuestClientCountMax = 2
        let rule = try AccessRuleReader.read("allow uid 60001 read below a", name: "x")
        return Admission(limits, AccessPolicy(rules: [rule]), isControl: isControl)
    }

    private func figures(_ clients: Int, guests: Int = 0) -> SessionRegistry.Figures {
        var figures = SessionRegistry.Figures()
        figures.clientCount = clients
        figures.guestCount = guests
        return figures
    }

    @Test func `root always gets in by the control socket, and has room at the client socket`()
        throws
    {
        let (client, control) = (try door(isControl: false), try door(isControl: true))
        let full = figures(10)
        #expect(control.refusal(of: root, besides: full, user: full) == nil)
        #expect(client.refusal(of: root, besides: figures(9), user: figures(0)) == nil)
        #expect(client.refusal(of: root, besides: full, user: figures(0)) != nil)
        for door in [client, control] {
            let refusal = door.refusal(of: reader, besides: figures(8), user: figures(0))
            #expect(refusal?.message.contains("limits.reservedClientCount = 2") == true)
            #expect(door.refusal(of: reader, besides: figures(7), user: figures(0)) == nil)
        }
    }

    @Test func `users without rights fill neither socket`() throws {
        for door in [try door(isControl: false), try door(isControl: true)] {
            #expect(door.isGuest(guest))
            #expect(!door.isGuest(reader))
            #expect(door.refusal(of: guest, besides: figures(1), user: figures(0)) == nil)
            let own = door.refusal(
                of: guest, besides: figures(2, guests: 2), user: figures(2, guests: 2))
            #expect(own?.message.contains("limits.uidGuestClientCountMax = 2") == true)
            let all = door.refusal(
                of: guest, besides: figures(4, guests: 4), user: figures(1, guests: 1))
            #expect(all?.message.contains("limits.guestClientCountMax = 4") == true)
            #expect(
                door.refusal(of: reader, besides: figures(4, guests: 4), user: figures(0)) == nil)
        }
    }

    @Test func `one user's clients end at that user's limit`() throws {
        let refusal = try door(isControl: false).refusal(
            of: reader, besides: figures(5), user: figures(5))
        #expect(refusal?.message.contains("limits.uidClientCountMax = 5") == true)
    }
}
