/// Decides who has how much of the memory that the surveys of all stores share.
///
///     ask > next > grow > giveBack
///       \--leave
///
/// Owners take turns, each with one claim. The first in line waits until there is room for all of its
/// claim, and nobody passes it, so that a large claim comes to its turn. A survey that has room gets more
/// only while nobody waits, and otherwise gives its room back and claims more at once. So whoever has
/// room never waits for anybody, and the first in line waits only for those who have room.
struct SurveyRooms<Element> {
    /// Who asks: a Unix user, or with `nil` the daemon itself.
    typealias Owner = UInt32?

    /// A claim whose turn has come.
    struct Granted {
        let element: Element
        /// In whose turn.
        let owner: Owner
        /// Bytes that are taken for the claim.
        let byteCount: Int
    }

    private struct Claim {
        let element: Element
        let byteCount: Int
        /// In whose lines the claim stands.
        var owners: [Owner]
    }

    /// Bytes of all.
    let byteCountMax: Int
    /// Bytes that are taken.
    private(set) var byteCount = 0
    private var lastNumber: UInt64 = 0
    /// The claims that wait, by their numbers.
    private var claims: [UInt64: Claim] = [:]
    /// The claims of each owner, in the order of asking.
    private var waiting: [Owner: [UInt64]] = [:]
    /// The owners of the waiting claims. The owner who was served last is last.
    private var order: [Owner] = []

    /// Room of which nothing is taken.
    init(byteCountMax: Int) {
        self.byteCountMax = byteCountMax
    }

    /// How many claims wait.
    var waitingCount: Int { claims.count }

    /// Puts a claim at the end of its owner's.
    ///
    /// - Parameter byteCount: At least 1 and at most all, so that the claim can come to its turn.
    /// - Returns: The number of the claim. None is used twice.
    mutating func ask(_ element: Element, _ byteCount: Int, of owner: Owner) -> UInt64 {
        precondition(1...byteCountMax ~= byteCount, "A claim of \(byteCount) bytes")
        lastNumber += 1
        claims[lastNumber] = Claim(element: element, byteCount: byteCount, owners: [])
        join(lastNumber, owner)
        return lastNumber
    }

    /// Another owner waits for a claim too, and has it stand in the owner's own line.
    ///
    /// Does nothing if the claim waits no more: a race.
    mutating func join(_ number: UInt64, _ owner: Owner) {
        guard let claim = claims[number], !claim.owners.contains(owner) else { return }
        claims[number]?.owners.append(owner)
        if waiting[owner] == nil { order.append(owner) }
        waiting[owner, default: []].append(number)
    }

    /// Forgets a claim that waits; `nil` if the claim waits no more. O(claims of its owners).
    mutating func leave(_ number: UInt64) -> Element? {
        guard let claim = claims.removeValue(forKey: number) else { return nil }
        for owner in claim.owners {
            let left = waiting[owner]?.filter { $0 != number } ?? []
            waiting[owner] = left.isEmpty ? nil : left
        }
        order.removeAll { waiting[$0] == nil }
        return claim.element
    }

    /// The next claim that has room, which is taken; `nil` if nobody waits or the first has no room.
    mutating func next() -> Granted? {
        guard let owner = order.first, let number = waiting[owner]?.first,
            let claim = claims[number], claim.byteCount <= byteCountMax - byteCount
        else { return nil }
        _ = leave(number)
        if order.first == owner {
            order.removeFirst()
            order.append(owner)
        }
        byteCount += claim.byteCount
        return Granted(element: claim.element, owner: owner, byteCount: claim.byteCount)
    }

    /// Takes so many bytes more, unless they are not free or somebody waits.
    mutating func grow(by more: Int) -> Bool {
        guard claims.isEmpty, more <= byteCountMax - byteCount else { return false }
        byteCount += more
        return true
    }

    /// So many bytes are free again.
    mutating func giveBack(_ less: Int) {
        precondition(0...byteCount ~= less, "\(less) of \(byteCount) bytes given back")
        byteCount -= less
    }
}

extension SurveyRooms.Granted: Sendable where Element: Sendable {}
