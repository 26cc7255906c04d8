/// Makes keys that sort by the time of creation and do not collide with other keys.
///
/// Shape: 20 characters of an alphabet of 64 in the order of ASCII. The first eight hold the
/// milliseconds since 1970, the other twelve are random. Within one millisecond the generator
/// counts up the previous random part.
///
/// - Source: firebase-js-sdk `core/util/NextPushId.ts`.
package struct PushIDGenerator: Sendable {
    private var lastTime: Int64?
    private var chance = [UInt8](repeating: 0, count: 12)

    /// A generator that has made none yet.
    package init() {}

    /// The next key.
    ///
    /// - Parameter now: Milliseconds since 1970 by the server's clock, not below 0.
    package mutating func next(
        at now: Int64, using random: inout some RandomNumberGenerator
    ) -> ChildKey {
        precondition(now >= 0, "A time before 1970")
        if lastTime == now {
            countUp()
        } else {
            for place in chance.indices { chance[place] = .random(in: 0..<64, using: &random) }
        }
        lastTime = now
        let time = stride(from: 42, through: 0, by: -6).map { UInt8(now >> Int64($0) & 63) }
        let text = (time + chance).map { Self.alphabet[Int($0)] }
        return ChildKey(unchecked: String(decoding: text, as: UTF8.self))
    }

    /// Counts up in base 64; after the greatest comes the least again.
    private mutating func countUp() {
        for place in chance.indices.reversed() {
            chance[place] = (chance[place] + 1) & 63
            if chance[place] != 0 { return }
        }
    }

    private static let alphabet = Array(
        "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)
}
