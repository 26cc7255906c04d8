import HearthConsole
import Testing

/// Whose connections a console takes.
struct ConsoleDoorTests {
    private static let (root, owner, other): (UInt32, UInt32, UInt32) = (0, 1_000, 1_001)

    private func answered(_ door: ConsoleDoor) -> [UInt32] {
        [Self.root, Self.owner, Self.other].filter { door.answers($0) }
    }

    @Test func `before the secret a console answers root and who runs the console`() {
        var door = ConsoleDoor(owner: Self.owner)
        #expect(answered(door) == [Self.root, Self.owner])
        door.open(to: Self.other)
        #expect(answered(door) == [Self.root, Self.owner])
        #expect(answered(ConsoleDoor(owner: Self.root)) == [Self.root, Self.owner, Self.other])
    }

    @Test(arguments: [owner, root])
    func `who brought the secret is answered from then on, and root`(owner: UInt32) {
        var door = ConsoleDoor(owner: owner)
        door.open(to: Self.owner)
        #expect(answered(door) == [Self.root, Self.owner])
        for late in [Self.root, Self.other] {
            door.open(to: late)
            #expect(answered(door) == [Self.root, Self.owner])
        }
    }

    @Test func `a secret that root brought opens the console to root alone`() {
        var door = ConsoleDoor(owner: Self.owner)
        door.open(to: Self.root)
        #expect(answered(door) == [Self.root])
    }

    @Test func `who is not answered takes no place`() {
        var door = ConsoleDoor(owner: Self.owner)
        for _ in 0...ConsoleLimits.connectionCountMax {
            let isTaken = door.come(Self.other)
            #expect(!isTaken)
        }
        let taken = (0...ConsoleLimits.connectionCountMax).filter { _ in door.come(Self.owner) }
        #expect(taken.count == ConsoleLimits.connectionCountMax)
        door.leave(Self.other)
        let isTakenForNothing = door.come(Self.owner)
        door.leave(Self.owner)
        let isTakenAgain = door.come(Self.owner)
        #expect(!isTakenForNothing && isTakenAgain)
    }

    @Test func `a guest of root's console holds few places until he brings the secret`() {
        var door = ConsoleDoor(owner: Self.root)
        func come(_ uid: UInt32) -> Int {
            (0...ConsoleLimits.connectionCountMax).count { _ in door.come(uid) }
        }
        let early = come(Self.other)
        #expect(early == ConsoleLimits.guestConnectionCountMax)
        let isTaken = door.come(Self.owner)
        #expect(isTaken)
        door.open(to: Self.other)
        let late = come(Self.other)
        #expect(late == ConsoleLimits.connectionCountMax - early - 1)
    }
}
