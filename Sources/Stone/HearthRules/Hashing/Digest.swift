import HearthModel

/// Checksums, and bytes as text.
enum Digest {
    /// The 16 bytes of MD5.
    static func md5(_ bytes: [UInt8]) -> [UInt8] {
        let (first, second) = MD5.words(of: bytes)
        return [first, second].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
        }
    }

    /// The checksum of Ethernet and zip, the least byte first.
    static func crc32(_ bytes: [UInt8]) -> [UInt8] { crc(bytes, polynomial: 0xEDB8_8320) }

    /// Castagnoli's checksum, the least byte first.
    static func crc32c(_ bytes: [UInt8]) -> [UInt8] { crc(bytes, polynomial: 0x82F6_3B78) }

    /// Two digits a byte, in capitals.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    /// The URL-safe alphabet, with padding.
    static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for offset in 0..<3 {
                bits = bits << 8 | (offset < group.count ? UInt32(group[start + offset]) : 0)
            }
            for digit in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * digit) & 63)
                result.append(digit <= group.count ? alphabet[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func crc(_ bytes: [UInt8], polynomial: UInt32) -> [UInt8] {
        var sum = UInt32.max
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ polynomial : sum >> 1 }
        }
        let value = ~sum
        return (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    }
}
