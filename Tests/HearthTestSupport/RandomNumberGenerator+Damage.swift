extension RandomNumberGenerator {
    /// The bytes after one to four changes, each at a place of chance: a byte is replaced as often as
    /// a byte is taken out or put in. Chance may write the byte that was there.
    package mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &self) where !damaged.isEmpty {
            let place = Int.random(in: damaged.indices, using: &self)
            switch Int.random(in: 0...3, using: &self) {
            case 0: damaged.remove(at: place)
            case 1: damaged.insert(.random(in: 0...255, using: &self), at: place)
            default: damaged[place] = .random(in: 0...255, using: &self)
            }
        }
        return damaged
    }
}
