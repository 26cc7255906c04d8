/// The SHA-1 digest that the Realtime Database compares trees with. Not for secrets.
package enum SHA1 {
    /// The 20 bytes of the digest. O(n).
    ///
    /// - Source: RFC 3174.
    package static func digest(of message: [UInt8]) -> [UInt8] {
        var state = start
        let whole = message.count / 64 * 64
        mix(message, byteCount: whole, into: &state)
        let rest = padded(message[whole...], byteCount: message.count)
        mix(rest, byteCount: rest.count, into: &state)
        return bytes(of: state)
    }

    fileprivate static func bytes(of state: State) -> [UInt8] {
        var digest: [UInt8] = []
        digest.reserveCapacity(20)
        for word in [state.0, state.1, state.2, state.3, state.4] {
            for shift in stride(from: 24, through: 0, by: -8) {
                digest.append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
            }
        }
        return digest
    }

    /// The digest in the standard alphabet of base 64, 28 characters.
    package static func base64(of message: [UInt8]) -> String {
        Base64.encode(digest(of: message))
    }

    fileprivate typealias State = (UInt32, UInt32, UInt32, UInt32, UInt32)

    fileprivate static let start: State = (
        0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
    )

    /// The end of a message, with a one bit, zeros, and how many bits the message has.
    fileprivate static func padded(_ rest: ArraySlice<UInt8>, byteCount: Int) -> [UInt8] {
        var padded: [UInt8] = []
        padded.reserveCapacity(128)
        padded += rest
        padded.append(0x80)
        while padded.count % 64 != 56 { padded.append(0) }
        let bitCount = UInt64(byteCount) &* 8
        for shift in stride(from: 56, through: 0, by: -8) {
            padded.append(UInt8(truncatingIfNeeded: bitCount >> UInt64(shift)))
        }
        return padded
    }

    /// Takes the first bytes of a message in, which are whole blocks of 64.
    fileprivate static func mix(_ message: [UInt8], byteCount: Int, into state: inout State) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 80) { words in
            words.initialize(repeating: 0)
            for start in stride(from: 0, to: byteCount, by: 64) {
                mix(message, at: start, into: &state, using: words)
            }
        }
    }

    private static func mix(
        _ bytes: [UInt8], at start: Int, into state: inout State,
        using words: UnsafeMutableBufferPointer<UInt32>
    ) {
        bytes.withUnsafeBytes { bytes in
            for word in 0..<16 {
                let value = bytes.loadUnaligned(fromByteOffset: start + word * 4, as: UInt32.self)
                words[word] = UInt32(bigEndian: value)
            }
        }
        for word in 16..<80 {
            let value = words[word - 3] ^ words[word - 8] ^ words[word - 14] ^ words[word - 16]
            words[word] = value << 1 | value >> 31
        }
        var (a, b, c, d, e) = state
        for step in 0..<80 {
            let sum = round(step, b, c, d) &+ (a << 5 | a >> 27) &+ e &+ words[step]
            (a, b, c, d, e) = (sum, a, b << 30 | b >> 2, c, d)
        }
        state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
    }

    @inline(__always)
    private static func round(_ step: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> UInt32 {
        switch step {
        case ..<20: ((b & c) | (~b & d)) &+ 0x5A82_7999
        case ..<40: (b ^ c ^ d) &+ 0x6ED9_EBA1
        case ..<60: ((b & c) | (b & d) | (c & d)) &+ 0x8F1B_BCDC
        default: (b ^ c ^ d) &+ 0xCA62_C1D6
        }
    }
}

/// The SHA-1 digest of a message in parts; only little of the message is held.
struct RunningSHA1: Sendable {
    private static let heldByteCountMax = 4_096

    private var state = SHA1.start
    private var held: [UInt8] = []
    private var byteCount = 0

    /// Takes the next bytes of the message.
    mutating func add(_ bytes: some Collection<UInt8>) {
        held += bytes
        byteCount += bytes.count
        if held.count > Self.heldByteCountMax {
            let whole = held.count / 64 * 64
            SHA1.mix(held, byteCount: whole, into: &state)
            held.removeFirst(whole)
        }
    }

    /// The digest of all that was taken, in the standard alphabet of base 64.
    var base64: String {
        var state = state
        let whole = held.count / 64 * 64
        SHA1.mix(held, byteCount: whole, into: &state)
        let rest = SHA1.padded(held[whole...], byteCount: byteCount)
        SHA1.mix(rest, byteCount: rest.count, into: &state)
        return Base64.encode(SHA1.bytes(of: state))
    }
}
